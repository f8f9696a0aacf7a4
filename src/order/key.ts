// How an order is known again: by its fingerprint, and by its key.
import { hash } from 'node:crypto';
import { isSameKey, keyFault, mangledKeyFault } from '../contract/key.ts';
import { typedName } from '../contract/operations.ts';
import { isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { Booking } from '../journal/booking.ts';
import { minuteOf } from '../output/moment.ts';
import { leavesOf } from '../output/text.ts';
import { commandText, shown, someOf } from '../text.ts';
import { showCommand } from './next.ts';
import type { Means, Order } from './order.ts';

/** A hash of what the user gave, whatever the order of its fields. */
export const fingerprint = (given: unknown): string => hash('sha256', JSON.stringify(sorted(given)) ?? '');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = sortedNames(value);
  // Assignment is twice as fast, but for this name it would change the prototype.
  if (names.includes('__proto__')) return Object.fromEntries(names.map(name => [name, sorted(value[name])]));
  const copy: Record<string, unknown> = {};
  for (const name of names) copy[name] = sorted(value[name]);
  return copy;
}

const FEW = 40;

/** `sort` of V8 copies the list several times; for a few names it is twice as fast to insert each in its place. */
function sortedNames(value: Record<string, unknown>): string[] {
  const names = Object.keys(value);
  if (names.length > FEW) return names.sort();
  for (let next = 1; next < names.length; next += 1) {
    const name = names[next] as string;
    let at = next;
    for (; at > 0 && (names[at - 1] as string) > name; at -= 1) names[at] = names[at - 1] as string;
    names[at] = name;
  }
  return names;
}

/**
 * A key that nobody has booked may be damaged, or name an order that was booked under another key. Throws `usage`, and
 * `duplicate` if the key is no name that the user gave.
 */
export async function checkNewKey(order: Order, means: Means): Promise<void> {
  refuseMangled(order);
  if (order.allowDuplicate) return;
  const twin = await twinUnderOtherKey(order, means);
  if (twin === undefined) return;
  const isReserved = means.limits.refused.has('allowDuplicate');
  if (!order.isKeyOfPlan && !isReserved) return means.out.warn(otherKeyWarning(twin), { always: true });
  const { operation } = order;
  const show = showCommand(twin.id, means.targetFlags);
  throw new Failure(
    'duplicate',
    `${typedName(operation)}: ${sameContentWords(twin)}; nothing was sent. \`${commandText(show)}\` shows it. ${isReserved ? ONLY_AT_TERMINAL : 'The plan has no key of its own'}`,
    { operation: operation.command, booking: twin.id, next: [show] },
  );
}

/** Why an order is not booked under another key. */
export const ONLY_AT_TERMINAL =
  'The profile says policy.allowDuplicate=terminal: a person at a terminal may book it again';

/** A booking of the last day, or one that may exist, with the same input and another key. */
export async function twinUnderOtherKey(
  { operation, key, fingerprint }: Order,
  { journal, origin }: Means,
): Promise<Booking | undefined> {
  const twin = (await journal.twins(origin.scope, operation.command, [fingerprint])).get(fingerprint);
  // With the same key, another process was faster since the key was looked up.
  return twin && !isSameKey(twin.key, key) ? twin : undefined;
}

/** What a proposal fills in. */
const OF_PROPOSAL: readonly string[] = ['carrier.id', 'chargeableWeight'];

/**
 * Where an order is another one than the booking of its key, for a message: ` (it differs in packages[0].weight)`. Without
 * values, which may be personal. Empty if the journal has no request any more, or the difference is no field.
 */
export function differenceWords({ request }: Pick<Booking, 'request'>, body: unknown): string {
  if (!isRecord(request) || !isRecord(body)) return '';
  const [before, now] = [leavesOf(request), leavesOf(body)];
  const paths = [...new Set([...now.keys(), ...before.keys()])].filter(
    path => before.get(path) !== now.get(path) && !OF_PROPOSAL.includes(path),
  );
  return paths.length === 0 ? '' : ` (it differs in ${someOf(paths, 3)})`;
}

export function refuseMangled({ operation, key }: Pick<Order, 'operation' | 'key'>): void {
  const fault = key === undefined ? undefined : mangledKeyFault(key);
  if (fault !== undefined)
    throw new Failure('usage', `${typedName(operation)}: --key ${shown(key)} ${fault}; nothing was sent`, {
      operation: operation.command,
    });
}

/** Refuses what can be no key. Throws `usage`. */
export function checkKey(key: string | undefined): void {
  if (key?.trim() === '')
    throw new Failure('usage', '--key is empty; give it a name of your own, such as an order number');
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault !== undefined) throw new Failure('usage', `--key ${shown(key ?? '')} ${fault}; nothing was sent`);
}

/** `twin`: a booking with the input of an order that has another key. */
export const otherKeyWarning = (twin: Booking, what = sameContentWords(twin)): string =>
  `${what}: this key is another one, so it is booked once more. \`waybill history show ${twin.id}\` shows that order`;

export const sameContentWords = (twin: Booking): string =>
  `an order with the same content was booked ${bookedWords(twin)}`;

/** When, and as what: `at 09:38 with the key "A" (bk_1, created)`. */
export const bookedWords = ({ id, key, state, at }: Booking): string =>
  `at ${minuteOf(at)} ${key === null ? 'without a key' : `with the key ${JSON.stringify(key)}`} (${id}, ${state})`;
