import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { retryDelay } from '../contract/subscriptions.ts';
import type { Store } from '../host/sqlite.ts';
import { findSubscription } from './world.ts';

// Events on their way to the subscriptions. The queue is in the data, so that the next process goes on with it.

/** One attempt: resolves with the status of the answer, rejects if none came. */
export type Send = (
  message: { url: string; headers: Readonly<Record<string, string>>; body: string },
  signal: AbortSignal,
) => Promise<number>;

interface Delivery {
  number: number;
  subscription: string;
  /** The body that is sent, as JSON. */
  payload: string;
  /** `skipped`: its address is not on this machine. `failed`: the retries are used up. */
  state: 'waiting' | 'delivered' | 'failed' | 'skipped';
  attempts: number;
  /** When the next attempt is due, in ms since 1970. */
  dueAt: number;
}

const TIMEOUT_MS = 10_000;
/** Longer than an attempt can take: after it the claim of a process that died is over. */
export const CLAIM_MS = 30_000;
const AT_ONCE = 16;

interface Sending {
  store: Store;
  now(): number;
  send: Send;
  /** Stops the attempts in flight; the next process that opens the data makes them again. */
  signal: AbortSignal;
}

/** Sends what is due by `now()`; resolves when each of these attempts has ended and is recorded. */
export async function deliverDue(sending: Sending): Promise<void> {
  const { store, now } = sending;
  const due = store.all<Delivery>(
    "SELECT * FROM deliveries WHERE state = 'waiting' AND dueAt <= ? ORDER BY dueAt, number LIMIT ?",
    now(),
    AT_ONCE,
  );
  await Promise.all(due.map(delivery => attempt(sending, delivery)));
}

async function attempt({ store, now, send, signal }: Sending, delivery: Delivery): Promise<void> {
  const claim = now() + CLAIM_MS;
  if (!update(store, delivery, delivery.dueAt, { dueAt: claim })) return;
  const subscription = findSubscription(store, delivery.subscription);
  if (subscription === undefined) return;
  const { url, headers, retry } = subscription;
  let status = 0;
  try {
    status = await send({ url, headers, body: delivery.payload }, signal);
  } catch {
    // Stopped by us, not by the receiver: the attempt does not count.
    if (signal.aborted) return void update(store, delivery, claim, { dueAt: now() });
  }
  const attempts = delivery.attempts + 1;
  if (status >= 200 && status < 300) update(store, delivery, claim, { state: 'delivered', attempts });
  else if (attempts > retry.maxRetries) update(store, delivery, claim, { state: 'failed', attempts });
  else update(store, delivery, claim, { attempts, dueAt: now() + retryDelay(retry, attempts) });
}

/** Compare and set on the due time: of two processes with one file only one can claim or update an attempt. */
function update(store: Store, delivery: Delivery, dueWas: number, change: Partial<Delivery>): boolean {
  const { number, state, attempts, dueAt } = { ...delivery, dueAt: dueWas, ...change };
  const changed = store.run(
    "UPDATE deliveries SET state = ?, attempts = ?, dueAt = ? WHERE number = ? AND state = 'waiting' AND dueAt = ?",
    state,
    attempts,
    dueAt,
    number,
    dueWas,
  );
  return changed === 1;
}

/** When the next attempt is due, in ms since 1970. */
export const nextDelivery = (store: Store): number | undefined =>
  store.first<{ at: number | null }>("SELECT min(dueAt) AS at FROM deliveries WHERE state = 'waiting'")?.at ??
  undefined;

/** POSTs one delivery to a receiver on this machine. */
export const sendOnLoopback: Send = ({ url, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const target = new URL(url);
    const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(
      target,
      {
        method: 'POST',
        agent: false,
        signal,
        timeout: TIMEOUT_MS,
        // No authority issues certificates for loopback, and there is no network in between.
        rejectUnauthorized: false,
        headers: {
          ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, latin1(value)])),
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
        },
      },
      answer => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    // As bytes: together with a text, Node would write the headers in the encoding of the text.
    sent.end(Buffer.from(body));
  });

// Header values travel as bytes; node takes one byte a character.
const latin1 = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
