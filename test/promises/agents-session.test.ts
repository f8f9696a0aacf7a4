// A session of `waybill mcp` as frames on stdin and stdout: what a person said, how it ends, and what agents read.
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GENERATIONS } from '../rig/agent.ts';
import { createRig } from '../rig/command.ts';
import {
  bareEnvironment,
  builtCommand,
  commandsOf,
  createWorld,
  QUOTE,
  start,
  type World,
} from '../rig/process.ts';
import { bareRig, temporaryFolder } from '../rig/profile.ts';
import { event } from '../rig/sockets.ts';
import { each, promises } from './promise.ts';

const request = JSON.parse(readFileSync('fixtures/orders/shirt-no-carrier.json', 'utf8'));
const ORDER = { key: 'A-1', request, carrier: 'EXP' };
const [EARLIER, LATER] = GENERATIONS;

interface Frame {
  id?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is looked into, whatever it is.
  [field: string]: any;
}

const textOf = (frames: readonly Frame[]) =>
  frames.map(frame => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join('');
const hello = (capabilities: object = {}): Frame[] => [
  {
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: EARLIER, capabilities, clientInfo: { name: 'agent', version: '1' } },
  },
  { method: 'notifications/initialized' },
];
const call = (id: unknown, name: string, args: object, more: object = {}): Frame => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...more },
});

/** What is answered to these frames, by their ids. */
async function answersTo(frames: readonly Frame[]) {
  const { run } = await createRig();
  const { stdout, exitCode, requests } = await run('mcp', { stdin: textOf(frames) });
  const came: Frame[] = stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
  return { exitCode, requests, answer: (id: unknown) => came.find(frame => frame.id === id) };
}

describe('On stdout', () => {
  test('there are frames of the protocol and nothing else', async () => {
    const { exitCode, answer } = await answersTo([...hello(), call(1, 'order_schema', {})]);
    expect(exitCode).toBe(0);
    expect(answer('hello')?.result.serverInfo).toMatchObject({ name: 'waybill' });
    expect(answer(1)?.result.structuredContent).toMatchObject({ operation: 'ship' });
  });

  test('a failure is text, marked as an error, without structured content', async () => {
    const { answer } = await answersTo([...hello(), call(1, 'track', { refs: ['gone'] })]);
    const { isError, content, ...rest } = answer(1)?.result ?? {};
    expect(isError).toBe(true);
    expect(rest).not.toHaveProperty('structuredContent');
    expect(JSON.parse(content[0].text).error).toMatchObject({
      ...{ code: 'not_found', exitCode: 4, created: false, next: [] },
    });
  });

  test('a tool that there is not is an error of the protocol', async () => {
    const { answer } = await answersTo([...hello(), call(1, 'resolve', { ref: 'A-1' })]);
    expect(answer(1)?.error).toMatchObject({ code: -32602 });
  });
});

promises('waybill mcp', [
  { says: 'needs a service', rig: bareRig, run: 'mcp', exit: 3, stdout: /^$/, stderr: '--profile demo' },
  { says: 'ends with its input', run: 'mcp', stdin: textOf(hello()) },
  ...each({ says: 'refuses what it does not know', exit: 2, stdout: /^$/ }, [
    'mcp --prodction',
    'mcp --concurrency 0',
    'mcp serve',
  ]),
]);

promises('waybill help agents', [
  {
    says: 'says in under 600 words how to use the command by shell: exit codes, keys, plans, limits and what never to do',
    rig: bareRig,
    run: 'help agents',
    stdout: [/exit codes/i, /keys/i, /plans/i, /limits/i, /never/i, '--plan', '--key', 'waybill mcp'],
    also: ({ stdout }) => expect(stdout.split(/\s+/).filter(Boolean).length).toBeLessThan(600),
  },
  {
    says: 'is the page of the documents',
    rig: bareRig,
    run: 'help agents',
    also: ({ stdout }) => {
      const shown = stdout.replace(/\s+/g, ' ');
      const page = readFileSync('docs/agents.md', 'utf8').replaceAll('`', '');
      const rows = [...page.matchAll(/^\| ([\d, ]+) \| (.*) \|$/gm)];
      expect(rows.length).toBeGreaterThan(5);
      for (const [, codes, what] of rows) expect(shown.replaceAll('`', '')).toContain(`${codes} ${what}`);
    },
  },
]);

const command = builtCommand();
const { waybill } = commandsOf(command);

const bookedIn = ({ seen }: World): number =>
  seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/v1/shipments')).length;

/** The built command, with frames written by hand. */
async function session(argv = 'mcp', options: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld(options);
  const { child, ended } = waybill(world, argv, { stdin: { open: true } });
  const came: Frame[] = [];
  let text = '';
  let next = () => {};
  child.stdout.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    came.push(...lines.map(line => JSON.parse(line)));
    next();
  });
  const write = (...frames: Frame[]) => void child.stdin.write(textOf(frames));
  /** The result of the call with this id. */
  const answerTo = async (call: unknown): Promise<Frame> => {
    for (;;) {
      const found = came.find(({ id, method }) => id === call && method === undefined);
      if (found) return found.result;
      await new Promise<void>(done => {
        next = done;
      });
    }
  };
  return {
    ...{ world, child, ended, came, write, answerTo },
    ask: (frame: Frame): Promise<Frame> => {
      write(frame);
      return answerTo(frame.id);
    },
    history: async (): Promise<{ key: string; state: string }[]> =>
      JSON.parse((await waybill(world, 'history list --json').ended).stdout),
  };
}

