-- Texts that people write are stored in one normal form. Each text has a visible character, and no character that
-- changes the direction of the text around it. docs/decisions.md, Posts.

insert into private.errors (code, status, text) values
  ('text_unfit', 422, 'A text must have visible characters, but no control characters and no characters that change '
   'the writing direction. A name or a title must be one line. A letter cannot have hundreds of combining marks.');

create function private.trimmed(p_text text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return btrim(p_text, e' \t\r\n');
end $$;
comment on function private.trimmed is 'A text without leading and trailing blanks and empty lines.';

create function private.check_text(p_text text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  -- NFC shortens a text to no less than a quarter, and the highest limit is 100,000 characters, so the length check
  -- rejects this text anyway
  if length(p_text) > 400000 then
    return;
  end if;
  -- rejects control characters except tab and line ends, and the characters that embed, override or isolate a
  -- direction. The marks U+200E, U+200F and U+061C are harmless: they do not change the direction of the text around
  -- them
  if p_text ~ '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]' then
    perform private.raise_error('text_unfit');
  end if;
  if octet_length(p_text) = length(p_text) then
    return;   -- all other ASCII characters, except blanks, are visible
  end if;
  -- rejects a text that has only spaces, joiners, marks, fillers, variation selectors and tags; beside a visible
  -- character they are allowed
  if p_text !~ ('[^\s\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f'
                || '\u2028\u2029\u202f\u205f-\u2065\u206a-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff'
                || '\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]') then
    perform private.raise_error('text_unfit');
  end if;
  -- Postgres sorts a letter's combining marks in quadratic time, so thousands would block the database. No script
  -- has 250 characters without a blank, an ASCII character, or a letter, symbol or emoji of these ranges
  if length(p_text) > 250 and exists (
       select from regexp_split_to_table(p_text,
         '[\u0001-\u007e\u00a1-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u060f\u0620-\u064a'
         || '\u0e01-\u0e30\u0e81-\u0eb0\u0f0b\u1000-\u1020'
         || '\u1100-\u115e\u1780-\u17b3\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2cee'
         || '\u3000-\u3029\u3030-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9d'
         || '\U0001f000-\U0001faff\U00020000-\U0003ffff]+') w (word)
       where length(w.word) > 250) then
    perform private.raise_error('text_unfit');
  end if;
end $$;
comment on function private.check_text is
  'Passes if a text has a visible character, and no character that changes the direction of the text around it.';

create function private.require_text(p_text text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text := private.trimmed(p_text);
begin
  perform private.check_text(v_text);
  if octet_length(v_text) = length(v_text) or length(v_text) > 400000 then
    return v_text;   -- an ASCII text is already in NFC, and another check rejects a text that is too long
  end if;
  return case when v_text is nfc normalized then v_text else normalize(v_text, nfc) end;
end $$;
comment on function private.require_text is
  'The form in which a text is stored: trimmed and in NFC, unless it is longer than any text may be. An empty text '
  'remains empty and null remains null, because another rule says whether a text is required.';

create function private.require_markdown(p_text text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if private.trimmed(p_text) = '' then
    return '';
  end if;
  perform private.check_text(p_text);
  return replace(replace(p_text, e'\r\n', e'\n'), e'\r', e'\n');
end $$;
comment on function private.require_markdown is
  'The form in which Markdown is stored: unchanged except for line ends, which become line feeds. Blanks and tabs '
  'stay, because they have a meaning in Markdown. A text of blanks becomes empty, as in private.require_text.';

create function private.require_name(p_text text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text := private.trimmed(p_text);
begin
  -- null needs no check, nor does a text of more than 4000 characters: the check of its column rejects it, because no
  -- name or title can exceed 1000 characters
  if v_text is null or length(v_text) > 4000 then
    return v_text;
  end if;
  v_text := private.require_text(v_text);
  if v_text ~ '[\t\r\n\u2028\u2029]' then
    perform private.raise_error('text_unfit');
  end if;
  return v_text;
end $$;
comment on function private.require_name is 'Does the same as private.require_text, for a name or a title, which '
  'must be one line.';

create function private.swap_punctuation(p_text text, p_back boolean) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_signs  constant text := e'\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a\u2013\u2014\u2015\u2026'
    '\u00b7\u2022\u00a1\u00bf\u060c\u061f\u061b\u3001\u3002';
  v_instead constant text := e'\u0001\u0006\u0007\u0008\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017'
    '\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f\u007f';
begin
  return case when p_back then translate(p_text, v_instead, v_signs) else translate(p_text, v_signs, v_instead) end;
end $$;
comment on function private.swap_punctuation is
  'Replaces quotes, dashes and other punctuation beyond ASCII by characters that no text contains, or back.';

create function private.parsable(p_text text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return translate(case when octet_length(p_text) = length(p_text) then p_text
                        else private.swap_punctuation(coalesce(p_text, ''), false) end,
                   e'<>\u00a0\u202f\u2010\u2011', e'\u0004\u0005  --');
end $$;
comment on function private.parsable is
  'A text in which the parser finds every word. It skips everything that looks like a tag, and in a database whose '
  'ctype is C it takes all characters beyond ASCII for letters, also typographic quotes. So < and > and the '
  'usual punctuation beyond ASCII is replaced by characters that no text contains, and such spaces and hyphens by '
  'those of ASCII. Each is replaced by one character.';
