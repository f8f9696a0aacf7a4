// Ways in which the command could be wrong, and the scenarios that must notice. Each was, or could be, somebody's code.
import { after, type Edit } from './bundle.ts';

export interface Mutant {
  name: string;
  edits: readonly Edit[];
  /** Names of scenarios that notice it, and a word of what they say. */
  noticed: Readonly<Record<string, RegExp>>;
}

const SETTLE = `const write = () => within('written', () => bookings.settle(id, settlement));`;
const CLAIM = `return { kind: 'claimed', id: bookings.insert(intent) };`;

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no intent: the row appears with the outcome',
    edits: [
      {
        within: 'src/booking/',
        find: CLAIM,
        replace: `globalThis.intent = intent; return { kind: 'claimed', id: 'later' };`,
      },
      {
        within: 'src/booking/',
        find: SETTLE,
        replace: SETTLE.replace('(id,', '(bookings.insert(globalThis.intent),'),
      },
    ],
    noticed: {
      'killed when it is sent': /doubled/,
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
        within: 'src/booking/',
        find: SETTLE,
        replace: `const write = () => {
          store.sync('NORMAL');
          return within('written', () => bookings.settle(id, settlement)).finally(() => store.sync('FULL'));
        };`,
      },
    ],
    noticed: { 'power lost when it is shown': /lost/ },
  },
  {
    name: 'nothing synced',
    edits: [{ within: 'src/booking/', find: `durability: 'full'`, replace: `durability: 'normal'` }],
    noticed: { 'power lost when it is sent': /doubled/, 'power lost when it is shown': /doubled/ },
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
    noticed: { 'answered by a reset': /doubled/ },
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
    noticed: { 'answered by a 500': /doubled/ },
  },
  {
    name: 'strict answer schema',
    edits: [
      after(
        'src/booking/outcome.ts',
        `const body = bodyOf(exchange);\n  const ids = readIds(operation, body);`,
        `const given = Object.keys(body ?? {}).sort().join();
         if (operation.command === 'ship' && given !== 'carrier,chargeableWeight,createdAt,id,status')
           return { state: 'rejected', code: 'rejected', why: 'not as expected: ' + given, ids: {}, labels: {}, unlabelled: [] };`,
      ),
    ],
    noticed: {
      'answered with fields nobody knows': /silent doubt/,
      'answered with the id alone': /doubled/,
    },
  },
  {
    name: 'naive lock: a look, then an insert, and no unique index',
    edits: [
      {
        within: 'src/booking/',
        find: 'CREATE UNIQUE INDEX one_key',
        replace: 'CREATE INDEX one_key',
      },
      { within: 'src/booking/sqlite-journal.ts', find: 'if (obstacle) return obstacle;', replace: '' },
    ],
    noticed: { 'raced by eight processes': /doubled: ONE was made 8 times/ },
  },
];
