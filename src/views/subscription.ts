import { getAt, textAt } from '../contract/paths.ts';
import { retryPolicyOf, retryWindow } from '../contract/retry-policy.ts';
import { duration } from '../output/duration.ts';
import type { View } from '../output/print.ts';
import { pairs } from '../output/table.ts';

/** How a subscription is shown (service document §2.4). */
export const subscriptionView = (data: unknown): View<unknown> => ({
  items: () => [data],
  essential: () => [textAt(data, ['id'])],
  table: (_, look) =>
    pairs(look, [
      ['Subscription', textAt(data, ['id'])],
      ['URL', textAt(data, ['url'])],
      ['Events', listed(getAt(data, ['events']))],
      ['Active', yesNo(getAt(data, ['isActive']))],
      ...Object.entries((getAt(data, ['headers']) as object | undefined) ?? {}).map(
        ([name, value]): [string, string] => [`Header ${name}`, String(value)],
      ),
      ...Object.entries((getAt(data, ['retryPolicy']) as object | undefined) ?? {}).map(
        ([name, value]): [string, string] => [`Retry ${name}`, String(value)],
      ),
      ['Retries', retryWords(data)],
      ...['secret', 'token'].flatMap((name): [string, string][] => {
        const value = textAt(data, [name]);
        return value === undefined ? [] : [[`${name} (given only once)`, value]];
      }),
      ['Created', textAt(data, ['createdAt'])],
      ['Updated', textAt(data, ['updatedAt'])],
    ]),
});

/** How long the policy retries: a receiver that is down for longer loses the event. */
const retryWords = (data: unknown): string => {
  const retry = retryPolicyOf(getAt(data, ['retryPolicy']));
  return `${retry.maxRetries}, covers ${duration(retryWindow(retry))}`;
};

const HOUR = 3_600_000;

/** Any receiver is down for an hour sooner or later; an event that is not delivered by then is lost. */
export function shortRetries(body: unknown): string[] {
  const retry = retryPolicyOf(getAt(body, ['retryPolicy']));
  const window = retryWindow(retry);
  if (window >= HOUR) return [];
  const enough = Array.from({ length: 100 }, (_, count) => ({ ...retry, maxRetries: count })).find(
    longer => retryWindow(longer) >= HOUR,
  );
  const cure = enough
    ? `--max-retries ${enough.maxRetries} covers ${duration(retryWindow(enough))}`
    : 'a longer initialDelayMs or a larger backoffMultiplier covers more';
  return [
    `the retry policy covers ${duration(window)}: an event is lost if the receiver is away for longer; ${cure}`,
  ];
}

const listed = (value: unknown) => (Array.isArray(value) ? value.join(', ') : undefined);
const yesNo = (value: unknown) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : undefined);
