import { getAt, textAt } from '../contract/paths.ts';
import { retryPolicyOf, retryWindow } from '../contract/retry-policy.ts';
import { duration } from '../output/duration.ts';
import type { View } from '../output/print.ts';
import { pairs } from '../output/table.ts';

/** How the response that has a subscription is shown (service document §2.4). */
export const subscriptionView: View<unknown> = {
  items: body => [dataOf(body)],
  essential: body => [textAt(dataOf(body), ['id'])],
  table(body, look) {
    const data = dataOf(body);
    const fields = (name: string, title: string) =>
      Object.entries(getAt(data, [name]) ?? {}).map(
        ([key, value]) => [`${title} ${key}`, String(value)] as const,
      );
    return pairs(look, [
      ['Subscription', textAt(data, ['id'])],
      ['URL', textAt(data, ['url'])],
      ['Events', listed(getAt(data, ['events']))],
      ['Active', yesNo(getAt(data, ['isActive']))],
      ...fields('headers', 'Header'),
      ...fields('retryPolicy', 'Retry'),
      ['Retries', retryWords(data)],
      ...['secret', 'token'].flatMap(name => {
        const value = textAt(data, [name]);
        return value === undefined ? [] : [[`${name} (given only once)`, value] as const];
      }),
      ['Created', textAt(data, ['createdAt'])],
      ['Updated', textAt(data, ['updatedAt'])],
    ]);
  },
};

const dataOf = (body: unknown) => getAt(body, ['data']);

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
