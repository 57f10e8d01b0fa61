#!/bin/sh
# Run once by the image of PostgreSQL, on a new volume. The gateway's login owns its database. It is
# no superuser and creates no roles: the application's is made here.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 \
  --set=password="$(cat /run/secrets/database-password)" << 'SQL'
create role passerelle_app nologin;
create role passerelle login password :'password';
grant passerelle_app to passerelle;
create database passerelle owner passerelle;
SQL
