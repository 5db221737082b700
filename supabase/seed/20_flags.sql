-- The feature flags of a new instance. Staff switch them; a repeated run leaves their choice as it is.

insert into app.feature_flags (key, enabled, description) values
  ('emoji-pay', true, 'Paying with emojis and boosting posts. Off: both answer 403.'),
  ('wiki', true, 'The wiki entry of an interest, and proposals to change it. Off: all of it answers 403.'),
  ('personas-ui', false, 'Whether apps let people choose the persona that they publish under.')
on conflict (key) do nothing;
