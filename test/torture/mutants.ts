// Ways in which the command could be wrong, and the scenarios that must notice. Each was, or could be, somebody's code.
import { after, before, type Edit } from '../rig/build.ts';

export interface Mutant {
  name: string;
  edits: readonly Edit[];
  /** Names of scenarios that notice it, and a word of what they say. */
  noticed: Readonly<Record<string, RegExp>>;
}

const RECORD = `run('written', () => db.recordOutcome(id, outcome, effectOf(outcome)))`;
const CLAIM = `return { kind: 'claimed', id: insert(intent) };`;

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no intent: the row appears with the outcome',
    edits: [
      {
        within: 'src/journal/sqlite/',
        find: CLAIM,
        replace: `return { kind: 'claimed', id: intent };`,
      },
      {
        within: 'src/journal/sqlite/',
        find: RECORD,
        replace: RECORD.replace('(id,', '(insert(id),'),
      },
    ],
    noticed: {
      'killed when it is sent': /doubled/,
      'a batch killed when it sends': /doubled/,
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
      'power lost when it is shown': /lost/,
      'a batch whose power is lost when its last line is written': /lost: K\d+ was shown/,
    },
  },
  {
    name: 'nothing synced',
    edits: [{ within: 'src/journal/sqlite/', find: `durability: 'full'`, replace: `durability: 'normal'` }],
    noticed: {
      'power lost when it is sent': /doubled/,
      'power lost when it is shown': /doubled/,
      'a batch whose power is lost when it sends': /doubled/,
    },
  },
  {
    name: 'retry after a reset',
    edits: [
      {
        within: 'src/http/retry.ts',
        find: 'return !books || !exchange.sent;',
        replace: 'return true;',
      },
    ],
    noticed: { 'answered by a reset': /doubled/, 'a batch unknown after a reset and a 500': /doubled: K0/ },
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
    noticed: { 'answered by a 500': /doubled/, 'a batch unknown after a reset and a 500': /doubled: K1/ },
  },
  {
    name: 'strict answer schema',
    edits: [
      after(
        'src/booking/outcome.ts',
        `const { body } = exchange;\n  const ids = readIds(operation, body);`,
        `const given = Object.keys(body ?? {}).sort().join();
         if (operation.command === 'ship' && given !== 'carrier,chargeableWeight,createdAt,id,status')
           return { state: 'rejected', code: 'rejected', why: 'not as expected: ' + given, ids: {}, labels: {}, unlabelled: [] };`,
      ),
    ],
    noticed: {
      'answered with fields nobody knows': /silent unknown/,
      'answered with the id alone': /doubled/,
      'a batch with unexpected responses': /silent unknown: K0[\s\S]*silent unknown: K1/,
    },
  },
  {
    name: 'naive lock: a look, then an insert, and no unique index',
    edits: [
      {
        within: 'src/journal/sqlite/schema.ts',
        find: 'CREATE UNIQUE INDEX one_key',
        replace: 'CREATE INDEX one_key',
      },
      { within: 'src/journal/sqlite/journal.ts', find: 'if (obstacle) return obstacle;', replace: '' },
    ],
    noticed: {
      'raced by eight processes': /doubled: ONE was made 8 times/,
      'two batches over one file': /doubled: K0 was sent 2 times/,
    },
  },
  {
    name: 'group settles before its commit',
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
        within: 'src/journal/sqlite/group-commit.ts',
        find: 'results = store.transaction(',
        replace: 'results = store.committedLater(',
      },
    ],
    noticed: { 'a batch killed when it sends': /doubled/ },
  },
];
