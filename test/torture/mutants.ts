// Versions of the command with an error that an engineer could make, and the scenarios that must notice the error.
import { after, before, type Edit } from '../rig/build.ts';

export interface Mutant {
  name: string;
  /** Whether `npm test` has it too: those that break the rule itself, each by another way. */
  isQuick?: boolean;
  edits: readonly Edit[];
  /** Names of scenarios that notice it, and what they must report. */
  noticed: Readonly<Record<string, RegExp>>;
}

const RECORD = `run('written', () => recordOutcome(db, id, outcome, effect))`;
const CLAIM = 'const id = insert(intent);';

const NO_FENCE = after(
  'src/journal/rules.ts',
  'export function* maySend(id: string): Steps<boolean> {',
  'if (id) return true;',
);

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no intent: the row appears with the outcome',
    isQuick: true,
    edits: [
      NO_FENCE,
      {
        within: 'src/journal/sqlite/',
        find: CLAIM,
        replace: 'const id = intent;',
      },
      {
        within: 'src/journal/sqlite/',
        find: RECORD,
        replace: RECORD.replace(' id,', ' insert(id),'),
      },
    ],
    noticed: {
      'killed after it is sent': /booked twice/,
      'a batch killed after it sends': /booked twice/,
    },
  },
  {
    name: 'outcome not synced',
    edits: [
      after(
        'src/sqlite.ts',
        'const store: Store = {',
        `sync: how => database.exec('PRAGMA synchronous = ' + how),`,
      ),
      {
        within: 'src/journal/sqlite/',
        find: RECORD,
        replace: `(store.sync('NORMAL'), ${RECORD}.finally(() => store.sync('FULL')))`,
      },
    ],
    noticed: {
      'power lost after it is shown': /lost/,
      'a batch that loses power after its last line is written': /lost: K\d+ was shown/,
    },
  },
  {
    name: 'nothing synced',
    isQuick: true,
    edits: [{ within: 'src/journal/sqlite/', find: `durability: 'full'`, replace: `durability: 'normal'` }],
    noticed: {
      'power lost after it is sent': /has lost bookings/,
      'power lost after it is shown': /has lost bookings/,
      'a batch that loses power after it sends': /has lost bookings/,
    },
  },
  {
    name: 'retry after a reset',
    isQuick: true,
    edits: [
      {
        within: 'src/http/retry.ts',
        find: 'return !books || !exchange.sent;',
        replace: 'return true;',
      },
    ],
    noticed: {
      'answered by a reset': /booked twice/,
      'a batch unknown after a reset and a 500': /booked twice: K0/,
    },
  },
  {
    name: 'retry after a 500',
    edits: [
      {
        within: 'src/http/retry.ts',
        find: 'return !books && (exchange.status === 408',
        replace: 'return (exchange.status === 408',
      },
    ],
    noticed: {
      'answered by a 500': /booked twice/,
      'a batch unknown after a reset and a 500': /booked twice: K1/,
    },
  },
  {
    name: 'strict answer schema',
    edits: [
      after(
        'src/booking/outcome.ts',
        `const { body } = exchange;\n  const made = madeIn(operation, request, content);`,
        `const given = Object.keys(body ?? {}).sort().join();
         if (operation.command === 'ship' && given !== 'carrier,chargeableWeight,createdAt,id,status')
           return { state: 'rejected', code: 'rejected', why: 'not as expected: ' + given, ids: {}, labels: {}, unlabelled: [], missing: [] };`,
      ),
    ],
    noticed: {
      'answered with unknown fields': /denied/,
      'answered with only the id': /booked twice/,
      'a batch with unexpected responses': /denied: K0[\s\S]*denied: K1/,
    },
  },
  {
    name: 'naive lock: a query, then an insert, and no unique index',
    isQuick: true,
    edits: [
      {
        within: 'src/journal/sqlite/schema.ts',
        find: 'DROP INDEX one_key;\n   CREATE UNIQUE INDEX',
        replace: 'DROP INDEX one_key;\n   CREATE INDEX',
      },
      { within: 'src/journal/sqlite/journal.ts', find: 'if (obstacle) return obstacle;', replace: '' },
    ],
    noticed: {
      'raced by eight processes': /booked twice: ONE was created 8 times/,
      'two batches over one file': /booked twice: K0 was sent 2 times/,
    },
  },
  {
    name: 'no fence: the question before an attempt always says yes',
    isQuick: true,
    edits: [NO_FENCE],
    noticed: {
      'stopped before a second attempt, settled and booked again': /booked twice: K was sent 3 times, not 2/,
    },
  },
  {
    name: 'an outcome that finds its booking settled is dropped',
    edits: [
      {
        within: 'src/journal/record-outcome.ts',
        find: 'if (!isRecorded) return yield* recordLate(db, id, outcome);',
        replace: 'if (!isRecorded) return undefined;',
      },
    ],
    noticed: { 'stopped in flight and settled': /lost: S-K-1 was created, and the journal says/ },
  },
  {
    name: 'a group of bookings continues before its commit',
    edits: [
      after(
        'src/sqlite.ts',
        'const store: Store = {',
        `committedLater: work => {
          if (!open) {
            database.exec('BEGIN IMMEDIATE');
            later = setTimeout(commitLate, 60_000);
          }
          open = true;
          return work();
        },`,
      ),
      before(
        'src/sqlite.ts',
        'const store: Store = {',
        `let open = false;
        let later;
        const commitLate = () => {
          clearTimeout(later);
          if (open) database.exec('COMMIT');
          open = false;
        };`,
      ),
      before('src/sqlite.ts', 'statements.clear();', 'commitLate();'),
      {
        within: 'src/journal/sqlite/journal.ts',
        find: 'store.transaction(() => works.map',
        replace: 'store.committedLater(() => works.map',
      },
    ],
    noticed: { 'a batch killed after it sends': /booked twice/ },
  },
];
