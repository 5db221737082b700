-- The debate with all the arguments.
insert into app.contents (id, kind, author_id, title) values (bench.numbered('7', 0), 'debate', bench.person(1), 'Paper or screen?');
insert into app.debates (id, body, closes_at) values (bench.numbered('7', 0), 'What do you read on?', now() + interval '1 year');
