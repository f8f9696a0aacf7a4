// Texts that attack a terminal, and answers of a service that are full of them.
import { expect } from 'vitest';
import type { Ran } from '../rig/command.ts';

/** Colours, a title, a cleared screen, reversed text, line separators, a line that looks like our own, and invisible characters. */
export const EVIL =
  '\x1b[31mE\x1b]0;t\x07\x9b2J\u202eV\u2066I\u2028L\u2029\u061c\r\nerror: all is well\t\u0000\u200b\ufeff\ud800';

/** What remains of it on one line. */
export const HARMLESS = '[31mE]0;t2JVI L  error: all is well';

/** The same value with `EVIL` after each of its texts. */
export function poisoned(value: unknown): unknown {
  if (typeof value === 'string') return value + EVIL;
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poisoned(inner)]));
}

export const COMMANDS: Readonly<Record<string, string>> = {
  quote: 'quote --from TR --to DE --package 1kg@10x10x10',
  rates: 'rates --from TR --to DE --package 1kg@10x10x10',
  ship: 'ship -f ship.json',
  'ship-dual': 'ship-dual -f dual.json',
  label: 'label --international I-1 --domestic D-1',
  // A number, which stays as it is, says that the answer is the one that was asked for.
  track: 'track 11',
  'webhook get': 'webhook get 11',
  'webhook create': 'webhook create --url https://shop.example/h --event shipment.status.updated',
};

const carrier = {
  id: 'EXP',
  name: 'Express',
  currency: 'EUR',
  price: '9.50',
  trackingNumber: 'T',
  labelPdf: 'L',
};
const leg = (id: number) => ({
  shipment: { id },
  success: true,
  shipmentId: id,
  trackingNumber: 'T',
  label: 'L',
  message: 'm',
  carrier,
});

/** An answer to every command. Its ids are numbers, which stay as they are: an id with a control character is none. */
export const ANSWER = {
  id: 17,
  tracking: { trackingNumber: 11, events: [] },
  success: true,
  chargeableWeight: 1,
  proposals: [
    {
      id: 'EXP',
      name: 'Express',
      serviceType: 'express',
      isValid: true,
      deliveryTime: '1-2 days',
      currency: 'EUR',
      price: '9.50',
    },
  ],
  rates: [
    { companyId: 'C', companyName: 'Company', currency: 'EUR', price: '9.50', deliveryTime: '1-2 days' },
  ],
  carrier,
  status: [
    { status: 'in transit', milestone: 'shipped', description: 'd', location: 'l', date: '2026-01-01' },
  ],
  packages: [{ trackingNumber: 'T', description: 'p' }],
  international: leg(1),
  domestic: leg(2),
  shipments: { international: { id: 'I' }, domestic: { id: 'D' } },
  data: { id: 13, url: 'u', events: ['e'], secret: 's', token: 't', headers: { 'X-A': 'v' } },
};

/** No text of the service begins a line that looks like a message of ours. */
export function expectNoForgery({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): void {
  for (const text of [stdout, stderr]) expect(text).not.toMatch(/^error: all is well/m);
}
