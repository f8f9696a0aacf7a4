# The folder in which the steps leave what the next one reads, and the command: the one that is given, or this version.
set -euo pipefail
# What builds the command needs no token of the service and no password of the journal.
without_secrets() (
  unset $(compgen -e | grep -E '^(WAYBILL_|PG)' || true)
  exec "$@"
)
if [ -z "$COMMAND" ]; then
  COMMAND=$GITHUB_ACTION_PATH/bin/waybill.js
  # A second use in the same job finds it built.
  if ! [ -f "$GITHUB_ACTION_PATH/dist/start.cjs" ]; then
    cd "$GITHUB_ACTION_PATH"
    without_secrets npm ci --ignore-scripts --no-audit --no-fund
    without_secrets npm run build
  fi
fi
{
  echo "command=$COMMAND"
  echo "folder=$(mktemp -d "$RUNNER_TEMP/waybill-XXXXXX")"
} >> "$GITHUB_OUTPUT"
