#!/bin/sh
# Prepares the database `campanile` the way the private cluster does: `campanile_owner` owns the schema and migrates it,
# `campanile` is the server's role and owns nothing. Run it once, as a superuser, in an existing empty database; libpq's
# variables (PGHOST, PGUSER …) say where. The image postgis/postgis runs it by itself (docker-compose.yml).
set -eu
: "${CAMPANILE_OWNER_PASSWORD:?set CAMPANILE_OWNER_PASSWORD}"
: "${CAMPANILE_APPLICATION_PASSWORD:?set CAMPANILE_APPLICATION_PASSWORD}"

# The passwords go in by \getenv: arguments are seen by every user of the machine.
psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 \
    --username "${POSTGRES_USER:-${PGUSER:-postgres}}" --dbname "${POSTGRES_DB:-${PGDATABASE:-campanile}}" <<'SQL'
\getenv owner_password CAMPANILE_OWNER_PASSWORD
\getenv application_password CAMPANILE_APPLICATION_PASSWORD
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
BEGIN;
CREATE ROLE campanile_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE campanile LOGIN PASSWORD :'application_password';
SELECT current_database() AS database \gset
ALTER DATABASE :"database" OWNER TO campanile_owner;
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO campanile;
ALTER SCHEMA public OWNER TO campanile_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO campanile;
CREATE EXTENSION IF NOT EXISTS postgis;
COMMIT;
SQL
