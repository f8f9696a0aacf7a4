import { retryPolicyOf } from '../contract/retry-policy.ts';
import { subscriptionBody } from '../contract/subscriptions.ts';
import { type Effect, isoDate, notFound } from './effect.ts';
import { randomText } from './ids.ts';
import { addSubscription, findSubscription, type Subscription } from './subscriptions.ts';

/** §4.8: the only answer with secret and token. The document does not show their use, so they are not stored. */
export const createSubscription: Effect = ({ store, body, now, random }) => {
  const { url, events, headers = {}, retryPolicy } = subscriptionBody.parse(body);
  const retry = retryPolicyOf(retryPolicy);
  const made = addSubscription(store, { url, events, headers, retry, createdAt: now }, random);
  const secret = `whsec_${randomText(32, random)}`;
  const token = `whtok_${randomText(32, random)}`;
  return { body: { success: true, data: { ...shown(made), secret, token } } };
};

/** §4.9. */
export const readSubscription: Effect = ({ store, parameters }) => {
  const found = findSubscription(store, parameters.subscriptionId ?? '');
  if (found === undefined) return notFound;
  // No operation changes a subscription: it was last changed when it was made.
  return { body: { success: true, data: { ...shown(found), updatedAt: isoDate(found.createdAt) } } };
};

const shown = ({ id, url, events, headers, retry, createdAt }: Subscription) => ({
  id,
  url,
  events,
  headers,
  retryPolicy: retry,
  isActive: true,
  createdAt: isoDate(createdAt),
});
