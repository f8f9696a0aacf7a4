import type { Issue } from '../../contract/operation.ts';
import { addPrice, money, type Price } from '../../output/money.ts';
import { type ResultLine, reasonOf } from './result-line.ts';

/** Failures that are listed one by one. */
const MAX_LISTED = 10;

/** Counts what became of the records of a run. */
export class Tally {
  /** How many are in each state. */
  readonly states: Record<string, number> = {};
  /** What was booked in this run, or is estimated, by currency: decimal text. */
  readonly cost: Record<string, string> = {};
  /** The first failures, each with its line and key. */
  readonly failures: Issue[] = [];
  /** Records that have a result line. */
  ended = 0;
  /** Of them, those of which something was sent in this run. */
  sent = 0;
  /** Of them, those that an earlier run created. */
  already = 0;
  /** Of them, those whose exit code is not 0. */
  failed = 0;
  /** Could the journal or a file not be written? */
  storage = false;

  get unknown(): number {
    return this.states.unknown ?? 0;
  }

  count({ state, exitCode, sent, price, currency, error, line, key }: ResultLine): void {
    this.states[state] = (this.states[state] ?? 0) + 1;
    this.ended += 1;
    if (sent) this.sent += 1;
    else if (state === 'created') this.already += 1;
    if (exitCode !== 0) this.failed += 1;
    // A record that was not started has no exit code; all of those have the same reason.
    if (exitCode && error && this.failures.length < MAX_LISTED)
      this.failures.push({ path: `line ${line}${key === null ? '' : `, ${key}`}`, message: reasonOf(error) });
    if (error?.code === 'storage') this.storage = true;
    if (!sent && state !== 'estimated') return;
    const name = currency ?? '';
    const sum = addPrice(this.cost[name], price as Price);
    if (sum !== undefined) this.cost[name] = sum;
  }
}

/** `12.40 EUR + 3.00 USD`; empty if there is no price. */
export const costWords = (cost: Tally['cost']): string =>
  Object.entries(cost)
    .map(([currency, sum]) => money(sum, currency))
    .join(' + ');
