import * as z from 'zod/mini';
import { amount, flag, listOf, loose, oneOf, optional, strict, text, timestamp } from './shapes.ts';

// Service document §2.4, §4.8, §4.9, §6, §8: webhook subscriptions.

export const EVENTS = {
  'shipment.status.updated': 'a shipment status changed',
  'shipment.milestone.updated': 'a shipment milestone changed',
} as const;

const event = oneOf('Event type', EVENTS);

const retryPolicy = {
  maxRetries: optional(amount('Retry attempts; 5 where left out')),
  initialDelayMs: optional(amount('Delay before the first retry in ms; 10000 where left out')),
  backoffMultiplier: optional(amount('Factor from one delay to the next; 2 where left out')),
  maxDelayMs: optional(amount('Longest delay in ms; 3600000 where left out')),
};

export const subscriptionBody = strict({
  url: text('HTTPS address that deliveries go to'),
  events: listOf('Event types to be told of', event),
  headers: optional(
    z
      .record(
        z.string().check(z.regex(/^X-[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)),
        z.string().check(z.regex(/^[^\0\r\n]*$/)),
      )
      .check(z.meta({ description: 'Headers that deliveries carry; names begin with X-' })),
  ),
  retryPolicy: optional(strict(retryPolicy)),
});

const subscription = {
  id: text('Subscription id'),
  url: z.string(),
  events: z.array(z.string()),
  headers: optional(z.record(z.string(), z.string())),
  retryPolicy: optional(loose(retryPolicy)),
  isActive: flag('Is it delivered to?'),
  createdAt: timestamp('When it was created'),
};

export const subscriptionCreated = loose({
  success: z.boolean(),
  data: loose({
    ...subscription,
    secret: text('Given in this answer only'),
    token: text('Given in this answer only'),
  }),
});

export const subscriptionRead = loose({
  success: z.boolean(),
  data: loose({ ...subscription, updatedAt: timestamp('When it was last changed') }),
});
