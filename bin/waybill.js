#!/usr/bin/env node
const { main, processHost } = require('../dist/waybill.cjs');

// The exit code is set, never forced: process.exit() would cut what is still on its way into a pipe. Until there is one,
// an end is no success: a Ctrl-D at a question closes stdin, and nothing is left to wait for.
process.exitCode = 130;
main(process.argv.slice(2), processHost()).then(code => {
  process.exitCode = code;
});
