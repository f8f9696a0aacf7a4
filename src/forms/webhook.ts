// The form of `webhook create`.
import { bodyOf } from '../contract/operations.ts';
import { getAt, isRecord, listAt } from '../contract/paths.ts';
import { EVENTS, retryPolicyOf, retryWindow } from '../contract/subscriptions.ts';
import type { Check } from '../host/question.ts';
import { parseHeader, repeatedHeader } from '../order/options.ts';
import { duration } from '../output/moment.ts';
import { targetWords } from '../profile/target.ts';
import type { MakeForm } from './run.ts';

const ALL = 'both';

/** `X-Shop: tshirts; X-Lang: tr` */
function headerWords(body: unknown): string {
  const headers = getAt(body, ['headers']);
  return isRecord(headers)
    ? Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('; ')
    : '';
}

// A semicolon within a value separates nothing: the name of the next header follows it.
const NEXT_HEADER = /;\s*(?=[\w-]+\s*:)/;

const headersIn = (text: string): string[] => text.split(NEXT_HEADER).filter(one => one.trim() !== '');

const headerProblem: Check = text => {
  const headers = headersIn(text);
  const wrong = headers.find(one => !/^\s*X-[\w-]+\s*:\s*\S/.test(one));
  if (wrong !== undefined)
    return `${JSON.stringify(wrong.trim())} is not a header whose name begins with X-. A right one looks like this: X-Shop: tshirts`;
  const twice = repeatedHeader(headers.map(parseHeader));
  return twice && `${twice} is given twice; a delivery has a header once`;
};

export const webhookForm: MakeForm = (desk, { operation }) => ({
  schema: bodyOf(operation),
  fields: { url: {}, events: {}, headers: {}, retryPolicy: {} },
  groupNames: {},
  alwaysAsk: ['headers'],
  customQuestions: {
    headers: async (id, body) => ({
      question: {
        kind: 'text',
        id,
        message: 'Headers of deliveries, or nothing',
        hint: 'Each has a name that begins with X-. Several look like this: X-Shop: tshirts; X-Lang: tr',
        value: headerWords(body) || undefined,
        check: headerProblem,
      },
      parse: answer =>
        answer.trim() === '' && headerWords(body) === ''
          ? undefined
          : Object.fromEntries(headersIn(answer).map(parseHeader)),
    }),
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
    const text = listAt(body, 'events').join(', ');
    const retries = retryPolicyOf(getAt(body, ['retryPolicy']));
    const retryText = `${retries.maxRetries}, covering ${duration(retryWindow(retries))}`;
    return {
      summary: [`Deliveries of ${targetWords(desk.target())}`],
      lines: [
        { label: 'URL', path: 'url' },
        { label: 'Events', path: 'events', text },
        { label: 'Headers', path: 'headers', text: headerWords(body) },
        { label: 'Retries', path: 'retryPolicy', text: retryText },
      ],
      submitLabel: 'Create it',
    };
  },
});
