// The form of `webhook create`.
import { bodyOf } from '../contract/operation.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { retryPolicyOf, retryWindow } from '../contract/retry-policy.ts';
import { EVENTS } from '../contract/subscriptions.ts';
import { duration } from '../output/duration.ts';
import { placeOf } from '../session/address.ts';
import type { MakeForm } from './run.ts';

const ALL = 'both';

export const webhookForm: MakeForm = (session, { operation }) => ({
  schema: bodyOf(operation),
  order: ['url', 'events', 'headers', 'retryPolicy'],
  groupNames: {},
  customQuestions: {
    events: async id => ({
      question: {
        kind: 'choice',
        id,
        message: 'Events to deliver',
        choices: [
          { value: ALL, name: 'all of them' },
          ...Object.entries(EVENTS).map(([value, text]) => ({ value, name: `${value} (${text})` })),
        ],
      },
      parse: answer => (answer === ALL ? Object.keys(EVENTS) : [answer]),
    }),
  },
  async review(body) {
    const events = getAt(body, ['events']);
    const text = Array.isArray(events) ? events.join(', ') : '';
    const headers = getAt(body, ['headers']);
    const retries = retryPolicyOf(getAt(body, ['retryPolicy']));
    const retryText = `${retries.maxRetries}, covering ${duration(retryWindow(retries))}`;
    return {
      summary: [
        `Deliveries of ${placeOf(session.target())}`,
        ...(isRecord(headers) ? [`with the headers ${Object.keys(headers).join(', ')}`] : []),
      ],
      lines: [
        { label: 'URL', path: 'url' },
        { label: 'Events', path: 'events', text },
        { label: 'Retries', path: 'retryPolicy', text: retryText },
      ],
      submitLabel: 'Create it',
    };
  },
});
