import type { Host } from '../../host.ts';
import type { SqlValue, Store } from '../../sqlite.ts';
import type { Dialect } from '../dialect.ts';
import type { Processes } from '../holder.ts';
import { IS_OPEN } from '../row.ts';
import { addMade } from '../rules.ts';
import { composer, raw, type Steps, sql, type Value } from '../sql.ts';

export function sqliteDialect(processes: Processes, clock: Pick<Host, 'now'>): Dialect {
  const now = () => Math.floor(clock.now());
  const isOneOf = (column: string, values: readonly string[]) =>
    sql`${raw(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  return {
    now: () => sql`${now()}`,
    isOneOf,
    isLost: ({ leaseUntil, holder }) => now() >= leaseUntil || !processes.isAlive(JSON.parse(holder)),
    *recordOutcome(id, { state, code, why, httpStatus, answer, ids, labels }, { made, released, labelled }) {
      const { changed } =
        yield sql`UPDATE bookings SET state = ${state}, settled_at = ${now()}, code = ${code},
          why = ${why}, http_status = ${httpStatus}, answer = ${answer}, ids = ${JSON.stringify(ids)},
          labels = ${JSON.stringify(labels)}
        WHERE id = ${id} AND ${IS_OPEN}`;
      if (changed === 0) return;
      for (const one of made) yield addMade(one, id);
      if (released.length > 0)
        yield sql`DELETE FROM labels WHERE booking = ${id} AND ${isOneOf('leg', released)}`;
      for (const { leg, shipment } of labelled)
        yield sql`INSERT OR REPLACE INTO labels
          SELECT address, account, ${shipment}, ${leg}, id FROM bookings WHERE id = ${id}`;
    },
    *saveLabel(id, leg, pdf, file) {
      const text = Buffer.from(pdf).toString('base64');
      yield sql`INSERT OR REPLACE INTO label_files VALUES (${id}, ${leg}, ${text})`;
      yield sql`UPDATE bookings SET files = json_set(files, ${`$.${leg}`}, ${file}) WHERE id = ${id}`;
    },
    pdfOf: stored => Buffer.from(String(stored), 'base64'),
  };
}

const compose = composer(() => '?');

/** Runs the steps synchronously. */
export function runIn<T>(store: Store, steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) {
    const { text, values } = compose(step.value);
    step = steps.next(store.execute(text, values.map(storable)));
  }
  return step.value;
}

const storable = (value: Value): SqlValue =>
  typeof value === 'boolean' ? Number(value) : (value as SqlValue);
