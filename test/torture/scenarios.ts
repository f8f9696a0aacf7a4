// Scenarios: each runs a command on a stage of its own and gives the broken promises. The real command breaks none, a mutant
// does.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from '../rig/process.ts';
import { breaches, ending, sentTwice, shownBy, wrongCodes } from './breaches.ts';
import { history, onStage } from './stage.ts';
import { COPYING, type Step } from './steps.ts';
import type { Reply } from './witness.ts';

export interface Job {
  name: string;
  argv: readonly string[];
  stdin: string;
  /** The key by which the witness counts it. */
  key: string;
  /** The exit codes of another run while it is unknown, and when it is booked. */
  whileUnknown: 8 | 2;
  booked: 0 | 2;
  /** Does the service give it an id? */
  hasId: boolean;
  /** The options of `history resolve` for what the witness created. */
  created(id: string): string[];
}

/** An order whose key is the receiver's first name, so that the body has it. */
export function orderText(name: string, key: string): string {
  const order = JSON.parse(readFileSync(`fixtures/orders/${name}.json`, 'utf8'));
  return JSON.stringify({ ...order, receiver: { ...order.receiver, firstName: key } });
}

const KEYED = { whileUnknown: 8, booked: 0, hasId: true } as const;
const FLAGS = ['--json', '--retries', '1'];

/** `spelling`: the key of the command, if it is not that of the witness. */
export const ship = (key: string, spelling = key): Job => ({
  name: 'ship',
  argv: ['ship', '-f', '-', '--key', spelling, ...FLAGS],
  stdin: orderText('shirt', key),
  key,
  ...KEYED,
  created: id => ['--created', id],
});

export const shipDual = (key: string): Job => ({
  name: 'ship-dual --label',
  argv: ['ship-dual', '-f', '-', '--key', key, '--label', ...FLAGS],
  stdin: orderText('dual', key),
  key,
  ...KEYED,
  created: id => ['--created', id, '--domestic', `${id}-domestic`],
});

/** It has one attempt. */
export const shipOnce = (key: string): Job => ({
  ...ship(key),
  name: 'ship --retries 0',
  argv: ['ship', '-f', '-', '--key', key, '--json', '--retries', '0'],
});

/** Known again by its input: the journal finds its twin. */
export const shipWithoutKey = (key: string): Job => ({
  ...ship(key),
  name: 'ship without a key',
  argv: ['ship', '-f', '-', ...FLAGS],
  whileUnknown: 2,
  booked: 2,
});

/** Its key is the shipment, which another tool booked. */
export const label = (key: string): Job => ({
  name: 'label',
  argv: ['label', '--international', key, ...FLAGS],
  stdin: '',
  key,
  ...KEYED,
  hasId: false,
  created: () => ['--created', key],
});

/** One command with two bookings: the shipment and then its label, which is the one that is checked. */
export const shipAndLabel = (key: string): Job => {
  const { argv, stdin } = ship(key);
  const shipment = `S-${key}-1`;
  return { ...label(shipment), name: 'ship --label', argv: [...argv, '--label'], stdin };
};

export type Scenario = (command: string) => Promise<string[]>;

interface Killing {
  job?: (key: string) => Job;
  /** At which pass of the step: a second booking passes it again. */
  nth?: number;
  /** Whether the kill is a power loss. */
  power?: boolean;
  /** Whether an unknown booking is resolved then, and the command runs once more. */
  resolve?: boolean;
}

/** Killed at a step and run again: it is booked once, or it is unknown and the command says so. */
export function killedAt(
  step: Step,
  { job = ship, nth = 1, power = false, resolve = false }: Killing = {},
): Scenario {
  return command =>
    onStage(command, async stage => {
      const { witness } = stage;
      const { argv, stdin, key, created } = job('K');
      const broken: string[] = [];
      const expect = (what: string, got: unknown, wanted: unknown) => {
        if (got !== wanted) broken.push(`wrong ${what}: ${got}, not ${wanted}`);
      };
      const killed = await stage.run(argv, { stdin, step: `${step.name}:${nth}` });
      expect('end', killed.signal, 'SIGKILL');
      await witness.quiet();
      expect('count at the kill', witness.sent(key), step.sent);
      if (power) stage.cutPower();

      const again = await stage.run(argv, { stdin });
      broken.push(...wrongCodes(step.again, again));
      expect('count after the second run', witness.sent(key), step.again === 8 ? step.sent : 1);
      broken.push(...breaches(witness, key, [killed, again]));
      if (again.code !== 8) return broken;

      const [unknown, ...others] = await history(stage, '--state', 'unknown');
      if (unknown === undefined || others.length > 0)
        return [
          ...broken,
          `not listed as unknown: the journal has ${unknown?.id} and ${others.length} others`,
        ];
      if (!resolve) return broken;
      const [id] = witness.created(key);
      const options = id === undefined ? ['--not-created', '--force', '--reason', 'asked'] : created(id);
      const resolved = await stage.run(['history', 'resolve', unknown.id, ...options, '--json']);
      const last = await stage.run(argv, { stdin });
      broken.push(...wrongCodes(0, resolved, last));
      for (const one of witness.keys()) expect(`count of ${one}`, witness.sent(one), 1);
      expect('count after resolving', witness.sent(key), 1);
      return [...broken, ...breaches(witness, key, [last])];
    });
}

