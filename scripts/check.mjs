// What `npm test` runs: formatting, lint, types and tests beside each other. Ends with 0 if all do. The output of the checks comes
// when each ends, because it is short; that of the tests as it comes.
import { spawn } from 'node:child_process';

const CHECKS = [['biome', 'check', '.'], ['knip'], ['tsc', '--noEmit']];

/** Gives the exit code. */
function run([program, ...args], stdio) {
  return new Promise(resolve => {
    // npm finds programs of the project in PATH.
    const child = spawn(program, args, { stdio, shell: process.platform === 'win32' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (output += data));
    child.on('error', error => resolve({ program, code: 1, output: `${error.message}\n` }));
    child.on('close', (code, signal) => resolve({ program, code: signal ? 1 : code, output }));
  });
}

const tests = run(['vitest', 'run'], 'inherit');
const checks = CHECKS.map(async check => {
  const { program, code, output } = await run(check, ['ignore', 'pipe', 'pipe']);
  if (code !== 0) process.stderr.write(`\n${program} ended with ${code}:\n${output}\n`);
  return { program, code };
});
const failed = (await Promise.all([tests, ...checks])).filter(({ code }) => code !== 0);
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.map(({ program }) => program).join(', ')}\n`);
  process.exitCode = 1;
}
