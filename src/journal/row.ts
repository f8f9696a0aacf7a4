import { OPERATIONS } from '../contract/operations.ts';
import { FAILURES } from '../errors.ts';
import { type Booking, HOLDING_STATES, type Settlement, STATES } from './booking.ts';
import { raw } from './sql.ts';

/** A booking as both databases store it. */
export interface Row
  extends Omit<
    Booking,
    'request' | 'ids' | 'labels' | 'files' | 'holder' | 'sandbox' | 'settlements' | 'overPrice'
  > {
  sandbox: number;
  overPrice: number | null;
  leaseUntil: number;
  holder: string;
  request: string | null;
  ids: string;
  labels: string;
  files: string;
  settlements: string;
}

// The casts are for PostgreSQL, which gives bigint as text.
export const COLUMNS = `id, address, account, operation, key_space AS "keySpace", key, fingerprint, source,
  record_name AS "recordName", state, profile, CAST(sandbox AS integer) AS sandbox,
  CAST(at AS float8) AS at, CAST(settled_at AS float8) AS "settledAt",
  CAST(lease_until AS float8) AS "leaseUntil", holder, request, code, why, http_status AS "httpStatus", answer, ids,
  labels, files, settlements, overtaken_by AS "overtakenBy", run, actor, max_price AS "maxPrice",
  CAST(over_price AS integer) AS "overPrice"`;

/** The same without request and answer, which are long. */
export const WITHOUT_BODIES = COLUMNS.replace(' request,', ' NULL AS request,').replace(
  ' answer,',
  ' NULL AS answer,',
);

/** The states that hold a key, for a condition. */
export const holdingList = HOLDING_STATES.map(state => `'${state}'`).join(', ');
export const HOLDS_KEY = raw(`state IN (${holdingList}) AND overtaken_by IS NULL`);
/** SQLite uses an index only for a condition with the same words. */
export const IS_OPEN = raw(`state IN ('pending', 'unknown')`);

/** An outcome may be recorded: none was, or it was not conclusive. */
export const AWAITS_OUTCOME = raw(`state IN ('pending', 'unknown') AND overtaken_by IS NULL`);

/** The lease is only in the row. Throws an error that names what is damaged, as a disk may leave it. */
export function bookingFrom({ leaseUntil: _, ...row }: Row): Booking {
  for (const [name, isSound] of CHECKS) if (!isSound(row[name])) throw damaged(row, name);
  const parsed = (name: 'holder' | 'request' | 'ids' | 'labels' | 'files' | 'settlements') => {
    try {
      const value: unknown = JSON.parse(row[name] ?? 'null');
      if (name === 'settlements' ? Array.isArray(value) : name === 'request' || isObject(value)) return value;
    } catch {
      // It is named below.
    }
    throw damaged(row, name);
  };
  return {
    ...row,
    sandbox: row.sandbox === 1,
    overPrice: row.overPrice === null ? null : row.overPrice === 1,
    holder: parsed('holder') as Booking['holder'],
    request: parsed('request'),
    ids: parsed('ids') as Booking['ids'],
    labels: parsed('labels') as Booking['labels'],
    files: parsed('files') as Booking['files'],
    settlements: parsed('settlements') as Settlement[],
    // The statement that finds lost bookings writes a time.
    settledAt: row.state === 'unknown' ? null : row.settledAt,
  };
}

const damaged = ({ id }: Pick<Row, 'id'>, name: string): Error =>
  new Error(`it is damaged: the "${name}" of booking ${id} is not what waybill writes`);

type Stored = Omit<Row, 'leaseUntil'>;
type Check = (value: unknown) => boolean;

const isObject: Check = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Check = value => typeof value === 'string';
const isTextOrNull: Check = value => value === null || isText(value);
const isNumber: Check = value => typeof value === 'number';
const isNumberOrNull: Check = value => value === null || isNumber(value);
// Beyond these there is no date.
const isTime: Check = value => isNumber(value) && Math.abs(value as number) <= 8.64e15;
const COMMANDS: readonly unknown[] = Object.values(OPERATIONS).map(({ command }) => command);

const CHECKS = Object.entries({
  id: isText,
  address: isText,
  account: isText,
  operation: value => COMMANDS.includes(value),
  keySpace: isText,
  key: isTextOrNull,
  fingerprint: isText,
  source: isTextOrNull,
  recordName: isTextOrNull,
  state: value => (STATES as readonly unknown[]).includes(value),
  profile: isTextOrNull,
  at: isTime,
  settledAt: value => value === null || isTime(value),
  code: value => value === null || Object.hasOwn(FAILURES, String(value)),
  why: isText,
  httpStatus: isNumberOrNull,
  answer: isTextOrNull,
  overtakenBy: isTextOrNull,
  run: isTextOrNull,
  actor: isTextOrNull,
  maxPrice: isTextOrNull,
  overPrice: isNumberOrNull,
} satisfies Partial<Record<keyof Stored, Check>>) as [keyof Stored, Check][];
