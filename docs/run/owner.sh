#!/bin/sh
# Creates the role that owns Kith's schema, when the database of compose.yaml is created. It has its own password, and is
# no superuser.
set -eu
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=password="$OWNER_PASSWORD" <<'SQL'
create role postgres login createdb createrole replication bypassrls password :'password';
SQL
