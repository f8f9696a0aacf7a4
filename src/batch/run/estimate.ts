// What the records of a batch would cost, asked for before a person says yes to them. Nothing is booked.
import { keyIdentity } from '../../contract/key.ts';
import { readPrice } from '../../contract/read.ts';
import { FAILURES, Failure } from '../../errors.ts';
import { stopIfInterrupted } from '../../host/signals.ts';
import { isMade } from '../../journal/booking.ts';
import { addPrice, costWords } from '../../output/money.ts';
import { collectWarnings, recordDesk } from './job.ts';
import type { BatchRun } from './open.ts';
import type { QueuedRecord } from './queue.ts';
import { FaultGroups } from './tally.ts';

/** Reasons that are listed one by one. */
const MAX_LISTED = 10;

/** Records that are looked up in the journal together. */
const AT_ONCE = 500;

/** Failures in a row after which the service is not asked any more. */
const MOST_FAILED = 5;

/** Asks for the price of each record, and says what all of them cost, with which carriers, and which have none. */
export async function estimateAll<O>(run: BatchRun<O>): Promise<void> {
  const { desk, options, spool } = run;
  const { host, printer } = desk;
  const costs: Record<string, string> = {};
  const carriers: Record<string, number> = {};
  const fallen = new FaultGroups();
  const warned = new FaultGroups();
  let [asked, withoutPrice, failed, inARow] = [0, 0, 0, 0];
  let last: Failure | undefined;

  const estimate = async (record: QueuedRecord): Promise<void> => {
    const own = collectWarnings(desk.globals.strict);
    asked += 1;
    try {
      const found = await run.work.estimate?.(recordDesk(run, own), record);
      if (found?.failure) throw found.failure;
      const { carrier, price, currency } = found?.facts ?? {};
      const amount = readPrice(price, currency);
      if (amount !== undefined && currency) costs[currency] = addPrice(costs[currency], amount);
      else withoutPrice += 1;
      const name = carrier ?? 'not known';
      carriers[name] = (carriers[name] ?? 0) + 1;
      inARow = 0;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed += 1;
      last = error;
      // That no carrier takes an order says nothing of the service.
      inARow = ENDED_BY_SERVICE.has(FAILURES[error.code].exit) ? inARow + 1 : 0;
      fallen.add({ line: record.line, key: record.key ?? null }, { path: '', message: error.message });
    }
    for (const { text } of own.take()) warned.add({ line: record.line }, { path: '', message: text });
    await printer.progress(`estimating, ${asked} of ${spool.size}`);
  };

  const records = toEstimate(run);
  const work = async (): Promise<void> => {
    for (let next = await records.next(); !next.done; next = await records.next()) {
      stopIfInterrupted(host);
      if (inARow >= MOST_FAILED) return;
      await estimate(next.value);
      if (options.rate !== undefined) await host.sleep(1000 / options.rate, host.interrupted).catch(() => {});
    }
  };
  try {
    await Promise.all(Array.from({ length: options.rate === undefined ? options.concurrency : 1 }, work));
  } finally {
    await printer.progress('');
  }

  const total = [costWords(costs), withoutPrice > 0 && `${withoutPrice} without a price`].filter(Boolean);
  const byCarrier = Object.entries(carriers)
    .sort(([, one], [, other]) => other - one)
    .map(([carrier, count]) => `${carrier} ${count}`);
  await printer.note(
    `estimate of ${asked - failed} of ${spool.size} records: ${total.join(', ') || 'no price'}. By carrier: ${byCarrier.join(', ') || 'none'}`,
  );
  await tell(failed === 1 ? '1 record falls out' : `${failed} records fall out`, fallen, asked);
  await tell('proposals that cannot be booked, and are left out of the choice', warned, asked);
  if (inARow >= MOST_FAILED)
    await printer.note(`the estimate stopped, because several records in a row failed: ${last?.message}`);

  async function tell(what: string, groups: FaultGroups, count: number): Promise<void> {
    if (groups.count === 0) return;
    const { issues, covered } = groups.listed(count, MAX_LISTED, {});
    const more = groups.count - covered;
    const lines = issues.map(({ path, message }) => `\n  ${path}: ${message}`).join('');
    await printer.note(`${what}:${lines}${more > 0 ? `\n  and ${more} more` : ''}`);
  }
}

/** Not reached, refused, or asked too often. */
const ENDED_BY_SERVICE: ReadonlySet<number> = new Set(
  (['unauthorized', 'rate_limited', 'unavailable'] as const).map(code => FAILURES[code].exit),
);

/** The records that are not booked yet: of others only the label is missing. Workers take from it in turn. */
async function* toEstimate<O>({ spool, means, job }: BatchRun<O>): AsyncGenerator<QueuedRecord> {
  const { keySpace } = job.operation;
  const records = spool.all();
  for (;;) {
    const page = [...take(records, AT_ONCE)];
    if (page.length === 0) return;
    const keys = page.flatMap(({ key }) => key ?? []);
    const booked =
      keySpace === null || means === undefined
        ? undefined
        : await means.journal.latestBy(means.origin.scope, { keySpace }, keys.map(keyIdentity));
    for (const record of page) {
      const booking = record.key === undefined ? undefined : booked?.get(keyIdentity(record.key));
      if (booking === undefined || !isMade(booking)) yield record;
    }
  }
}

function* take<T>(all: Iterator<T>, most: number): Generator<T> {
  for (let count = 0; count < most; count += 1) {
    const next = all.next();
    if (next.done) return;
    yield next.value;
  }
}
