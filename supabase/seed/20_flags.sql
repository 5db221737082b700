-- The feature flags of a new instance. Staff switch them, and a repeated run does not change their choice.

insert into app.feature_flags (key, enabled, description) values
  ('emoji-pay', true, 'Paying with emojis and boosting posts. If the flag is off, both answer 403.'),
  ('wiki', true, 'The wiki entry of an interest, and proposals to change it. If the flag is off, their operations '
    'answer 403.'),
  ('personas-ui', false, 'Whether apps let people choose the persona under which they publish.')
on conflict (key) do nothing;
