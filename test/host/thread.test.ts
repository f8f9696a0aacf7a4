import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { inThread } from '../../src/host/thread.ts';

const never = new AbortController().signal;

test.each([
  ['fails', 'throw new Error("out of memory")'],
  ['ends', 'process.exit(0)'],
])(
  'a thread that %s after its answer ends no command, and the next job gets another thread',
  async (_, end) => {
    const code = `const { parentPort, threadId } = require('node:worker_threads');
    parentPort.on('message', job => {
      if (job === 'end') ${end};
      parentPort.postMessage([job, threadId]);
    });`;
    const run = (job: string) => inThread({ code, data: undefined }, job, 10 * 60_000, never);
    const made = new Promise<Worker>(done => process.once('worker', done));
    const [first, firstThread] = (await run('A')) as [string, number];
    const thread = await made;
    const ended = new Promise(done => thread.once('exit', done));
    thread.postMessage('end');
    await ended;
    const [second, secondThread] = (await run('B')) as [string, number];
    expect([first, second]).toEqual(['A', 'B']);
    expect(secondThread).not.toBe(firstThread);
  },
);
