#!/usr/bin/env bash
# The main job on the built-in `demo` profile: quote, ship, label, track, as a person would type it.
set -euo pipefail

waybill="${WAYBILL_BIN:-node $(cd "$(dirname "$0")/.." && pwd)/bin/waybill.js}"
order="$(cd "$(dirname "$0")/.." && pwd)/fixtures/orders/shirt-no-carrier.json"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Its own folders, so that none of your files is read or changed.
export WAYBILL_CONFIG_DIR="$folder/config" WAYBILL_STATE_DIR="$folder/state" WAYBILL_PROFILE=demo
unset WAYBILL_BASE_URL WAYBILL_SANDBOX_BASE_URL WAYBILL_TOKEN WAYBILL_SANDBOX WAYBILL_OUTPUT
cp "$order" "$folder/order.json"
cd "$folder"

run() {
  printf '\n$ waybill %s\n' "$*"
  $waybill "$@"
}

run quote --from TR --to DE --package 2x1.5kg@30x20x10cm
run ship -f order.json --carrier fastest --max-price 60EUR --key ORDER-1001
run label --key ORDER-1001 --download labels
run track --key ORDER-1001
run history list
printf '\nAll of this was played by the built-in emulator. Next: waybill --help\n'
