import { createHash } from 'node:crypto';
import type { RetryPolicy } from '../contract/retry-policy.ts';
import { EVENTS } from '../contract/subscriptions.ts';
import { isLoopback } from '../loopback.ts';
import type { Store } from '../sqlite.ts';
import { freshId } from './ids.ts';
import type { World } from './wire.ts';

/** §2.4 without secret and token, which are not stored. */
export interface Subscription {
  id: string;
  url: string;
  events: readonly string[];
  headers: Readonly<Record<string, string>>;
  retry: RetryPolicy;
  /** Milliseconds since 1970. */
  createdAt: number;
}

type Row = Pick<Subscription, 'id' | 'url' | 'createdAt'> & Record<'events' | 'headers' | 'retry', string>;

const SELECT = 'SELECT id, url, events, headers, retry, created_at AS createdAt FROM subscriptions';

const fromRow = (row: Row): Subscription => ({
  ...row,
  events: JSON.parse(row.events),
  headers: JSON.parse(row.headers),
  retry: JSON.parse(row.retry),
});

/** To be called in a transaction. */
export function addSubscription(
  store: Store,
  made: Omit<Subscription, 'id'>,
  random: () => number,
): Subscription {
  const id = freshId('sub', random, taken => findSubscription(store, taken) !== undefined);
  store.run(
    'INSERT INTO subscriptions (id, url, events, headers, retry, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    ...[id, made.url, JSON.stringify(made.events), JSON.stringify(made.headers)],
    ...[JSON.stringify(made.retry), made.createdAt],
  );
  return { id, ...made };
}

export function findSubscription(store: Store, id: string): Subscription | undefined {
  const row = store.first<Row>(`${SELECT} WHERE id = ?`, id);
  return row && fromRow(row);
}

export interface StatusChange {
  world: World;
  shipmentId: string;
  /** Status and milestone, which are equal in all that the document shows. */
  status: string;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * Queues a delivery of each event of §6 for each of its subscriptions. The sandbox has none, because it has no operation
 * to create one. To be called in the transaction of the change itself, so that no event is lost.
 */
export function announce(store: Store, change: StatusChange): void {
  if (change.world === 'sandbox') return;
  const { shipmentId, status, at } = change;
  const rows = store.all<Row>(`${SELECT} ORDER BY created_at, id`);
  for (const subscription of rows.map(fromRow)) {
    // The emulator is for tests and demos: it sends nothing to another machine.
    const state = isLoopback(new URL(subscription.url).hostname) ? 'waiting' : 'skipped';
    for (const type of Object.keys(EVENTS).filter(event => subscription.events.includes(event))) {
      const payload = {
        id: eventId(subscription.id, type, shipmentId, status),
        type,
        createdAt: new Date(at).toISOString(),
        data: { shipmentId, status, milestone: status },
      };
      store.run(
        'INSERT INTO deliveries (subscription, payload, state, attempts, due_at) VALUES (?, ?, ?, 0, ?)',
        ...[subscription.id, JSON.stringify(payload), state, at],
      );
    }
  }
}

// The same for all attempts, and different for each subscription.
const eventId = (...facts: string[]): string =>
  `evt_${createHash('sha256').update(facts.join(' ')).digest('hex').slice(0, 24)}`;
