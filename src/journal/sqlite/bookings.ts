import { LEGS, type Leg } from '../../contract/operation.ts';
import type { Host } from '../../host.ts';
import type { Ids } from '../../journal/journal.ts';
import type { SqlValue, Store } from '../../sqlite.ts';
import type { Processes } from '../holder.ts';
import {
  type Booking,
  type BookingWithLabels,
  type Filter,
  HOLDING_STATES,
  type ImportResult,
  type Intent,
  type LabelRecord,
  type LookUpBy,
  type Obstacle,
  type RecordedOutcome,
  type Scope,
} from '../journal.ts';
import { newId } from '../new-id.ts';
import { COLUMNS, bookingOf as fromRow, holding, type Row } from './schema.ts';
import { takeInto } from './take.ts';

const DAY = 24 * 60 * 60 * 1000;

/** The limit that is none. */
const ALL = -1;

/** As the index of them has it: it is not found by another wording. */
const unsettled = `state IN ('pending', 'unknown')`;

/** What holds a key last: one that was taken from another journal may be older than what it comes after. */
const LATEST = `state IN (${holding}), number`;

/** What the journal does inside one transaction. */
export interface Bookings {
  obstacle(intent: Intent): Obstacle | undefined;
  insert(intent: Intent): string;
  settle(id: string, settlement: RecordedOutcome): void;
  first(where: string, ...values: SqlValue[]): Booking | undefined;
  labelOf(scope: Scope, shipment: string): LabelRecord | undefined;
  bookingOf(scope: Scope, id: string): { booking: Booking; kind: keyof Ids } | undefined;
  keepLabel(id: string, leg: Leg, pdf: Uint8Array, path: string): void;
  keptLabel(id: string, leg: Leg): Uint8Array | undefined;
  recall(scope: Scope, by: LookUpBy, values: readonly string[]): Map<string, Booking>;
  known(keys: readonly string[], shipments: readonly string[]): Set<string>;
  list(filter: Filter): Booking[];
  claimsOf(id: string): Intent['labels'];
  take(carried: BookingWithLabels): ImportResult;
  prune(before: number): number;
}

