# The folder in which the steps leave what the next one reads, and the command: the one that is given, or this version.
set -euo pipefail
if [ -z "$COMMAND" ]; then
  COMMAND=$GITHUB_ACTION_PATH/bin/waybill.js
  # A second use in the same job finds it built.
  [ -f "$GITHUB_ACTION_PATH/dist/start.cjs" ] || (cd "$GITHUB_ACTION_PATH" && npm ci --no-audit --no-fund)
fi
{
  echo "command=$COMMAND"
  echo "folder=$(mktemp -d "$RUNNER_TEMP/waybill-XXXXXX")"
} >> "$GITHUB_OUTPUT"
