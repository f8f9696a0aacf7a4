import { randomUUID } from 'node:crypto';
import { LEGS, type Leg } from '../contract/operation.ts';
import type { Host } from '../host.ts';
import type { Store, Value } from '../sqlite.ts';
import type { Processes } from './holder.ts';
import {
  type Booking,
  type Filter,
  HOLDING,
  type Intent,
  type LabelRecord,
  type Obstacle,
  type Scope,
  type Settlement,
} from './journal.ts';
import type { Ids } from './outcome.ts';

const DAY = 24 * 60 * 60 * 1000;

const holding = HOLDING.map(state => `'${state}'`).join(', ');

// Times are milliseconds since 1970. A key and the label of a shipment belong to one booking at a time; a booking that
// was rejected or never sent lets them go.
export const MIGRATIONS = [
  `CREATE TABLE bookings (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     address TEXT NOT NULL,
     account TEXT NOT NULL,
     operation TEXT NOT NULL,
     key_space TEXT NOT NULL,
     key TEXT,
     fingerprint TEXT NOT NULL,
     state TEXT NOT NULL,
     profile TEXT,
     sandbox INTEGER NOT NULL,
     at INTEGER NOT NULL,
     settled_at INTEGER,
     lease_until INTEGER NOT NULL,
     holder TEXT NOT NULL,
     request TEXT,
     code TEXT,
     why TEXT NOT NULL DEFAULT '',
     http_status INTEGER,
     answer TEXT,
     ids TEXT NOT NULL DEFAULT '{}',
     labels TEXT NOT NULL DEFAULT '{}',
     files TEXT NOT NULL DEFAULT '{}'
   ) STRICT;
   CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key)
     WHERE key IS NOT NULL AND state IN (${holding});
   CREATE INDEX same_key ON bookings (key);
   CREATE INDEX same_input ON bookings (address, account, operation, fingerprint);
   CREATE INDEX pending ON bookings (number) WHERE state = 'pending';
   CREATE TABLE labels (
     address TEXT NOT NULL,
     account TEXT NOT NULL,
     shipment TEXT NOT NULL,
     leg TEXT NOT NULL,
     booking TEXT NOT NULL REFERENCES bookings (id),
     PRIMARY KEY (address, account, shipment)
   ) STRICT;
   CREATE INDEX labels_of ON labels (booking);
   CREATE TABLE made (
     id TEXT NOT NULL,
     booking TEXT NOT NULL REFERENCES bookings (id),
     PRIMARY KEY (id, booking)
   ) STRICT;
   CREATE TABLE label_files (
     booking TEXT NOT NULL REFERENCES bookings (id),
     leg TEXT NOT NULL,
     pdf TEXT NOT NULL,
     PRIMARY KEY (booking, leg)
   ) STRICT;`,
];

interface Row extends Omit<Booking, 'request' | 'ids' | 'labels' | 'files' | 'holder' | 'sandbox'> {
  sandbox: number;
  leaseUntil: number;
  holder: string;
  request: string | null;
  ids: string;
  labels: string;
  files: string;
}

const COLUMNS = `id, address, account, operation, key_space AS keySpace, key, fingerprint, state, profile, sandbox, at,
  settled_at AS settledAt, lease_until AS leaseUntil, holder, request, code, why, http_status AS httpStatus, answer,
  ids, labels, files`;

/** What the journal does inside one transaction. */
export interface Bookings {
  obstacle(intent: Intent): Obstacle | undefined;
  insert(intent: Intent): string;
  settle(id: string, settlement: Settlement): void;
  first(where: string, ...values: Value[]): Booking | undefined;
  labelOf(scope: Scope, shipment: string): LabelRecord | undefined;
  bookingOf(scope: Scope, id: string): { booking: Booking; kind: keyof Ids } | undefined;
  keepLabel(id: string, leg: Leg, pdf: Uint8Array, path: string): void;
  keptLabel(id: string, leg: Leg): Uint8Array | undefined;
  list(filter: Filter): Booking[];
  prune(before: number): number;
}

