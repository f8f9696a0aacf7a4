import { type Booking, HOLDING_STATES } from './journal.ts';
import { raw } from './sql.ts';

/** A booking as both databases store it. */
export interface Row extends Omit<Booking, 'request' | 'ids' | 'labels' | 'files' | 'holder' | 'sandbox'> {
  sandbox: number;
  leaseUntil: number;
  holder: string;
  request: string | null;
  ids: string;
  labels: string;
  files: string;
}

// The casts are for PostgreSQL, which gives bigint as text.
export const COLUMNS = `id, address, account, operation, key_space AS "keySpace", key, fingerprint, source, state,
  profile, CAST(sandbox AS integer) AS sandbox, CAST(at AS float8) AS at, CAST(settled_at AS float8) AS "settledAt",
  CAST(lease_until AS float8) AS "leaseUntil", holder, request, code, why, http_status AS "httpStatus", answer, ids,
  labels, files`;

/** The states that hold a key, for a condition. */
export const holdingList = HOLDING_STATES.map(state => `'${state}'`).join(', ');
export const HOLDS_KEY = raw(`state IN (${holdingList})`);
/** SQLite uses an index only for a condition with the same words. */
export const IS_OPEN = raw(`state IN ('pending', 'unknown')`);

/** The lease is only in the row. */
export function bookingFrom({ leaseUntil: _, ...row }: Row): Booking {
  return {
    ...row,
    sandbox: row.sandbox === 1,
    holder: JSON.parse(row.holder),
    request: row.request === null ? null : JSON.parse(row.request),
    ids: JSON.parse(row.ids),
    labels: JSON.parse(row.labels),
    files: JSON.parse(row.files),
  };
}