export function bookingsIn(store: Store, processes: Processes, clock: Pick<Host, 'now'>): Bookings {
  const now = () => Math.floor(clock.now());

  /** A booking whose process is gone, or whose lease is over, can no longer be told: `unknown`, for everybody. */
  function read(row: Row): Booking {
    const booking = fromRow(row);
    if (booking.state !== 'pending' || (now() < row.leaseUntil && processes.isAlive(booking.holder)))
      return booking;
    const lost: RecordedOutcome = {
      state: 'unknown',
      code: 'outcome_unknown',
      why: 'the process that sent it ended before it could record an outcome',
      httpStatus: null,
      answer: null,
      ids: {},
      labels: {},
    };
    settle(booking.id, lost);
    return { ...booking, ...lost, settledAt: now() };
  }

  const all = (where: string, ...values: SqlValue[]): Booking[] =>
    store.all<Row>(`SELECT ${COLUMNS} FROM bookings WHERE ${where}`, ...values).map(read);
  const first = (where: string, ...values: SqlValue[]): Booking | undefined =>
    all(`${where} LIMIT 1`, ...values)[0];

  function labelOf({ address, account }: Scope, shipment: string): LabelRecord | undefined {
    const found = store.first<{ booking: string; leg: Leg }>(
      'SELECT booking, leg FROM labels WHERE address = ? AND account = ? AND shipment = ?',
      ...[address, account, shipment],
    );
    const booking = found && first('id = ?', found.booking);
    return booking && { booking, leg: found.leg };
  }

  function bookingOf(
    { address, account }: Scope,
    id: string,
  ): { booking: Booking; kind: keyof Ids } | undefined {
    const booking = first(
      `address = ? AND account = ? AND id IN (SELECT booking FROM made WHERE made.id = ?) ORDER BY number DESC`,
      ...[address, account, id],
    );
    const kind =
      booking && (Object.keys(booking.ids) as (keyof Ids)[]).find(name => booking.ids[name] === id);
    return kind && { booking, kind };
  }

  /** Settles a booking that is still open: an outcome that was recorded is never written over. */
  function settle(id: string, { state, code, why, httpStatus, answer, ids, labels }: RecordedOutcome): void {
    const changed = store.run(
      `UPDATE bookings SET state = ?, settled_at = ?, code = ?, why = ?, http_status = ?, answer = ?, ids = ?, labels = ?
       WHERE id = ? AND state IN ('pending', 'unknown')`,
      ...[state, now(), code, why, httpStatus, answer, JSON.stringify(ids), JSON.stringify(labels), id],
    );
    if (changed === 0) return;
    for (const made of Object.values(ids)) store.run('INSERT OR IGNORE INTO made VALUES (?, ?)', made, id);
    if (!HOLDING_STATES.includes(state)) store.run('DELETE FROM labels WHERE booking = ?', id);
    if (state === 'created' || state === 'partial') claimLabels(id, { ids, labels });
  }

  /** A label that was made is its shipment's; one that was asked for and not made may be asked for again. */
  function claimLabels(id: string, { ids, labels }: Pick<RecordedOutcome, 'ids' | 'labels'>): void {
    const unmade = LEGS.filter(leg => labels[leg]?.made !== true);
    store.run(
      'DELETE FROM labels WHERE booking = ? AND leg IN (SELECT value FROM json_each(?))',
      id,
      JSON.stringify(unmade),
    );
    for (const leg of LEGS) {
      if (labels[leg]?.made === true && ids[leg] !== undefined)
        store.run(
          `INSERT OR REPLACE INTO labels SELECT address, account, ?, ?, id FROM bookings WHERE id = ?`,
          ...[ids[leg], leg, id],
        );
    }
  }

  return {
    first,
    labelOf,
    bookingOf,
    settle,
    obstacle({ scope, operation, keySpace, key, fingerprint, labels, allowDuplicate }) {
      const { address, account } = scope;
      const mine = [address, account];
      const keyed =
        key === null
          ? undefined
          : first(
              `address = ? AND account = ? AND key_space = ? AND key = ? AND state IN (${holding})`,
              ...mine,
              keySpace,
              key,
            );
      if (keyed) return { kind: 'taken', booking: keyed };
      if (allowDuplicate) return undefined;
      for (const { shipment } of labels) {
        const labelled = labelOf(scope, shipment);
        if (labelled) return { kind: 'taken', booking: labelled.booking };
      }
      if (key !== null || labels.length > 0) return undefined;
      const twin = first(
        `address = ? AND account = ? AND operation = ? AND fingerprint = ?
         AND (state IN ('pending', 'unknown') OR (state IN ('created', 'partial') AND at > ?)) ORDER BY number DESC`,
        ...mine,
        ...[operation, fingerprint, now() - DAY],
      );
      return twin && { kind: 'twin', booking: twin };
    },
    insert(intent) {
      const { scope, operation, keySpace, key, fingerprint, source, request } = intent;
      const { profile, sandbox, labels, lease } = intent;
      const id = newId(now());
      const { address, account } = scope;
      store.run(
        `INSERT INTO bookings (id, address, account, operation, key_space, key, fingerprint, source, state, profile,
           sandbox, at, lease_until, holder, request) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)`,
        ...[
          id,
          address,
          account,
          operation,
          keySpace,
          key,
          fingerprint,
          source,
          profile,
          Number(sandbox),
          now(),
        ],
        ...[now() + lease, JSON.stringify(processes.own), JSON.stringify(request)],
      );
      for (const { leg, shipment } of labels)
        store.run(
          'INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?)',
          address,
          account,
          shipment,
          leg,
          id,
        );
      return id;
    },
    keepLabel(id, leg, pdf, path) {
      const text = Buffer.from(pdf).toString('base64');
      store.run('INSERT OR REPLACE INTO label_files VALUES (?, ?, ?)', id, leg, text);
      store.run(`UPDATE bookings SET files = json_set(files, '$.${leg}', ?) WHERE id = ?`, path, id);
    },
    keptLabel(id, leg) {
      const row = store.first<{ pdf: string }>(
        'SELECT pdf FROM label_files WHERE booking = ? AND leg = ?',
        id,
        leg,
      );
      return row && Buffer.from(row.pdf, 'base64');
    },
    recall({ address, account }, by, values) {
      const columns = COLUMNS.replace(' request,', ' NULL AS request,');
      const wanted = JSON.stringify(values);
      // The plus keeps SQLite from an index by which it would walk through everything of the account.
      const rows =
        by === 'source'
          ? store.all<Row>(
              `SELECT ${columns} FROM bookings
               WHERE source IN (SELECT value FROM json_each(?)) AND source IS NOT NULL AND key IS NULL
                 AND +address = ? AND +account = ? ORDER BY ${LATEST}`,
              ...[wanted, address, account],
            )
          : store.all<Row>(
              `SELECT ${columns} FROM bookings
               WHERE address = ? AND account = ? AND key_space = ? AND key IN (SELECT value FROM json_each(?))
               ORDER BY ${LATEST}`,
              ...[address, account, by.keySpace, wanted],
            );
      return new Map(rows.map(row => [(by === 'source' ? row.source : row.key) ?? '', read(row)]));
    },
    known: (keys, shipments) =>
      new Set(
        store
          .all<{ word: string }>(
            `SELECT key AS word FROM bookings WHERE key IN (SELECT value FROM json_each(?)) AND state IN (${holding})
             UNION SELECT id FROM made WHERE id IN (SELECT value FROM json_each(?))
             UNION SELECT shipment FROM labels WHERE shipment IN (SELECT value FROM json_each(?))`,
            ...[JSON.stringify(keys), JSON.stringify(shipments), JSON.stringify(shipments)],
          )
          .map(({ word }) => word),
      ),
    list({ states, operation, key, since, until, limit = ALL, before }) {
      // Those that are pending may turn out to be unknown, so that they are read before they are sorted out.
      for (const row of store.all<Row>(
        `SELECT ${COLUMNS} FROM bookings WHERE ${unsettled} AND state = 'pending'`,
      ))
        read(row);
      const values: SqlValue[] = [];
      const where = ['true'];
      const also = (value: SqlValue | undefined, condition: string) => {
        if (value === undefined) return;
        values.push(value);
        where.push(condition);
      };
      if (states?.length) {
        // Of a fixed list of words.
        where.push(`state IN (${states.map(state => `'${state}'`).join(', ')})`);
        if (states.every(state => state === 'pending' || state === 'unknown')) where.push(unsettled);
      }
      also(operation, 'operation = ?');
      also(key, 'key = ?');
      also(since, 'at >= ?');
      also(until, 'at <= ?');
      also(before, 'number < (SELECT number FROM bookings WHERE id = ?)');
      return all(`${where.join(' AND ')} ORDER BY number DESC LIMIT ?`, ...values, limit);
    },
    claimsOf: id => store.all('SELECT leg, shipment FROM labels WHERE booking = ? ORDER BY leg DESC', id),
    take: takeInto(store),
    prune(before) {
      const old = `at < ${Math.floor(before)} AND state NOT IN ('pending', 'unknown')`;
      store.run(`DELETE FROM label_files WHERE booking IN (SELECT id FROM bookings WHERE ${old})`);
      return store.run(
        `UPDATE bookings SET request = NULL, answer = NULL, why = '', files = '{}'
         WHERE ${old} AND (request IS NOT NULL OR answer IS NOT NULL)`,
      );
    },
  };
}
