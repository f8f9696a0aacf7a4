// The commands that are held against each other, and the world in which they run.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startEmulator } from '../../src/emulator/server.ts';
import { inThread } from '../../src/host/thread.ts';
import type { Host } from '../../src/host.ts';
import { SECRET } from '../rig/oracles.ts';
import type { SharedPlace } from '../rig/postgres.ts';
import { DUAL, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { recorded, type Sent } from '../rig/traffic.ts';
import { randomFrom } from './size.ts';
import type { Process, Product, Weave } from './weave.ts';
import { type Fault, type Made, startFaulty } from './weave-service.ts';

export interface World {
  folder: string;
  env: Record<string, string>;
  shared: SharedPlace | undefined;
  made: Made[];
  /** What the service does with each next request that creates something. */
  faults: Fault[];
  /** The content of each file that was printed. */
  printed: string[];
  close(): Promise<void>;
}

/** EXP takes 52.90 EUR for the order of these tests: a day of this limit has room for one of them more than was booked before. */
export const PRICE = 52.9;

export async function openWorld(
  weave: Weave,
  shared: SharedPlace | undefined,
  limit: number | undefined,
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  const emulator = await startEmulator({
    tokens: new Map([[SECRET, 'all']]),
    now: () => weave.time + weave.ahead,
  });
  const service = await startFaulty(emulator.address, () => weave.trace.length);
  const world: World = {
    ...{ folder, shared, made: service.made, faults: service.faults, printed: [] },
    env: {
      WAYBILL_CONFIG_DIR: join(folder, 'config'),
      WAYBILL_STATE_DIR: join(folder, 'state'),
      WAYBILL_ECONOMY_CARRIERS: 'ECO',
    },
    async close() {
      await service.close();
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const profile = {
    baseUrl: service.address,
    credentials: { kind: 'token', token: SECRET },
    ...(shared && { journal: shared.address }),
    ...(limit !== undefined && { policy: { maxPerDay: `${limit}EUR` } }),
  };
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  writeFileSync(
    join(folder, 'config/config.json'),
    JSON.stringify({ profiles: { shop: profile }, current: 'shop' }),
    {
      mode: 0o600,
    },
  );
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return world;
}

const named = (order: Record<string, unknown>, firstName: string): Record<string, unknown> => ({
  ...order,
  receiver: { ...(order.receiver as object), firstName },
});
const records = (...list: object[]) => list.map(one => `${JSON.stringify(one)}\n`).join('');

const FILES: Record<string, string> = {
  'order.json': JSON.stringify(named(SHIPMENT, 'Ada')),
  'undecided.json': JSON.stringify(named(UNDECIDED, 'Ada')),
  'pair.json': JSON.stringify(named(DUAL, 'Ada')),
  'dora.json': JSON.stringify(named(SHIPMENT, 'Dora')),
  'pia.json': JSON.stringify(named(DUAL, 'Pia')),
  'eve.json': JSON.stringify(named(SHIPMENT, 'Eve')),
  'uma.json': JSON.stringify(named(SHIPMENT, 'Uma')),
  'ira.jsonl': records({ key: 'I', ...named(SHIPMENT, 'Ira') }),
  'orders.jsonl': records({ key: 'A', ...named(SHIPMENT, 'Ada') }, { key: 'D', ...named(SHIPMENT, 'Dora') }),
  // Its second record is invalid, so that --failed has something to write.
  'other.jsonl': records(
    { key: 'A', ...named(SHIPMENT, 'Ada') },
    { key: 'F', ...named(SHIPMENT, 'Fay'), packages: [] },
  ),
  'labels.jsonl': records({ key: 'D' }, { key: 'E' }),
  'invoice.csv': 'Reference;Amount;Currency\nD;52,90;EUR\n',
};

/** What was there before: `D` is booked, `E` is booked and labelled, nobody knows whether `U` exists. */
export const BEFORE = {
  D: { argv: ['ship -f dora.json --key D'], books: 1 },
  E: { argv: ['ship -f eve.json --key E --label'], books: 1 },
  P: { argv: ['ship-dual -f pia.json --key P'], books: 1 },
  U: { argv: ['ship -f uma.json --key U'], books: 1, fault: 'lost' },
  plan: { argv: ['ship -f undecided.json --carrier EXP --plan plan.json'], books: 0 },
  // A second later: the hash of a plan is of its time, too.
  plan2: { argv: ['ship -f undecided.json --carrier EXP --plan plan2.json'], books: 0 },
  planA: { argv: ['ship -f undecided.json --carrier EXP --key A --plan planA.json'], books: 0 },
  I: { argv: ['batch ship ira.jsonl'], books: 0, elsewhere: true },
} as const satisfies Record<string, { argv: string[]; books: number; fault?: Fault; elsewhere?: true }>;
export type Need = keyof typeof BEFORE;

export interface Actor {
  argv: string;
  needs?: readonly Need[];
  /** It may book something. */
  books?: boolean;
  /** It refuses the same order under another key. */
  isStrict?: boolean;
  /** What an agent asks for. */
  agent?: { tool: string; args: object };
  /** Keys of orders that have all their labels if it ends with 0. */
  labels?: readonly string[];
  /** What a person does when a process is stopped, to its booking. */
  isSaidLater?: boolean;
  /** Only the journal of this machine has it. */
  isLocal?: boolean;
}

const SETTLE = '--reason told --yes';

export const ACTORS: Readonly<Record<string, Actor>> = {
  ship: { argv: 'ship -f order.json', books: true },
  'ship undecided': { argv: 'ship -f undecided.json --carrier EXP', books: true },
  'ship --key': { argv: 'ship -f order.json --key A', books: true },
  'ship --key --label': { argv: 'ship -f order.json --key A --label --print', books: true, labels: ['A'] },
  'ship --strict': { argv: 'ship -f order.json --key B --strict', books: true, isStrict: true },
  'ship a plan': { argv: 'ship -f plan.json', needs: ['plan'], books: true },
  'ship another plan': { argv: 'ship -f plan2.json', needs: ['plan2'], books: true },
  'ship a plan with a key': { argv: 'ship -f planA.json', needs: ['planA'], books: true },
  'ship --plan': { argv: 'ship -f undecided.json --carrier EXP --key A --plan new.json' },
  'ship-dual': { argv: 'ship-dual -f pair.json --key A', books: true },
  'ship-dual --label': {
    argv: 'ship-dual -f pair.json --key Q --strict --label',
    books: true,
    isStrict: true,
    labels: ['Q'],
  },
  'batch ship': { argv: 'batch ship orders.jsonl --concurrency 2', books: true },
  'batch ship --label': {
    argv: 'batch ship orders.jsonl --label --print --results own.jsonl',
    books: true,
    labels: ['A', 'D'],
  },
  'batch ship --failed': {
    argv: 'batch ship other.jsonl --skip-invalid --failed failed.jsonl',
    books: true,
  },
  'batch label': { argv: 'batch label labels.jsonl --print', needs: ['D', 'E'], labels: ['D', 'E'] },
  label: { argv: 'label D E', needs: ['D', 'E'], labels: ['D', 'E'] },
  'label of a pair': { argv: 'label P D', needs: ['D', 'P'], labels: ['P', 'D'] },
  'label --print': { argv: 'label E D --print', needs: ['D', 'E'], labels: ['D', 'E'] },
  'label --unprinted': { argv: 'label --unprinted --print', needs: ['E'] },
  'label --merge': { argv: 'label E --merge merged.pdf', needs: ['E'] },
  'track --active': { argv: 'track --active', needs: ['D', 'E'] },
  'resolve --not-created': { argv: `history resolve U --not-created --force ${SETTLE}`, needs: ['U'] },
  'say not created': { argv: `history resolve STOPPED --not-created --force ${SETTLE}`, isSaidLater: true },
  'say created': { argv: `history resolve STOPPED --created 101 --unchecked ${SETTLE}`, isSaidLater: true },
  'take it back': { argv: `history resolve STOPPED --reopen ${SETTLE}`, isSaidLater: true },
  'forget it': { argv: 'history prune STOPPED --yes', isSaidLater: true },
  'resolve --same-as': { argv: `history resolve U --same-as D ${SETTLE}`, needs: ['U', 'D'] },
  'resolve --reopen': { argv: `history resolve U --reopen ${SETTLE}`, needs: ['U'] },
  'ship U': { argv: 'ship -f uma.json --key U', needs: ['U'], books: true },
  cancelled: { argv: `history cancelled D ${SETTLE}`, needs: ['D'] },
  accept: { argv: `history accept A ${SETTLE}` },
  handover: { argv: 'history handover --yes', needs: ['E'] },
  'handover --undo': { argv: 'history handover --undo 1', needs: ['E'] },
  export: { argv: 'history export --for csv --yes', needs: ['E'] },
  reconcile: { argv: 'history reconcile invoice.csv', needs: ['D'] },
  import: { argv: 'history import ira.results.jsonl --done none', needs: ['I'] },
  'ship I': { argv: 'ship -f order.json --key I', needs: ['I'], books: true },
  prune: { argv: 'history prune A D E --yes', needs: ['D', 'E'] },
  'prune --older-than': { argv: 'history prune --older-than 0d --yes', needs: ['D', 'E'] },
  'check --restored': { argv: 'history check --restored --reason test', needs: ['D'] },
  backup: { argv: 'history backup copy.db', needs: ['D'], isLocal: true },
  'profile set': { argv: 'profile set shop policy.requireKey=false' },
  agent: {
    argv: 'mcp',
    books: true,
    agent: { tool: 'ship', args: { key: 'A', request: JSON.parse(FILES['order.json'] ?? '') } },
  },
};

/** What a command did. */
export interface Did {
  actor: string;
  process: Process;
  words: string[];
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
  sent: Sent[];
  folder: string;
  /** It has a journal of its own. */
  isElsewhere: boolean;
  env: Record<string, string>;
}

const JSON_LINES = ['--json'];

/** The command line of an actor. Its result is JSON, but for the files of a printer. */
export const wordsOf = ({ argv }: Pick<Actor, 'argv'>, stopped = ''): string[] => [
  ...argv.split(' ').map(word => (word === 'STOPPED' ? stopped : word)),
  ...(argv === 'mcp' ? [] : JSON_LINES),
];

/** Runs one command in the world. `weave`: its steps are held there. */
export async function runIn(
  { main }: Product,
  world: World,
  weave: Weave,
  process: Process,
  {
    actor,
    words,
    env = {},
    isHeld,
  }: { actor: string; words: string[]; env?: Record<string, string>; isHeld: boolean },
): Promise<Did> {
  const did: Did = {
    actor,
    process,
    words,
    exitCode: undefined,
    stdout: '',
    stderr: '',
    sent: [],
    folder: world.folder,
    isElsewhere: 'WAYBILL_STATE_DIR' in env,
    env: {},
  };
  did.env = { ...world.env, WAYBILL_ACTOR: actor, ...env };
  const step = <T>(name: string, work: () => Promise<T>) =>
    isHeld ? weave.step(process, name, work) : work();
  const agent = ACTORS[actor]?.agent;
  let answered = () => {};
  const answer = new Promise<void>(resolve => {
    answered = resolve;
  });
  async function* chunks() {
    if (!agent) return;
    const { tool: name, args } = agent;
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'agent', version: '1' },
    };
    yield Buffer.from(
      records(
        { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: args } },
      ),
    );
    await answer;
  }
  const host: Host = {
    ...{ env: did.env, cwd: world.folder, home: world.folder, temporary: world.folder, platform: 'linux' },
    runtime: { node: '20.0.0', arch: 'x64', started: '' },
    stdin: { isTerminal: false, read: async () => new Uint8Array(), chunks },
    stdout: {
      isTerminal: false,
      columns: undefined,
      write: text =>
        step('show', async () => {
          did.stdout += text;
          if (/"id":2[,}]/.test(text)) answered();
        }),
    },
    stderr: {
      isTerminal: false,
      columns: undefined,
      write: async text => {
        did.stderr += text;
      },
    },
    now: () => weave.time + weave.ahead,
    monotonic: () => weave.time,
    sleep: (ms, signal) =>
      step('sleep', async () => {
        signal?.throwIfAborted();
        await weave.pass(ms);
      }),
    turn: () => new Promise(resolve => setImmediate(resolve)),
    deadline: (ms, late) => {
      if (isHeld) return weave.deadline(process, ms, late);
      if (ms < 1000) setImmediate(late);
      return () => {};
    },
    fileSystem: () => undefined,
    ...(globalThis.process.getuid && { user: globalThis.process.getuid() }),
    process: {
      host: 'test',
      id: process.id,
      exists: id =>
        weave.processes.some(one => one.id === id && (one.state === 'running' || one.state === 'stopped')),
    },
    // Each process names its unfinished files in its own way, as real ones do.
    random: randomFrom(process.id),
    interrupted: new AbortController().signal,
    ask: async question => {
      throw new Error(`a question: ${question.message}`);
    },
    run: (_, args) =>
      step('print', async () => {
        world.printed.push(readFileSync(args.at(-1) ?? '', 'latin1'));
        return 0;
      }),
    capture: async () => {
      throw new Error('a program');
    },
    inThread: (thread, job, ms) => inThread(thread, job, ms, new AbortController().signal),
  };
  did.exitCode = await recorded(did.sent, () => main(words, host));
  return did;
}
