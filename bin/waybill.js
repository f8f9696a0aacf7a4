#!/usr/bin/env node
const { main, processHost } = require('../dist/waybill.cjs');

// The exit code is set, never forced: process.exit() would cut what is still on its way into a pipe.
main(process.argv.slice(2), processHost()).then(code => {
  process.exitCode = code;
});
