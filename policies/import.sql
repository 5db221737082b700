-- Who may see and change imports. This file belongs to sql/import/.

-- import_sections: a registry, only for definer functions
alter table private.import_sections enable row level security;

-- imports, import_rows, imported: only for definer functions
alter table app.imports enable row level security;
alter table private.import_rows enable row level security;
alter table private.imported enable row level security;

-- helpers
grant execute on function
  private.begin_import,
  private.find_import,
  private.list_import_sections
  to authenticated;

-- operations
grant execute on function
  api.begin_import,
  api.get_import
  to authenticated;

-- for the facade, which reads the file and checks its signature
grant execute on function
  api.add_import_rows,
  api.cancel_import,
  api.finish_import
  to gate;

-- functions that the worker calls
grant execute on function private.import_batch to worker;
