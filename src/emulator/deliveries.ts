import { retryDelay } from '../contract/retry-policy.ts';
import type { Store } from '../sqlite.ts';
import { findSubscription } from './subscriptions.ts';

/** One attempt: resolves with the status of the answer, rejects if none came. */
export type Send = (
  message: { url: string; headers: Readonly<Record<string, string>>; body: string },
  signal: AbortSignal,
) => Promise<number>;

/** `skipped`: its address is not on this machine. `failed`: the retries are used up. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'skipped';

export interface Delivery {
  number: number;
  subscription: string;
  /** The body that is sent, as JSON. */
  payload: string;
  state: DeliveryState;
  attempts: number;
  /** When the next attempt is due, in milliseconds since 1970. */
  due_at: number;
}

// Longer than an attempt can take: after it the claim of a process that died is over.
export const CLAIM_MS = 30_000;
const AT_ONCE = 16;

interface Sending {
  store: Store;
  now(): number;
  send: Send;
  signal: AbortSignal;
}

/** Sends what is due by `now()`; resolves when each of these attempts has ended and is recorded. */
export async function deliverDue(sending: Sending): Promise<void> {
  const { store, now } = sending;
  const due = store.all<Delivery>(
    "SELECT * FROM deliveries WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, number LIMIT ?",
    ...[now(), AT_ONCE],
  );
  await Promise.all(due.map(delivery => attempt(sending, delivery)));
}

async function attempt({ store, now, send, signal }: Sending, delivery: Delivery): Promise<void> {
  const claim = now() + CLAIM_MS;
  if (!update(store, delivery, delivery.due_at, { dueAt: claim })) return;
  const subscription = findSubscription(store, delivery.subscription);
  if (subscription === undefined) return;
  const { url, headers, retry } = subscription;
  let status: number | undefined;
  try {
    status = await send({ url, headers, body: delivery.payload }, signal);
  } catch {
    // Stopped by us, not by the receiver: the attempt does not count, and the next process makes it.
    if (signal.aborted) return void update(store, delivery, claim, { dueAt: now() });
  }
  const attempts = delivery.attempts + 1;
  if (status !== undefined && status >= 200 && status < 300)
    update(store, delivery, claim, { state: 'delivered', attempts });
  else if (attempts > retry.maxRetries) update(store, delivery, claim, { state: 'failed', attempts });
  else update(store, delivery, claim, { attempts, dueAt: now() + retryDelay(retry, attempts) });
}

// Compare and set on the due time: of two processes with one file only one can claim or update an attempt.
function update(
  store: Store,
  { number, state, attempts }: Delivery,
  dueWas: number,
  to: { state?: DeliveryState; attempts?: number; dueAt?: number },
): boolean {
  return (
    store.run(
      "UPDATE deliveries SET state = ?, attempts = ?, due_at = ? WHERE number = ? AND state = 'waiting' AND due_at = ?",
      ...[to.state ?? state, to.attempts ?? attempts, to.dueAt ?? dueWas, number, dueWas],
    ) === 1
  );
}

/** When the next attempt is due, in milliseconds since 1970. */
export const nextDelivery = (store: Store): number | undefined =>
  store.first<{ at: number | null }>("SELECT min(due_at) AS at FROM deliveries WHERE state = 'waiting'")
    ?.at ?? undefined;
