import type { Issue } from '../../contract/operation.ts';
import { addPrice, money, type Price } from '../../output/money.ts';
import type { ResultLine } from './result-line.ts';

/** What has become of the records of a run so far. */
export interface Tally {
  count(line: ResultLine): void;
  /** How many are in each state. */
  readonly states: Readonly<Record<string, number>>;
  /** What was booked in this run, or is estimated, by currency: decimal text. */
  readonly cost: Readonly<Record<string, string>>;
  /** Records that have ended. */
  readonly ended: number;
  /** Of them, those of which something was sent in this run. */
  readonly sent: number;
  /** Of them, those that an earlier run had created. */
  readonly already: number;
  /** Of them, those that did not get all that they asked for. */
  readonly failed: number;
  readonly unknown: number;
  readonly storage: boolean;
  /** What the first of them failed by, each with its line and key. */
  readonly failures: readonly Issue[];
}

/** More of them are not told one by one. */
const TOLD = 10;

export function createTally(): Tally {
  const states: Record<string, number> = {};
  const cost: Record<string, string> = {};
  const failures: Issue[] = [];
  const sums = { ended: 0, sent: 0, already: 0, failed: 0, storage: false };
  return {
    count({ state, exitCode, sent, price, currency, error, line, key }) {
      states[state] = (states[state] ?? 0) + 1;
      sums.ended += 1;
      if (sent) sums.sent += 1;
      else if (state === 'created') sums.already += 1;
      if (exitCode !== 0) sums.failed += 1;
      // One that was not begun has no exit code, and all of those have one reason.
      if (exitCode && error && failures.length < TOLD)
        failures.push({ path: `line ${line}${key === null ? '' : `, ${key}`}`, message: reasonOf(error) });
      if (error?.code === 'storage') sums.storage = true;
      if (!sent && state !== 'estimated') return;
      const name = currency ?? '';
      const sum = addPrice(cost[name], price as Price);
      if (sum !== undefined) cost[name] = sum;
    },
    states,
    cost,
    failures,
    get ended() {
      return sums.ended;
    },
    get sent() {
      return sums.sent;
    },
    get already() {
      return sums.already;
    },
    get failed() {
      return sums.failed;
    },
    get unknown() {
      return states.unknown ?? 0;
    },
    get storage() {
      return sums.storage;
    },
  };
}

/** What is wrong with the fields of an invalid record says more than that it is invalid. */
const reasonOf = ({ message, issues }: NonNullable<ResultLine['error']>): string =>
  issues.length === 0
    ? message
    : issues.map(({ path, message: why }) => [path, why].filter(Boolean).join(' ')).join('; ');

/** `12.40 EUR + 3.00 USD`; nothing where no answer told a price. */
export const costWords = (cost: Tally['cost']): string =>
  Object.entries(cost)
    .map(([currency, sum]) => money(sum, currency))
    .join(' + ');
