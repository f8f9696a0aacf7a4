// Versions of the command with an error that an engineer could make, and the scenarios that must notice the error.
import type { Insertion } from '../rig/build.ts';

export interface Mutant {
  name: string;
  insertions: readonly Insertion[];
  /** Names of scenarios that notice it, and what they must report. */
  noticed: Readonly<Record<string, RegExp>>;
  /** A seed of the interleavings that notices it. */
  woven?: number;
}

const NO_FENCE: Insertion = { at: 'fence asked', code: 'return true;' };

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no intent: the row appears with the outcome',
    insertions: [
      NO_FENCE,
      {
        at: 'claim written, not committed',
        code: `store.run('DELETE FROM found_by WHERE number = (SELECT MAX(number) FROM bookings)');
          store.run('DELETE FROM bookings WHERE id = ?', claiming.id);
          (globalThis.unwritten ??= new Map()).set(claiming.id, () => claimFree(db, claiming));`,
      },
      { at: 'answer complete', code: 'await globalThis.unwritten.get(id)();' },
    ],
    noticed: {
      'killed after it is sent': /booked twice/,
      'a batch killed after it sends': /booked twice/,
    },
  },
  {
    name: 'outcome not synced',
    insertions: [
      {
        at: 'transaction committed',
        code: `if (durability === 'full') {
          globalThis.chooseSync = () =>
            database.exec('PRAGMA synchronous = ' + (globalThis.unwritten > 0 ? 'NORMAL' : 'FULL'));
          globalThis.chooseSync();
        }`,
      },
      // From the answer to the commit of its outcome, whatever is committed in between.
      {
        at: 'answer complete',
        code: 'globalThis.unwritten = (globalThis.unwritten ?? 0) + 1; globalThis.chooseSync();',
      },
      { at: 'outcome written, not committed', code: 'globalThis.unwritten -= 1;' },
    ],
    noticed: {
      'power lost after it is shown': /lost/,
      'a batch that loses power after its last line is written': /lost: K\d+ was shown/,
    },
  },
  {
    name: 'nothing synced',
    insertions: [{ at: 'journal opened', code: `store.run('PRAGMA synchronous = NORMAL');` }],
    noticed: {
      'power lost after it is sent': /has lost bookings/,
      'power lost after it is shown': /has lost bookings/,
      'a batch that loses power after it sends': /has lost bookings/,
    },
  },
  {
    name: 'retry after a reset',
    insertions: [{ at: 'attempt ended', code: `if (exchange.kind === 'none') return true;` }],
    noticed: {
      'answered by a reset': /booked twice/,
      'a batch unknown after a reset and a 500': /booked twice: K0/,
    },
  },
  {
    name: 'retry after a 500',
    insertions: [{ at: 'attempt ended', code: 'if (exchange.status >= 500) return true;' }],
    noticed: {
      'answered by a 500': /booked twice/,
      'a batch unknown after a reset and a 500': /booked twice: K1/,
    },
  },
  {
    name: 'strict answer schema',
    insertions: [
      {
        at: 'answer complete',
        code: `const given = Object.keys(outcome.body ?? {}).sort().join();
          const isStrange = given !== 'carrier,chargeableWeight,createdAt,id,status';
          if (operation.command === 'ship' && outcome.state === 'created' && isStrange)
            Object.assign(outcome, { state: 'rejected', code: 'rejected', why: { reason: 'rejected', message: given }, ids: {} });`,
      },
    ],
    noticed: {
      'answered with unknown fields': /denied/,
      'answered with only the id': /booked twice/,
      'a batch with unexpected responses': /denied: K0[\s\S]*denied: K1/,
    },
  },
  {
    name: 'naive lock: a query, then an insert, and no unique index',
    insertions: [
      { at: 'unique indexes asked', code: 'return undefined;' },
      { at: 'journal opened', code: `store.run('DROP INDEX IF EXISTS one_key');` },
      {
        at: 'claim transaction begun',
        code: `const naive = claimingOf(intent, processes.own, host.now());
          return claimFree(db, naive);`,
      },
    ],
    noticed: {},
    woven: 3,
  },
  {
    name: 'no fence: the question before an attempt always says yes',
    insertions: [NO_FENCE],
    noticed: {
      'stopped before a second attempt, settled and booked again': /booked twice: K was sent 3 times, not 2/,
    },
    woven: 6,
  },
  {
    name: 'an outcome that finds its booking settled is dropped',
    insertions: [
      {
        at: 'what happened is decided',
        code: `if (happening.kind === 'answered' && !['pending', 'unknown'].includes(booking.state))
          return { kind: 'recorded before', booking };`,
      },
    ],
    noticed: { 'stopped in flight and settled': /lost: S-K-1 was created, and the journal says/ },
    woven: 22,
  },
  {
    name: 'a group of bookings continues before its commit',
    insertions: [
      {
        at: 'journal opened',
        code: `let timer;
          const commitLate = () => {
            if (timer) store.run('COMMIT');
            clearTimeout(timer);
            timer = undefined;
          };
          store.transactionOf = work => {
            if (!timer) store.run('BEGIN IMMEDIATE');
            timer ??= setTimeout(commitLate, 60_000);
            return work();
          };
          const { close } = store;
          store.close = () => {
            commitLate();
            close();
          };`,
      },
    ],
    noticed: { 'a batch killed after it sends': /booked twice/ },
  },
  {
    name: 'key identity: keys are compared as they were given',
    insertions: [{ at: 'identity of a key asked', code: 'return key;' }],
    noticed: {
      'one key with and without leading zeros': /booked twice/,
      'one key with a composed and a decomposed letter': /booked twice/,
    },
  },
  {
    name: 'results of another journal count as those of this one',
    insertions: [{ at: 'journals of results compared', code: 'continue;' }],
    noticed: {
      'two machines with one folder, and a rehearsal in the demo': /booked twice: K0 was sent 2 times/,
    },
  },
  {
    name: 'claim of results: whoever comes has it',
    insertions: [{ at: 'results about to be claimed', code: 'return;' }],
    noticed: { 'two machines that begin one file at one moment': /booked twice: K0 was sent 2 times/ },
  },
  {
    name: 'provenance: an invalid record with a key that was booked counts as mended',
    insertions: [
      {
        at: 'mended records asked',
        code: `for (const record of records)
            if (record.issues?.length && record.order) mended.set(record, record.order);`,
      },
    ],
    noticed: { 'a batch with an order number that was used before': /lost: AGAIN was never sent/ },
  },
  {
    name: 'older copy: the writes beside the journal may belong to another file',
    insertions: [{ at: 'writes beside the journal compared', code: 'return;' }],
    noticed: {
      'an older copy of the journal under the writes of a crash': /booked twice: B was sent 2 times/,
    },
  },
  {
    name: 'a copy of the journal is not marked as one',
    insertions: [{ at: 'copy marked', code: 'return;' }],
    noticed: { 'a copy in place of the journal': /booked twice: B was sent 2 times/ },
  },
  {
    name: 'timeline: another one is no other server',
    insertions: [{ at: 'identity compared', code: "if (kind === 'timeline') continue;" }],
    noticed: { 'a standby took over without the last booking': /booked twice: B was sent 2 times/ },
  },
  {
    // The lock of the order keeps equal orders apart without it, too: what is noticed is that the journal is taken.
    name: 'unique index: it is not asked for',
    insertions: [{ at: 'unique indexes asked', code: 'return undefined;' }],
    noticed: { 'a dump that was restored without the index of keys': /wrong exit code, not 10: exit 0/ },
  },
  {
    name: 'mark of a move: only who opens the journal reads it',
    insertions: [{ at: 'mark of a move read', code: 'return undefined;' }],
    noticed: {
      'a booking that is about to be claimed while its journal is moved': /booked: NEXT was sent 1 times/,
    },
  },
  {
    name: 'twin outside the claim: the claim does not ask for the same order',
    insertions: [{ at: 'claim transaction begun', code: 'Object.assign(intent, { allowDuplicate: true });' }],
    noticed: {},
    woven: 4,
  },
  {
    name: 'leg: a label belongs to its number alone',
    insertions: [
      {
        at: 'label of a leg asked',
        code: 'return { ...columns, texts: [...columns.texts.slice(0, -1), columns.texts.at(-1) + " WHERE shipment = ", ""], parts: [...columns.parts, id] };',
      },
    ],
    noticed: {},
    woven: 51,
  },
  {
    name: 'id of another order: an answer takes whatever id it has',
    insertions: [
      { at: 'owner of an answer asked', code: 'return undefined;' },
      { at: 'id of an answer taken', code: 'return steps;' },
    ],
    noticed: {},
    woven: 78,
  },
  {
    name: 'print claim: a desk prints what another one is printing',
    insertions: [{ at: 'claim of a print asked', code: 'return undefined;' }],
    noticed: {},
    woven: 134,
  },
  {
    name: 'limit outside the claim: two commands that look first have room for one order twice',
    insertions: [{ at: 'claim transaction begun', code: 'Object.assign(intent, { perDay: [] });' }],
    noticed: {},
    woven: 83,
  },
];
