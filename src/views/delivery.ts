import { textAt } from '../contract/paths.ts';
import { createRedactor } from '../http/redact.ts';
import { parseJson } from '../json.ts';
import type { Look } from '../output/look.ts';
import type { View } from '../output/print.ts';
import { safe } from '../output/safe.ts';
import { shortened } from '../text.ts';

/** One delivery of a webhook, as `webhook listen` shows it. */
export interface Delivery {
  /** When it arrived, as ISO 8601. */
  at: string;
  method: string;
  /** With the query. */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON, else text; null if it was too long. */
  body: unknown;
  /** The status of our answer. */
  answered: number;
  /** The status that the local address answered; null if it did not answer, or was not called. */
  forwarded: number | null;
  /** Why it was not accepted, or not forwarded. */
  error: string | null;
}

const redactor = createRedactor({});

/** Headers; the values of those that are named like a secret are masked. */
export const maskedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(redactor.headers(headers)).map(([name, value]) => [name, asText(value)]));

// Node reads a header as one character a byte.
function asText(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return /[^\0-\xff]/.test(value) || text.includes('\ufffd') ? value : text;
}

/** A path; the values of its query that are named like a secret are masked. */
export const maskedPath = (path: string): string =>
  path.replace(
    /([?&])([^=&]+)=([^&]*)/g,
    (_, sign: string, name: string, value: string) =>
      `${sign}${name}=${maskedHeaders({ [name]: value })[name] ?? ''}`,
  );

/** A body to be shown: JSON as a value, anything else as text; fields that are named like a secret are masked. */
export function maskedBody(body: Buffer): unknown {
  const text = redactor.body(body.toString('utf8'));
  return parseJson(text) ?? text;
}

// The service document does not show the fields of a delivery: these are the emulator's names, and usual ones.
const TYPES = ['type', 'event', 'eventType'];
const SHIPMENTS = ['data.shipmentId', 'shipmentId', 'data.shipment.id', 'shipment.id', 'data.id'];
const STATUSES = ['data.milestone', 'data.status', 'milestone', 'status'];

const firstOf = (body: unknown, paths: readonly string[]): string | undefined =>
  paths.map(path => textAt(body, path)).find(text => text !== undefined && text.trim() !== '');

export const deliveryView: View<Delivery> = {
  streamed: true,
  essential: ({ body, method, path }) => [
    firstOf(body, SHIPMENTS) ?? firstOf(body, TYPES) ?? `${method} ${shortened(path)}`,
  ],
  table: ({ at, method, path, body, answered, forwarded, error }, look) => {
    const found = [TYPES, SHIPMENTS, STATUSES].map(paths => firstOf(body, paths));
    const words = found.some(isText) ? found : [beginningOf(body)];
    const facts = [
      at.replace(/\.\d+/, ''),
      `${method} ${shortened(path)}`,
      ...words.filter(isText).map(shortened),
      error,
      forwarded === null ? null : `forwarded ${forwarded}`,
    ].filter(isText);
    return [...facts.map(safe), outcome(look, answered)].join('  ');
  },
};

const isText = (text: string | null | undefined): text is string =>
  text !== undefined && text !== null && text.trim() !== '';

const beginningOf = (body: unknown): string | undefined =>
  body === null || body === '' ? undefined : typeof body === 'string' ? body : JSON.stringify(body);

const outcome = (look: Look, answered: number): string =>
  (answered < 300 ? look.green : look.red)(`answered ${answered}`);
