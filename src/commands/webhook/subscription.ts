import { getAt, isRecord, textAt } from '../../contract/paths.ts';
import { read, readId, readNumber, readText } from '../../contract/read.ts';
import {
  RETRY_DEFAULTS,
  type RetryPolicy,
  retryPolicyOf,
  retryWindow,
} from '../../contract/subscriptions.ts';
import { duration } from '../../output/moment.ts';
import type { View } from '../../output/print.ts';
import { pairs } from '../../output/table.ts';

const SECRETS = ['secret', 'token'];

/**
 * How a response that has a subscription is shown (service document §2.4). What it does not say is taken from the request, if
 * there is one; nothing is assumed.
 */
export const subscriptionView = ({
  content,
  request,
}: {
  content: unknown;
  request?: unknown;
}): View<unknown> => {
  const data = getAt(content, ['data']);
  const said = (name: string): unknown => getAt(data, [name]) ?? getAt(request, [name]);
  const textOf = (name: string) => read(readText, said(name));
  const retryPolicy = { ...partOf(request, 'retryPolicy'), ...partOf(data, 'retryPolicy') };
  const fields = (values: object, title: string) =>
    Object.entries(values).map(([key, value]) => [`${title} ${key}`, String(value)] as const);
  return {
    items: () => [data],
    essential: () => [read(readId, getAt(data, ['id']))],
    table: (_, look) =>
      pairs(look, [
        ['Subscription', read(readId, getAt(data, ['id']))],
        ['URL', textOf('url')],
        ['Events', listed(said('events'))],
        ['Active', yesNo(getAt(data, ['isActive']))],
        ...fields(said('headers') ?? {}, 'Header'),
        ...fields(retryPolicy, 'Retry'),
        ['Retries', retryWords(retryPolicy)],
        ...SECRETS.flatMap(name => {
          const value = read(readText, getAt(data, [name]));
          return value === undefined ? [] : [[`${name} (given only once)`, value] as const];
        }),
        ['Created', textAt(data, ['createdAt'])],
        ['Updated', textAt(data, ['updatedAt'])],
      ]),
  };
};

function partOf(value: unknown, name: string): object {
  const part = getAt(value, [name]);
  return isRecord(part) ? part : {};
}

/** How long the policy retries: a receiver that is down for longer loses the event. No words if a part of it is not known. */
function retryWords(policy: unknown): string | undefined {
  const known = Object.keys(RETRY_DEFAULTS).map(
    name => [name, read(readNumber, getAt(policy, [name]))] as const,
  );
  if (known.some(([, value]) => value === undefined)) return undefined;
  const retry = Object.fromEntries(known) as unknown as RetryPolicy;
  return `${retry.maxRetries}, covers ${duration(retryWindow(retry))}`;
}

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
