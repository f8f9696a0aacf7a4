import type { Host } from '../../host.ts';
import type { SqlValue, Store } from '../../sqlite.ts';
import type { Intent } from '../booking.ts';
import type { Dialect } from '../dialect.ts';
import type { Processes } from '../holder.ts';
import type { Obstacle } from '../journal.ts';
import { AWAITS_OUTCOME, HOLDS_KEY } from '../row.ts';
import { addMade, firstBooking, identityOf } from '../rules.ts';
import { composer, raw, type Steps, sql, type Value } from '../sql.ts';

/** How long after its lease a process counts as sending if it is known to run: it may be stopped. */
const RUNNING_MS = 60 * 60 * 1000;

export function sqliteDialect(processes: Processes, clock: Pick<Host, 'now'>): Dialect {
  const now = () => Math.floor(clock.now());
  const isOneOf = (column: string, values: readonly string[]) =>
    sql`${raw(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  return {
    now: () => sql`${now()}`,
    bytes: sql`(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())`,
    isOneOf,
    forUpdate: sql``,
    // A transaction is alone.
    unlocked: condition => condition,
    *lock() {},
    isLost({ leaseUntil, holder }) {
      const isAlive = processes.isAlive(JSON.parse(holder));
      return isAlive === false || now() >= leaseUntil + (isAlive ? RUNNING_MS : 0);
    },
    *recordOutcome(id, outcome, { made, released, labelled, names }, when = AWAITS_OUTCOME) {
      const { state, code, why, httpStatus, answer, ids, labels, overPrice } = outcome;
      const { changed } =
        yield sql`UPDATE bookings SET state = ${state}, settled_at = ${now()}, code = ${code},
          why = ${why}, http_status = ${httpStatus}, answer = ${answer}, ids = ${JSON.stringify(ids)},
          labels = ${JSON.stringify(labels)}, over_price = ${overPrice}
        WHERE id = ${id} AND ${when}`;
      if (changed === 0) return false;
      for (const one of made) yield addMade(one, id);
      if (released.length > 0)
        yield sql`DELETE FROM labels WHERE booking = ${id} AND ${isOneOf('leg', released)}`;
      for (const { leg, shipment } of labelled)
        yield sql`INSERT OR REPLACE INTO labels
          SELECT address, account, ${shipment}, ${leg}, id FROM bookings WHERE id = ${id}`;
      if (names !== '')
        yield sql`UPDATE found_by SET names = names || ${names}
          WHERE number = (SELECT number FROM bookings WHERE id = ${id})`;
      return true;
    },
    *saveLabel(id, leg, pdf, file) {
      const text = Buffer.from(pdf).toString('base64');
      yield sql`INSERT OR REPLACE INTO label_files (booking, leg, pdf) VALUES (${id}, ${leg}, ${text})`;
      yield sql`UPDATE bookings SET files = json_set(files, ${`$.${leg}`}, ${file}) WHERE id = ${id}`;
    },
    pdfOf: stored => Buffer.from(String(stored), 'base64'),
    contains: (column, text) => sql`instr(${column}, ${text}) > 0`,
  };
}

/**
 * The booking that holds the key, by another index than the one that usually finds it: damage to one of them must not
 * book a key again.
 */
export function* keyedObstacle(db: Dialect, { scope, keySpace, key }: Intent): Steps<Obstacle | undefined> {
  if (key === null) return undefined;
  const booking = yield* firstBooking(
    db,
    sql`key_id = ${identityOf(key)} AND address || '' = ${scope.address} AND account || '' = ${scope.account}
      AND key_space || '' = ${keySpace} AND ${HOLDS_KEY}`,
  );
  return booking && { kind: 'taken', booking };
}

const compose = composer<SqlValue>(() => '?', storable);

/** Runs the steps synchronously. */
export function runIn<T>(store: Store, steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) {
    const { text, values } = compose(step.value);
    step = steps.next(store.execute(text, values, step.value.isOne));
  }
  return step.value;
}

function storable(value: Value): SqlValue {
  return typeof value === 'boolean' ? Number(value) : (value as SqlValue);
}
