#!/bin/bash
# Makes the owner of the service's database, and the database. The image of PostgreSQL runs it once, where the volume is empty.
# `cubistd setup` makes the users of the roles: CREATEROLE is for that.
set -euo pipefail
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\set password `cat "${CUBIST_OWNER_PASSWORD_FILE:-/run/secrets/database_owner_password}"`
CREATE ROLE cubist LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE cubist OWNER cubist;
SQL
