-- Who may run the operations of staff: the service role alone, and each checks the caller's stored role itself.
-- Twin of sql/admin/.

grant execute on function private.make_invite_code, private.random_code to service_role;
grant execute on function api.generate_invite_codes to service_role;