describe('What is being sent', () => {
  test.each([
    ['the end of the input', 0],
    ['SIGTERM', 143],
  ] as const)(
    'is waited for and recorded at %s, is all that is booked, and the command ends with %i',
    async (how, code) => {
      const [sending, send] = event();
      const [answering, answer] = event();
      let requests = 0;
      // The first two ask for prices.
      const sleep = async () => {
        requests += 1;
        if (requests <= 2) return;
        send();
        await answering;
      };
      const { child, ended, write, answerTo, history, came, world } = await session('mcp --concurrency 1', {
        latency: 1,
        sleep,
      });
      write(...hello(), ...[1, 2, 3].map(id => call(id, 'ship', { ...ORDER, key: `A-${id}` })));
      await sending;
      if (how === 'the end of the input') child.stdin.end();
      else child.kill(how);
      // What waits in line is refused as soon as the command knows of the end.
      for (const id of [2, 3]) expect(await answerTo(id)).toMatchObject({ isError: true });
      answer();
      expect((await ended).code).toBe(code);
      expect(came.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { state: 'created' } } });
      expect(bookedIn(world)).toBe(1);
      expect(await history()).toMatchObject([{ key: 'A-1', state: 'created' }]);
    },
  );
});

describe('What a person said', () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': LATER,
    'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const inputResponses = { book: { action: 'accept', content: {} } };
  const asking = (id: number, args: object, more: object = {}) => call(id, 'ship', args, { _meta, ...more });
  const errorIn = ({ isError, content }: Frame) => isError && JSON.parse(content[0].text).error;

  test('holds for the arguments of that call', async () => {
    const { ask, world } = await session();
    const { requestState } = await ask(asking(1, ORDER));
    expect(requestState).toEqual(expect.any(String));
    const answered = await ask(asking(2, ORDER, { requestState, inputResponses }));
    expect(answered.structuredContent).toMatchObject({ key: 'A-1', state: 'created', sent: true });
    expect(bookedIn(world)).toBe(1);
  });

  test('does not hold for a call with another key, carrier, bound, receiver or a label', async () => {
    const { ask, world } = await session();
    let id = 0;
    for (const args of [
      { ...ORDER, key: 'B-1' },
      { ...ORDER, carrier: 'ECO' },
      { ...ORDER, maxPrice: '900EUR' },
      { ...ORDER, label: true },
      { ...ORDER, request: { ...request, receiver: { ...request.receiver, firstName: 'Eva' } } },
    ]) {
      id += 2;
      const { requestState } = await ask(asking(id, ORDER));
      const answered = await ask(asking(id + 1, args, { requestState, inputResponses }));
      expect([args, errorIn(answered)]).toMatchObject([args, { code: 'usage', created: false }]);
    }
    expect(bookedIn(world)).toBe(0);
  });

  test('holds once', async () => {
    const { ask, world } = await session();
    const { requestState } = await ask(asking(1, ORDER));
    await ask(asking(2, { ...ORDER, key: 'B-1' }, { requestState, inputResponses }));
    const again = await ask(asking(3, ORDER, { requestState, inputResponses }));
    expect(errorIn(again)).toMatchObject({ code: 'usage', created: false });
    expect(bookedIn(world)).toBe(0);
  });

  test('is no state that was never asked about, no yes without a state, and no hash of a plan', async () => {
    const { ask, world } = await session();
    const { hash } = (await ask(call(1, 'plan', ORDER, { _meta }))).structuredContent;
    for (const [id, args, more] of [
      [2, ORDER, { requestState: 'x', inputResponses }],
      [3, ORDER, { inputResponses }],
      [4, { plan: hash }, { requestState: hash, inputResponses }],
    ] as const)
      expect(errorIn(await ask(asking(id, args, more)))).toMatchObject({ code: 'usage', created: false });
    expect(bookedIn(world)).toBe(0);
  });
});

test('the protocol is loaded by this command alone: without its code every other command runs', async () => {
  const folder = temporaryFolder();
  const root = join(command(), '../..');
  for (const part of ['bin', 'dist']) cpSync(join(root, part), join(folder, part), { recursive: true });
  const code = readdirSync(join(folder, 'dist')).filter(
    name =>
      name.endsWith('.cjs') &&
      readFileSync(join(folder, 'dist', name), 'utf8').includes('elicitation/create'),
  );
  expect(code).not.toEqual([]);
  for (const name of code) rmSync(join(folder, 'dist', name));
  const { XDG_CACHE_HOME: _, ...env } = bareEnvironment(folder);
  const run = (argv: string) =>
    start(process.execPath, [join(folder, 'bin/waybill.js'), ...argv.split(' ')], { env, cwd: folder }).ended;
  expect(await run(`${QUOTE} --profile demo --cheapest -q`)).toMatchObject({ code: 0, stdout: 'ECO\n' });
  for (const argv of ['history list', 'help mcp']) expect(await run(argv)).toMatchObject({ code: 0 });
});
