// The form of `webhook create`.
import { bodyOf } from '../contract/operations.ts';
import { getAt, listAt } from '../contract/paths.ts';
import { EVENTS, retryPolicyOf, retryWindow } from '../contract/subscriptions.ts';
import { targetWords } from '../profile/target.ts';
import { duration } from '../say/words.ts';
import type { MakeForm } from './form.ts';

const ALL_EVENTS = 'both';

export const webhookForm: MakeForm = (session, parts) => ({
  schema: bodyOf(parts.operation),
  fields: { url: {}, events: {}, retryPolicy: {} },
  groupNames: {},
  customQuestions: {
    events: async id => ({
      question: {
        kind: 'choice',
        id,
        message: 'Events to deliver',
        choices: [
          { value: ALL_EVENTS, name: 'all of them' },
          ...Object.entries(EVENTS).map(([value, text]) => ({ value, name: `${value} (${text})` })),
        ],
      },
      parse: answer => (answer === ALL_EVENTS ? Object.keys(EVENTS) : [answer]),
    }),
  },
  async review(body) {
    const text = listAt(body, 'events').join(', ');
    const retries = retryPolicyOf(getAt(body, ['retryPolicy']));
    const retryText = `${retries.maxRetries}, covering ${duration(retryWindow(retries))}`;
    const headers = Object.entries(getAt(body, ['headers']) ?? {}).map(
      ([name, value]) => `${name}: ${value}`,
    );
    return {
      summary: [`Deliveries of ${targetWords(session.target())}`, ...headers],
      lines: [
        { label: 'URL', path: 'url' },
        { label: 'Events', path: 'events', text },
        { label: 'Retries', path: 'retryPolicy', text: retryText },
      ],
      submitLabel: 'Create it',
    };
  },
});
