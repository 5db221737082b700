-- How many invite codes a person can make, what counts, and what revoking one does.
begin;
select plan(30);
select test.people('alice', 'bob');
create function pg_temp.allotted(p_total numeric, p_days numeric) returns integer language plpgsql as $$ begin
  update app.accounts set total_reputation = p_total where user_id = test.id('alice');
  update app.users set created_at = now() - p_days * interval '1 day' where username = 'alice';
  return private.invite_allotment(test.id('alice'));
end $$;

-- clamp(5 + floor(totalRep / 50) + floor(ageDays / 14), 5, 30)
select is(pg_temp.allotted(total, days), allotted, format('%s points and %s days allow %s codes', total, days, allotted))
from (values (0, 0, 5), (49.99, 0, 5), (50, 0, 6), (0, 13.9, 5), (0, 14, 6), (99, 27, 7), (100, 28, 9), (-1, 14, 5),
             (-1000, 0, 5), (1250, 0, 30), (1249, 0, 29), (0, 350, 30), (9999, 9999, 30)) v (total, days, allotted);
select pg_temp.allotted(0, 0);

-- Which codes count. The status follows from the time, whether or not a job has recorded it
insert into app.invite_codes (code, generated_by, status, reservation_id, reserved_until, used_by, used_at, expires_at)
select code, test.id('alice'), status, case status when 'reserved' then gen_random_uuid() end, now() + reserved,
       case status when 'used' then test.id('bob') end, case status when 'used' then now() end, now() + lives
from (values ('INV-AAAAAA', 'active', null, interval '1 day'), ('INV-BBBBBB', 'active', null, interval '-1 day'),
             ('INV-CCCCCC', 'reserved', interval '1 minute', interval '-1 day'), ('INV-DDDDDD', 'reserved', interval '-1 minute', interval '-1 day'),
             ('INV-EEEEEE', 'reserved', interval '-1 minute', interval '1 day'), ('INV-FFFFFF', 'used', null, interval '-1 day'),
             ('INV-GGGGGG', 'revoked', null, interval '-1 day'), ('INV-HHHHHH', 'expired', null, interval '-1 day')) c (code, status, reserved, lives);
select is(private.invite_status(c), expected, format('The status of %s is %s', c.code, expected))
from app.invite_codes c join (values ('INV-AAAAAA', 'active'), ('INV-BBBBBB', 'expired'), ('INV-CCCCCC', 'reserved'), ('INV-DDDDDD', 'expired'),
  ('INV-EEEEEE', 'active'), ('INV-FFFFFF', 'used'), ('INV-GGGGGG', 'revoked'), ('INV-HHHHHH', 'expired')) v (code, expected) using (code);
select is(private.count_invites(test.id('alice')), 5, 'Active, reserved, used and revoked codes count');
create temporary table codes as select code, id from app.invite_codes;
grant select on codes to authenticated;

-- Acting as Alice
select test.act_as('alice');
select is(api.list_my_invites() ->> 'remaining', '0', 'No code remains');
select throws_ok('select api.create_invite()', 'PT409', 'invites_exhausted', 'Without a remaining code, no code can be made');
select throws_ok(format('select api.revoke_invite(%L)', id), 'PT409', 'invite_settled', format('%s can''t be revoked', code))
from codes where code in ('INV-FFFFFF', 'INV-HHHHHH', 'INV-BBBBBB') order by code;
select lives_ok(format('select api.revoke_invite(%L)', id), 'A reserved code can be revoked') from codes where code = 'INV-CCCCCC';
select is(api.list_my_invites() ->> 'remaining', '0', 'Revoking a code doesn''t allow making another one');

-- Acting as Bob
select test.act_as('bob');
select throws_ok(format('select api.revoke_invite(%L)', id), 'PT404', 'invite_unknown', 'Another person''s code is unknown') from codes where code = 'INV-AAAAAA';

select * from finish();
rollback;
