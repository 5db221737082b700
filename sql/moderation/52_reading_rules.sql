-- How the input of staff becomes a rule. Anything that a rule can't have is an error. docs/decisions.md, Staff.

create function private.read_keywords(p_words jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_words text[];
begin
  if (jsonb_typeof(p_words) = 'array' and jsonb_array_length(p_words) between 1 and 100
      and not exists (select from jsonb_array_elements(p_words) w
                      where jsonb_typeof(w) <> 'string' or length(w #>> '{}') > 100)) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  v_words := array(select distinct private.fold_keyword(w) from jsonb_array_elements_text(p_words) w order by 1);
  if '' = any (v_words) then
    perform private.raise_error('rule_conditions');
  end if;
  return to_jsonb(private.muted_words(v_words));
end $$;
comment on function private.read_keywords is
  'Up to 100 words or phrases of up to 100 characters in the form in which they are compared: {words, hint, pattern}.';

create function private.read_hashes(p_hashes jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if (jsonb_typeof(p_hashes) = 'array' and jsonb_array_length(p_hashes) between 1 and 100
      and not exists (select from jsonb_array_elements(p_hashes) h
                      where jsonb_typeof(h) <> 'string' or h #>> '{}' !~* '^[0-9a-f]{64}$')) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  return (select jsonb_build_object('hashes', jsonb_agg(distinct lower(h)))
          from jsonb_array_elements_text(p_hashes) h);
end $$;
comment on function private.read_hashes is
  'Up to 100 SHA-256 hashes in hex, in the form in which they are compared: {hashes}.';

create function private.read_condition(p_condition jsonb) returns private.condition
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_kind  private.rule_conditions;
  v_names text[];
  v_name  text;
  v_shape jsonb;
  v_value jsonb;
  v_read  jsonb := '{}';
begin
  select * into v_kind from private.rule_conditions k
  where jsonb_typeof(p_condition) = 'object' and k.kind = p_condition ->> 'kind';
  if not found then
    perform private.raise_error('rule_conditions');
  end if;
  for v_name, v_shape in select * from jsonb_each(v_kind.shape) loop
    v_value := nullif(p_condition -> rtrim(v_name, '?'), 'null');
    v_names := v_names || rtrim(v_name, '?');
    continue when v_value is null and v_name like '%?';
    if v_shape = '"keywords"' then
      v_read := v_read || private.read_keywords(v_value);
    elsif v_shape = '"hashes"' then
      v_read := v_read || private.read_hashes(v_value);
    elsif (v_value::text ~ '^\d{1,9}$' and v_value::integer between (v_shape -> 0)::integer
                                                               and (v_shape -> 1)::integer) is true then
      v_read := v_read || jsonb_build_object(rtrim(v_name, '?'), v_value);
    else
      perform private.raise_error('rule_conditions');
    end if;
  end loop;
  if exists (select from jsonb_object_keys(p_condition - 'kind') f where f <> all (coalesce(v_names, '{}'))) then
    perform private.raise_error('rule_conditions');
  end if;
  return (v_kind.kind, v_read)::private.condition;
end $$;
comment on function private.read_condition is
  'Returns a condition from what staff wrote, {kind, …}; raises an error unless it has exactly the parameters of its '
  'kind.';

create function private.read_conditions(p_conditions jsonb) returns private.condition[]
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
begin
  if (jsonb_typeof(p_conditions) = 'array' and jsonb_array_length(p_conditions) between 1 and 10) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  return array(
    select (r.kind, r.parameters)::private.condition
    from jsonb_array_elements(p_conditions) with ordinality as c (condition, place)
    cross join lateral private.read_condition(c.condition) r
    join private.rule_conditions k on k.kind = r.kind
    order by k.position, c.place);
end $$;
comment on function private.read_conditions is
  'Returns the conditions of a rule, in the order in which they are tried.';

create function private.read_applies_to(p_types text[]) returns text[]
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_types text[] := array(select distinct t from unnest(p_types) t order by t);
begin
  if v_types = '{}' or exists (select from unnest(v_types) t
                               where not exists (select from private.judged_types j where j.type = t)) then
    perform private.raise_error('rule_applies_to');
  end if;
  return v_types;
end $$;
comment on function private.read_applies_to is 'The types to which a rule applies, each once, sorted.';

create function private.read_rule_name(p_name text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_name text := private.require_name(p_name);
begin
  if (length(v_name) between 1 and 80) is not true then
    perform private.raise_error('rule_name');
  end if;
  return v_name;
end $$;
comment on function private.read_rule_name is 'The name of a rule in the form in which it is stored.';
