#!/usr/bin/env node
const { start, keep } = require('../dist/start.cjs');
const { main, processHost, closeInputs } = start();

// The exit code is set, never forced: process.exit() would cut what is still on its way into a pipe. Until there is one,
// an end is no success: a terminal that goes away at a question leaves nothing to wait for.
process.exitCode = 130;
main(process.argv.slice(2), processHost()).then(code => {
  process.exitCode = code;
  closeInputs();
  keep();
});
