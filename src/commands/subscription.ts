import { getAt, textAt } from '../contract/paths.ts';
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
      ...['secret', 'token'].flatMap((name): [string, string][] => {
        const value = textAt(data, [name]);
        return value === undefined ? [] : [[`${name} (given only once)`, value]];
      }),
      ['Created', textAt(data, ['createdAt'])],
      ['Updated', textAt(data, ['updatedAt'])],
    ]),
});

const listed = (value: unknown) => (Array.isArray(value) ? value.join(', ') : undefined);
const yesNo = (value: unknown) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : undefined);
