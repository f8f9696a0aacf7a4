// The scenarios report nothing for the real command, and report each mutant. A scenario that does not notice a mutant would
// prove nothing about the command.
import { beforeAll, describe, expect, test } from 'vitest';
import { build, markersIn, readSource, withCode } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { noPostgres } from '../rig/postgres.ts';
import { batchAnswered, batchKilledAt, numberUsedAgain, rehearsed } from './batch.ts';
import { claimAfterMove } from './move.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { noCluster } from './postgres-cluster.ts';
import { answered, copyPutBack, killedAt, olderCopy, type Scenario, spelled } from './scenarios.ts';
import { SERVERS } from './servers.ts';
import { FULL } from './size.ts';
import { LINE_WRITTEN, LOCKS_HELD, OTHER_ENGINE, PROBES, SHORT_LEASE, stepNamed } from './steps.ts';
import { stopped } from './stopped.ts';
import { begunTogether } from './two-machines.ts';

const STOPPED = { lost: { journal: 'local', by: 'aged' } } as const;

/** At a landing each mutant is shown to the first scenario of its row. */
const shownTo = ({ noticed }: Mutant) => Object.entries(noticed).slice(0, FULL ? undefined : 1);
const NEEDED = new Set(MUTANTS.flatMap(shownTo).map(([name]) => name));

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'killed after it is sent': killedAt(stepNamed('sent')),
  'power lost after it is sent': killedAt(stepNamed('sent'), { power: true }),
  'power lost after it is shown': killedAt(stepNamed('shown'), { power: true }),
  'answered by a reset': answered(['reset'], 8, 1),
  'answered by a 500': answered(['error'], 8, 1),
  'answered by half of an answer': answered(['half'], 8, 1),
  'answered with unknown fields': answered(['strange'], 0, 1),
  'answered with only the id': answered(['bare'], 0, 1),
  'answered by a 429 first': answered(['busy', 'created'], 0, 2),
  // At the third of four requests in flight: no line that was written keeps it from booking again.
  'a batch killed after it sends': batchKilledAt('sent', 3),
  'a batch that loses power after it sends': batchKilledAt('sent', 1, { power: true }),
  'a batch that loses power after its last line is written': batchKilledAt(LINE_WRITTEN, 12, {
    power: true,
  }),
  'a batch unknown after a reset and a 500': batchAnswered(['reset', 'error'], 2),
  'a batch with unexpected responses': batchAnswered(['strange', 'bare', 'half'], 1),
  'one key with and without leading zeros': spelled('123', '00123'),
  'one key with a composed and a decomposed letter': spelled('M\u00fcller-1', 'Mu\u0308ller-1'),
  'two machines with one folder, and a rehearsal in the demo': rehearsed,
  'two machines that begin one file at one moment': begunTogether,
  'a batch with an order number that was used before': numberUsedAgain,
  'an older copy of the journal under the writes of a crash': olderCopy,
  'a copy in place of the journal': copyPutBack,
  ...(noCluster ? {} : SERVERS),
  ...(noPostgres
    ? {}
    : { 'a booking that is about to be claimed while its journal is moved': claimAfterMove }),
  'stopped before a second attempt, settled and booked again': stopped({
    ...STOPPED,
    at: 'waiting',
    again: true,
  }),
  'stopped in flight and settled': stopped({ ...STOPPED, at: 'in flight', again: false }),
};

let real: string;
beforeAll(async () => {
  real = await build(PROBES);
});

describe('The real command', () => {
  test.concurrent.each(Object.entries(SCENARIOS).filter(([name]) => FULL || NEEDED.has(name)))(
    '%s: no promise is broken',
    async (_, scenario) => {
      expect(await scenario(real)).toEqual([]);
    },
  );
});

const isHere = (mutant: Mutant) => shownTo(mutant).every(([name]) => name in SCENARIOS);

describe.skipIf(noCluster)(titled('Servers of their own', noCluster), () => {
  test('are there for their scenarios', () => expect(SCENARIOS).toMatchObject(SERVERS));
});

describe('A mutant', () => {
  test.concurrent.each(MUTANTS.filter(isHere).filter(mutant => shownTo(mutant).length > 0))(
    '$name: its scenarios report it',
    async mutant => {
      const command = await build([...PROBES, ...mutant.insertions]);
      for (const [name, what] of shownTo(mutant)) {
        const breaches = await SCENARIOS[name]?.(command);
        expect([name, breaches?.join('\n')]).toEqual([name, expect.stringMatching(what)]);
      }
    },
  );
});

test('each marker of the source is there once, and a probe or a mutant uses it', () => {
  const used = [
    ...PROBES,
    SHORT_LEASE,
    LOCKS_HELD,
    OTHER_ENGINE,
    ...MUTANTS.flatMap(({ insertions }) => insertions),
  ].map(({ at }) => at);
  expect(markersIn(readSource()).sort()).toEqual([...new Set(used)].sort());
});

test('the build fails if a marker is missing or there twice', () => {
  const source = new Map([
    ['one.ts', '// step: begun\n  // step: ended\n'],
    ['other.ts', '// step: ended\n'],
  ]);
  const put = (at: string) => () => withCode(source, [{ at, code: 'f();' }]);
  expect(put('begun')()).toEqual(new Map([['one.ts', 'f();\n  // step: ended\n']]));
  expect(put('sent')).toThrow('the source has the marker "// step: sent" 0 times, not once');
  expect(put('ended')).toThrow('the source has the marker "// step: ended" 2 times, not once');
});
