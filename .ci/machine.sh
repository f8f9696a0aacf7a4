# Sourced by .ci/run and .ci/torture: what their tests need on this machine, so that none is skipped.

postgres_here=postgres://127.0.0.1:5432/test
postgres_folder=

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif sudo -n true 2>/dev/null; then sudo "$@"
  else return 1
  fi
}

install_debian() {
  as_root env DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq update &&
    as_root env DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq install --yes --no-install-recommends "$@" >/dev/null
}

# A server does not run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

# The programs that tests use. No test is skipped for want of one: it fails (test/rig/needs.ts).
install_programs() {
  export WAYBILL_TEST_STRICT=1
  local program missing=()
  for program in zsh fish qpdf curl jq; do command -v "$program" >/dev/null || missing+=("$program"); done
  command -v zbarimg >/dev/null || missing+=(zbar-tools)
  command -v pdftoppm >/dev/null || missing+=(poppler-utils)
  # A library for tests with other clocks, in the folder of the machine's architecture.
  compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || missing+=(libfaketime)
  # Some tests start a server of their own.
  [ -n "$(postgres_programs)" ] || missing+=(postgresql)
  [ ${#missing[@]} -eq 0 ] || install_debian "${missing[@]}" || {
    echo "cannot be installed, and tests need them: ${missing[*]}" >&2
    return 1
  }
}

postgres_answers() {
  node -e '
    const { Client } = require("pg");
    const url = new URL(process.argv[1]);
    url.username ||= process.env.PGUSER ?? require("node:os").userInfo().username;
    const client = new Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
    client.connect().then(() => client.end()).catch(() => { process.exitCode = 1; });
  ' "$1"
}

postgres_programs() {
  ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1
}

# A PostgreSQL for the tests: a running one is used. Otherwise a server is started on its own port, which `stop_postgres`
# ends. Sets WAYBILL_TEST_POSTGRES. With `WAYBILL_TEST_POSTGRES=none` no server on this machine is used.
start_postgres() {
  case "${WAYBILL_TEST_POSTGRES:-}" in
    none) ;;
    ?*) return ;;
    *)
      if postgres_answers "$postgres_here"; then
        export WAYBILL_TEST_POSTGRES=$postgres_here
        return
      fi
      ;;
  esac
  local bin port
  bin=$(postgres_programs)
  port=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  postgres_folder=$(mktemp -d)
  if [ "$(id -u)" = 0 ]; then chown postgres "$postgres_folder"; fi
  (
    # The user postgres may not be allowed to enter this folder.
    cd "$postgres_folder"
    as_postgres "$bin/initdb" --pgdata=data --username=waybill --auth=trust --encoding=UTF8 --locale=C --no-sync >/dev/null
    as_postgres "$bin/pg_ctl" --pgdata=data --log=log --wait --silent \
      --options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$postgres_folder" start ||
      { cat log >&2; exit 1; }
    "$bin/createdb" --host=127.0.0.1 --port="$port" --username=waybill test
  )
  export WAYBILL_TEST_POSTGRES=postgres://waybill@127.0.0.1:$port/test
}

stop_postgres() {
  [ -n "$postgres_folder" ] || return 0
  (cd "$postgres_folder" && as_postgres "$(postgres_programs)/pg_ctl" --pgdata=data --mode=immediate --silent stop) || true
  rm -rf "$postgres_folder"
}
