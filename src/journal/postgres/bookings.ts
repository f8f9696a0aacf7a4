import { LEGS, type Leg } from '../../contract/operation.ts';
import type { Ids } from '../../journal/journal.ts';
import {
  type Booking,
  type BookingWithLabels,
  type Filter,
  HOLDING_STATES,
  type Holder,
  type ImportResult,
  type Intent,
  type LabelRecord,
  type LookUpBy,
  type Obstacle,
  type RecordedOutcome,
  type Scope,
} from '../journal.ts';
import { bookingOf as fromRow, holding, type Row } from '../sqlite/schema.ts';
import type { Query } from './connection.ts';

const DAY = 24 * 60 * 60 * 1000;

/** The server's clock alone counts, in ms: those of the machines that book may be wrong. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

// What was taken over from elsewhere comes last, though it may be older than what holds the key.
const HELD_FIRST = `(state IN (${holding})) DESC, number DESC`;

const COLUMNS = `id, address, account, operation, key_space AS "keySpace", key, fingerprint, source, state, profile,
  sandbox::integer AS sandbox, at::float8 AS at, settled_at::float8 AS "settledAt", lease_until::float8 AS "leaseUntil",
  holder, request, code, why, http_status AS "httpStatus", answer, ids, labels, files`;

/**
 * A booking whose lease is over can no longer be told: `unknown`, for everybody. One that somebody writes at this moment
 * is left to them, so that readers wait for nobody.
 */
const LOST = `UPDATE bookings SET state = 'unknown', code = 'outcome_unknown', settled_at = ${NOW},
  why = 'whoever sent it did not record an outcome, and has not been heard of since'
  WHERE number IN (SELECT number FROM bookings WHERE state = 'pending' AND lease_until <= ${NOW} FOR UPDATE SKIP LOCKED)`;