/** Gets these replies and runs again: both runs end with that exit code, and this many requests arrive. */
export function answered(replies: readonly Reply[], exit: number, sent: number): Scenario {
  return command =>
    onStage(command, async stage => {
      const { witness } = stage;
      const { argv, stdin, key } = ship('K');
      witness.replies(key, ...replies);
      const runs = [await stage.run(argv, { stdin }), await stage.run(argv, { stdin })];
      const broken = wrongCodes(exit, ...runs);
      if (witness.sent(key) !== sent) broken.push(`wrong count: ${witness.sent(key)}, not ${sent}`);
      return [...broken, ...breaches(witness, key, runs)];
    });
}

/** One order, each time with another spelling of its key. */
export const spelled =
  (...spellings: readonly string[]): Scenario =>
  command =>
    onStage(command, async stage => {
      const runs: Ended[] = [];
      for (const spelling of spellings) {
        const { argv, stdin } = ship('K', spelling);
        runs.push(await stage.run(argv, { stdin }));
      }
      const broken = wrongCodes(0, ...runs);
      const sent = stage.witness.sent('K');
      if (sent !== 1) broken.push(`wrong count: ${sent}, not 1`);
      if (new Set(runs.map(shownBy)).size !== 1) broken.push('the spellings showed different answers');
      return [...broken, ...breaches(stage.witness, 'K', runs)];
    });

/**
 * The newest booking is in the -wal of a crash alone, and under it the journal is put back to a copy from before other
 * bookings, one of which runs again. Their keys are long, so that no page of the -wal has them; and equal input is not
 * sought, because an index of it would lead to pages that are in neither file.
 */
export const olderCopy: Scenario = command =>
  onStage(command, async stage => {
    const { witness, folder, run } = stage;
    stage.losesJournal();
    const journal = join(folder, 'state/journal.db');
    const copy = join(folder, 'copy.db');
    const long = (key: string) => {
      const { argv, stdin } = ship(key, key.padEnd(900, '-'));
      return run([...argv, '--allow-duplicate'], { stdin });
    };
    const booked = [await long('A')];
    copyFileSync(journal, copy);
    for (const key of ['B', 'C', 'D', 'E', 'F', 'G']) booked.push(await long(key));
    const newest = ship('H');
    const killed = await run(newest.argv, { stdin: newest.stdin, step: 'shown' });
    copyFileSync(copy, journal);
    const again = await long('B');
    return [
      ...[...wrongCodes(0, ...booked), ...wrongCodes(null, killed), ...wrongCodes(10, again)],
      ...sentTwice(witness, ['B']),
    ];
  });

/**
 * The journal of a new machine is a copy from before another booking, which runs again: also what is left of a copy that was killed
 * while it was made.
 */
export const copyPutBack: Scenario = command =>
  onStage(command, async stage => {
    const { witness, folder, run } = stage;
    stage.losesJournal();
    const state = join(folder, 'state');
    const copies = ['whole', ...COPYING].map(step => ({ step, file: join(folder, `${step}.db`) }));
    const broken: string[] = [];
    const [before, after] = [ship('A'), ship('B')];
    await run(before.argv, { stdin: before.stdin });
    for (const { step, file } of copies) {
      const made = await run(['history', 'backup', file], step === 'whole' ? {} : { step });
      if ((made.signal === 'SIGKILL') !== (step !== 'whole')) broken.push(`wrong end: ${ending(made)}`);
      if (existsSync(file) !== (step === 'whole')) broken.push(`wrong: ${file} is there, or is not`);
    }
    await run(after.argv, { stdin: after.stdin });
    for (const { file } of copies.filter(one => existsSync(one.file))) {
      rmSync(state, { recursive: true });
      mkdirSync(state, { mode: 0o700 });
      copyFileSync(file, join(state, 'journal.db'));
      const again = await run(after.argv, { stdin: after.stdin, env: { WAYBILL_REQUIRE_JOURNAL: '1' } });
      broken.push(...wrongCodes(10, again));
    }
    return [...broken, ...sentTwice(witness, ['B'])];
  });
