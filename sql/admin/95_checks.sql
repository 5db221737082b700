-- The last of the schema: every check above raises its code.
-- docs/decisions.md, Errors.

call private.make_checks_raise_codes();