/** What the journal asks of its tables; each is one statement, but for `claim` without a key. */
export const bookingsAt = (query: Query, lease: number) => {
  async function all(rest: string, ...values: unknown[]): Promise<Booking[]> {
    await query(LOST);
    return (await query<Row>(`SELECT ${COLUMNS} FROM bookings WHERE ${rest}`, values)).map(fromRow);
  }
  const first = async (rest: string, ...values: unknown[]): Promise<Booking | undefined> =>
    (await all(`${rest} LIMIT 1`, ...values))[0];

  async function labelOf({ address, account }: Scope, shipment: string): Promise<LabelRecord | undefined> {
    const [found] = await query<{ booking: string; leg: Leg }>(
      'SELECT booking, leg FROM labels WHERE address = $1 AND account = $2 AND shipment = $3',
      [address, account, shipment],
    );
    const booking = found && (await first('id = $1', found.booking));
    return booking && { booking, leg: found.leg };
  }

  async function obstacle(intent: Intent): Promise<Obstacle | undefined> {
    const { scope, operation, keySpace, key, fingerprint, labels, allowDuplicate } = intent;
    const mine = [scope.address, scope.account];
    const keyed =
      key === null
        ? undefined
        : await first(
            `address = $1 AND account = $2 AND key_space = $3 AND key = $4 AND state IN (${holding})`,
            ...[...mine, keySpace, key],
          );
    if (keyed) return { kind: 'taken', booking: keyed };
    if (allowDuplicate) return undefined;
    for (const { shipment } of labels) {
      const labelled = await labelOf(scope, shipment);
      if (labelled) return { kind: 'taken', booking: labelled.booking };
    }
    if (key !== null || labels.length > 0) return undefined;
    const twin = await first(
      `address = $1 AND account = $2 AND operation = $3 AND fingerprint = $4
       AND (state IN ('pending', 'unknown') OR (state IN ('created', 'partial') AND at > ${NOW} - ${DAY}))
       ORDER BY number DESC`,
      ...[...mine, operation, fingerprint],
    );
    return twin && { kind: 'twin', booking: twin };
  }

  return {
    first,
    labelOf,
    obstacle,

    /** Says whether it was written: not where its key is held. */
    async insert(id: string, intent: Intent, holder: Holder): Promise<boolean> {
      const { scope, operation, keySpace, key, fingerprint, source, request, profile, sandbox } = intent;
      const { address, account } = scope;
      const written = await query(
        `INSERT INTO bookings (id, address, account, operation, key_space, key, fingerprint, source, state, profile,
           sandbox, at, lease_until, holder, request)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, $10, ${NOW}, ${NOW} + $11::bigint, $12, $13)
         ON CONFLICT (address, account, key_space, key) WHERE key IS NOT NULL AND state IN (${holding}) DO NOTHING
         RETURNING id`,
        [
          ...[id, address, account, operation, keySpace, key, fingerprint, source, profile, sandbox],
          ...[lease, JSON.stringify(holder), JSON.stringify(request)],
        ],
      );
      return written.length > 0;
    },

    /** Everybody else who wants the same without a key, or a label of the same shipment, waits until this is through. */
    async lock({ scope: { address, account }, operation, fingerprint, labels }: Intent): Promise<void> {
      const names =
        labels.length > 0 ? labels.map(({ shipment }) => shipment) : [`${operation} ${fingerprint}`];
      // In one order, so that two of them never wait for each other.
      for (const name of names.sort())
        await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
          JSON.stringify([address, account, name]),
        ]);
    },

    async claimLabels(id: string, { scope: { address, account }, labels }: Intent): Promise<void> {
      for (const { leg, shipment } of labels)
        await query(
          `INSERT INTO labels VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (address, account, shipment) DO UPDATE SET leg = excluded.leg, booking = excluded.booking`,
          [address, account, shipment, leg, id],
        );
    },

    /** Settles a booking that is still open: an outcome that was recorded is never written over. */
    async settle(id: string, settlement: RecordedOutcome): Promise<void> {
      const { state, code, why, httpStatus, answer, ids, labels } = settlement;
      const made = LEGS.filter(leg => labels[leg]?.made === true && ids[leg] !== undefined);
      const isThere = state === 'created' || state === 'partial';
      // A label that was asked for and not made may be asked for again.
      const unclaimed = isThere
        ? LEGS.filter(leg => labels[leg]?.made !== true)
        : HOLDING_STATES.includes(state)
          ? []
          : LEGS;
      await query(
        `WITH settled AS (
           UPDATE bookings SET state = $2, settled_at = ${NOW}, code = $3, why = $4, http_status = $5, answer = $6,
             ids = $7, labels = $8
           WHERE id = $1 AND state IN ('pending', 'unknown') RETURNING id, address, account
         ), known AS (
           INSERT INTO made SELECT DISTINCT one, settled.id FROM settled, unnest($12::text[]) AS ids (one)
           ON CONFLICT DO NOTHING
         ), given_back AS (
           DELETE FROM labels USING settled WHERE booking = settled.id AND leg = ANY ($9)
         )
         INSERT INTO labels SELECT DISTINCT ON (shipment) address, account, shipment, leg, id
         FROM settled, unnest($10::text[], $11::text[]) AS claimed (shipment, leg) ORDER BY shipment, leg
         ON CONFLICT (address, account, shipment) DO UPDATE SET leg = excluded.leg, booking = excluded.booking`,
        [
          ...[id, state, code, why, httpStatus, answer],
          ...[JSON.stringify(ids), JSON.stringify(labels), unclaimed],
          ...(isThere ? [made.map(leg => ids[leg]), made] : [[], []]),
          Object.values(ids),
        ],
      );
    },

    async renew(ids: readonly string[]): Promise<void> {
      await query(
        `UPDATE bookings SET lease_until = ${NOW} + $2::bigint WHERE id = ANY ($1) AND state = 'pending'`,
        [ids, lease],
      );
    },

    async bookingOf(
      { address, account }: Scope,
      id: string,
    ): Promise<{ booking: Booking; kind: keyof Ids } | undefined> {
      const booking = await first(
        'address = $1 AND account = $2 AND id IN (SELECT booking FROM made WHERE made.id = $3) ORDER BY number DESC',
        ...[address, account, id],
      );
      const kind =
        booking && (Object.keys(booking.ids) as (keyof Ids)[]).find(name => booking.ids[name] === id);
      return kind && { booking, kind };
    },

    async keepLabel(id: string, leg: Leg, pdf: Uint8Array, path: string): Promise<void> {
      await query(
        `WITH kept AS (
           INSERT INTO label_files VALUES ($1, $2, $3) ON CONFLICT (booking, leg) DO UPDATE SET pdf = excluded.pdf
         )
         UPDATE bookings SET files = jsonb_set(files::jsonb, ARRAY[$2], to_jsonb($4::text))::text WHERE id = $1`,
        [id, leg, Buffer.from(pdf), path],
      );
    },

    async keptLabel(id: string, leg: Leg): Promise<Uint8Array | undefined> {
      const [row] = await query<{ pdf: Buffer }>(
        'SELECT pdf FROM label_files WHERE booking = $1 AND leg = $2',
        [id, leg],
      );
      return row?.pdf;
    },

    async recall({ address, account }: Scope, by: LookUpBy, values: readonly string[]) {
      await query(LOST);
      const columns = COLUMNS.replace(' request,', ' NULL AS request,');
      const rows = await query<Row>(
        by === 'source'
          ? `SELECT DISTINCT ON (source) ${columns} FROM bookings
             WHERE source = ANY ($3) AND key IS NULL AND address = $1 AND account = $2 ORDER BY source, ${HELD_FIRST}`
          : `SELECT DISTINCT ON (key) ${columns} FROM bookings
             WHERE key = ANY ($3) AND address = $1 AND account = $2 AND key_space = $4 ORDER BY key, ${HELD_FIRST}`,
        [address, account, values, ...(by === 'source' ? [] : [by.keySpace])],
      );
      return new Map(rows.map(row => [(by === 'source' ? row.source : row.key) ?? '', fromRow(row)]));
    },

    async known(keys: readonly string[], shipments: readonly string[]): Promise<Set<string>> {
      const rows = await query<{ word: string }>(
        `SELECT key AS word FROM bookings WHERE key = ANY ($1) AND state IN (${holding})
         UNION SELECT id FROM made WHERE id = ANY ($2)
         UNION SELECT shipment FROM labels WHERE shipment = ANY ($2)`,
        [keys, shipments],
      );
      return new Set(rows.map(({ word }) => word));
    },

    list({ states, operation, key, since, until, limit, before }: Filter): Promise<Booking[]> {
      const values: unknown[] = [];
      const where = ['true'];
      const also = (value: unknown, condition: (parameter: string) => string) => {
        if (value === undefined) return;
        values.push(value);
        where.push(condition(`$${values.length}`));
      };
      // Spelled out, so that the index of those that are not settled is found.
      if (states?.length) where.push(`state IN (${states.map(state => `'${state}'`).join(', ')})`);
      also(operation, name => `operation = ${name}`);
      also(key, name => `key = ${name}`);
      also(since && Math.floor(since), time => `at >= ${time}::bigint`);
      also(until && Math.floor(until), time => `at <= ${time}::bigint`);
      also(before, id => `number < (SELECT number FROM bookings WHERE id = ${id})`);
      return all(`${where.join(' AND ')} ORDER BY number DESC LIMIT ${limit ?? 'ALL'}`, ...values);
    },

    claimsOf: (id: string): Promise<{ leg: Leg; shipment: string }[]> =>
      query('SELECT leg, shipment FROM labels WHERE booking = $1 ORDER BY leg DESC', [id]),

    /** In a transaction. */
    async take({ booking, labels }: BookingWithLabels): Promise<ImportResult> {
      const { id, request, ids } = booking;
      const { address, account } = booking;
      if (await first('id = $1', id)) return { kind: 'known' };
      for (const { shipment } of labels) {
        const found = await labelOf({ address, account }, shipment);
        if (found) return { kind: 'held', by: found.booking.id };
      }
      const taken = await query(
        `INSERT INTO bookings (id, address, account, operation, key_space, key, fingerprint, source, state, profile,
           sandbox, at, settled_at, lease_until, holder, request, code, why, http_status, answer, ids, labels, files)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $14, $15, $16, $17, $18, $19, $20, $21, $22)
         ON CONFLICT DO NOTHING RETURNING id`,
        [
          ...[id, address, account, booking.operation, booking.keySpace, booking.key, booking.fingerprint],
          ...[booking.source, booking.state, booking.profile, booking.sandbox, booking.at, booking.settledAt],
          ...[
            JSON.stringify(booking.holder),
            request === null ? null : JSON.stringify(request),
            booking.code,
          ],
          ...[booking.why, booking.httpStatus, booking.answer],
          ...[JSON.stringify(ids), JSON.stringify(booking.labels), JSON.stringify(booking.files)],
        ],
      );
      if (taken.length === 0) {
        const held = await first(
          `address = $1 AND account = $2 AND key_space = $3 AND key = $4 AND state IN (${holding})`,
          ...[address, account, booking.keySpace, booking.key],
        );
        return { kind: 'held', by: held?.id ?? '' };
      }
      for (const made of Object.values(ids))
        await query('INSERT INTO made VALUES ($1, $2) ON CONFLICT DO NOTHING', [made, id]);
      for (const { leg, shipment } of labels)
        await query('INSERT INTO labels VALUES ($1, $2, $3, $4, $5)', [address, account, shipment, leg, id]);
      return { kind: 'taken' };
    },

    async prune(before: number): Promise<number> {
      const old = `at < ${Math.floor(before)} AND state NOT IN ('pending', 'unknown')`;
      await query(`DELETE FROM label_files WHERE booking IN (SELECT id FROM bookings WHERE ${old})`);
      const pruned = await query(
        `UPDATE bookings SET request = NULL, answer = NULL, why = '', files = '{}' WHERE ${old}
         AND (request IS NOT NULL OR answer IS NOT NULL) RETURNING 1`,
      );
      return pruned.length;
    },
  };
};