export function bookingsIn(store: Store, processes: Processes, clock: Pick<Host, 'now'>): Bookings {
  const now = () => Math.floor(clock.now());

  /** A booking whose process is gone, or whose lease is over, can no longer be told: `unknown`, for everybody. */
  function read(row: Row): Booking {
    const { leaseUntil, ...rest } = row;
    const booking: Booking = {
      ...rest,
      sandbox: row.sandbox === 1,
      holder: JSON.parse(row.holder),
      request: row.request === null ? null : JSON.parse(row.request),
      ids: JSON.parse(row.ids),
      labels: JSON.parse(row.labels),
      files: JSON.parse(row.files),
    };
    if (booking.state !== 'pending' || (now() < leaseUntil && processes.lives(booking.holder)))
      return booking;
    const lost: Settlement = {
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

  const all = (where: string, ...values: Value[]): Booking[] =>
    store.all<Row>(`SELECT ${COLUMNS} FROM bookings WHERE ${where}`, ...values).map(read);
  const first = (where: string, ...values: Value[]): Booking | undefined =>
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
  function settle(id: string, { state, code, why, httpStatus, answer, ids, labels }: Settlement): void {
    const changed = store.run(
      `UPDATE bookings SET state = ?, settled_at = ?, code = ?, why = ?, http_status = ?, answer = ?, ids = ?, labels = ?
       WHERE id = ? AND state IN ('pending', 'unknown')`,
      ...[state, now(), code, why, httpStatus, answer, JSON.stringify(ids), JSON.stringify(labels), id],
    );
    if (changed === 0) return;
    for (const made of Object.values(ids)) store.run('INSERT OR IGNORE INTO made VALUES (?, ?)', made, id);
    if (!HOLDING.includes(state)) store.run('DELETE FROM labels WHERE booking = ?', id);
    if (state === 'created' || state === 'partial') claimLabels(id, { ids, labels });
  }

  /** A label that was made is its shipment's; one that was asked for and not made may be asked for again. */
  function claimLabels(id: string, { ids, labels }: Pick<Settlement, 'ids' | 'labels'>): void {
    for (const leg of LEGS) {
      if (labels[leg]?.made !== true) store.run('DELETE FROM labels WHERE booking = ? AND leg = ?', id, leg);
      else if (ids[leg] !== undefined)
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
    insert({ scope, operation, keySpace, key, fingerprint, request, profile, sandbox, labels, lease }) {
      const id = `bk_${randomUUID().replaceAll('-', '')}`;
      const { address, account } = scope;
      store.run(
        `INSERT INTO bookings (id, address, account, operation, key_space, key, fingerprint, state, profile, sandbox, at,
           lease_until, holder, request) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)`,
        ...[id, address, account, operation, keySpace, key, fingerprint, profile, Number(sandbox), now()],
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
    list({ states, operation, key, since, until, limit = 1_000_000 }) {
      // Those that are pending may turn out to be unknown, so that they are read before they are sorted out.
      for (const row of store.all<Row>(`SELECT ${COLUMNS} FROM bookings WHERE state = 'pending'`)) read(row);
      const wanted = states?.length ? `state IN (${states.map(() => '?').join(', ')})` : 'true';
      return all(
        `${wanted} AND (? IS NULL OR operation = ?) AND (? IS NULL OR key = ?) AND at >= ? AND at <= ?
         ORDER BY number DESC LIMIT ?`,
        ...(states ?? []),
        ...[operation ?? null, operation ?? null, key ?? null, key ?? null],
        ...[since ?? 0, until ?? Number.MAX_SAFE_INTEGER, limit],
      );
    },
    prune(before) {
      const old = `at < ${Math.floor(before)} AND state NOT IN ('pending', 'unknown')`;
      store.run(`DELETE FROM label_files WHERE booking IN (SELECT id FROM bookings WHERE ${old})`);
      return store.run(
        `UPDATE bookings SET request = NULL, answer = NULL, why = '', files = '{}' WHERE ${old} AND request IS NOT NULL`,
      );
    },
  };
}
