import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inThread } from '../../src/host/thread.ts';

const never = new AbortController().signal;
const THREAD = { code: '', data: undefined };

test.each([
  ['fails', 'throw new Error("out of memory")'],
  ['ends', 'process.exit(0)'],
])(
  'a thread that %s after its answer ends no command, and the next job gets another thread',
  async (_, end) => {
    const code = `const { parentPort, threadId } = require('node:worker_threads');
    parentPort.on('message', job => { parentPort.postMessage([job, threadId]); setTimeout(() => { ${end} }, 20); });`;
    const [first, firstThread] = (await inThread({ ...THREAD, code }, 'A', 1000, never)) as [string, number];
    await after(200);
    const [second, secondThread] = (await inThread({ ...THREAD, code }, 'B', 1000, never)) as [
      string,
      number,
    ];
    expect([first, second]).toEqual(['A', 'B']);
    expect(secondThread).not.toBe(firstThread);
  },
);
