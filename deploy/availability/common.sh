# shellcheck shell=sh
# What the scripts of this folder share. They run as the account of PostgreSQL, on the machine of one
# of two servers, and read their settings from a file: availability.env.example explains them.

set -eu

# $me is the name of the script.
fail() {
  echo "$me: $*" >&2
  exit 1
}

say() {
  echo "$me: $*"
}

settings=${AVAILABILITY_ENV:-/etc/passerelle/availability.env}
[ -r "$settings" ] || fail "$settings cannot be read: see availability.env.example"
# shellcheck source=availability.env.example
. "$settings"

for name in PGBIN PGDATA PGSOCKET PGPORT SELF PEER PEER_HOST PEER_PORT REPLICATOR; do
  eval "[ -n \"\${$name:-}\" ]" || fail "$settings has no $name"
done
case "$SELF$PEER" in
*[!a-z0-9_]*) fail "SELF and PEER must be names of a-z, 0-9 and _: they name replication slots" ;;
esac
[ "$SELF" != "$PEER" ] || fail "SELF and PEER must differ"
[ "$(id -u)" != 0 ] || fail "run this as the account of PostgreSQL, not as root"

peer="host=$PEER_HOST port=$PEER_PORT user=$REPLICATOR ${PEER_OPTIONS:-}"
PGCONNECT_TIMEOUT=5
export PGCONNECT_TIMEOUT

# Runs one statement on this server, or on the other one, and prints its rows.
here() {
  "$PGBIN/psql" -XAtq -v ON_ERROR_STOP=1 -U "${SUPERUSER:-postgres}" \
    -h "$PGSOCKET" -p "$PGPORT" -d postgres -c "$1"
}
there() {
  "$PGBIN/psql" -XAtq -v ON_ERROR_STOP=1 -d "$peer dbname=postgres" -c "$1"
}

# primary, standby or nothing: what a server says that it is.
role_here() {
  here "select case when pg_is_in_recovery() then 'standby' else 'primary' end" 2>/dev/null || true
}
role_there() {
  there "select case when pg_is_in_recovery() then 'standby' else 'primary' end" 2>/dev/null || true
}

is_running() {
  "$PGBIN/pg_ctl" -D "$PGDATA" status >/dev/null 2>&1
}

start_server() {
  if [ -n "${START_SERVER:-}" ]; then
    sh -c "$START_SERVER"
  else
    "$PGBIN/pg_ctl" -D "$PGDATA" -l "$PGDATA/../postgresql.log" -w -t 120 start >/dev/null
  fi
}

# Ends every process of this server, at once. Sessions can outlive a postmaster that was killed.
stop_server() {
  if is_running; then "$PGBIN/pg_ctl" -D "$PGDATA" -m immediate -w -t 2 stop >/dev/null 2>&1 || true; fi
  data=$(cd "$PGDATA" && pwd -P)
  tries=0
  while left=$(processes_in "$data") && [ -n "$left" ]; do
    tries=$((tries + 1))
    [ "$tries" -le 100 ] || fail "processes of $PGDATA do not end: $left"
    # shellcheck disable=SC2086
    kill -KILL $left 2>/dev/null || true
    sleep 0.1
  done
}

# Every process of a PostgreSQL works in its data folder.
processes_in() {
  ls -ld /proc/[0-9]*/cwd 2>/dev/null | awk -v end=" -> $1" '
    substr($0, length($0) - length(end) + 1) == end && match($0, "/proc/[0-9]+/cwd") {
      print substr($0, RSTART + 6, RLENGTH - 10)
    }'
}

# The settings of a standby of the other server; the last line of a name counts.
write_standby_settings() {
  {
    echo "cluster_name = '$SELF'"
    echo "primary_conninfo = '$peer application_name=$SELF'"
    echo "primary_slot_name = '$SELF'"
    echo "synchronous_standby_names = ''"
    echo "recovery_target_timeline = 'latest'"
  } >>"$PGDATA/postgresql.auto.conf"
  touch "$PGDATA/standby.signal"
}

# A slot at the other server, so that it keeps what this one does not have yet.
make_slot_there() {
  there "select pg_drop_replication_slot(slot_name) from pg_replication_slots
    where slot_name = '$SELF' and not active" >/dev/null
  there "select pg_create_physical_replication_slot('$SELF', true)" >/dev/null
}

# Waits until a statement on this server prints what is expected, for so many seconds.
becomes() {
  end=$(($(date +%s) + $3))
  until [ "$(here "$1" 2>/dev/null || true)" = "$2" ]; do
    [ "$(date +%s)" -lt "$end" ] || return 1
    sleep 0.2
  done
}
wait_here() {
  becomes "$1" "$2" 60 || fail "$3"
}
is_streaming="select count(*) from pg_stat_wal_receiver where status = 'streaming'"
