// A person who fills in the form of a whole shipment at a real terminal, with nothing but a keyboard.
import { expect } from 'vitest';
import type { World } from '../rig/process.ts';
import { type OpenOptions, open, type Screen } from '../rig/terminal.ts';

/** What is said to one question. */
export interface Step {
  message: string;
  /** What is typed; for a choice nothing is, it is moved to. */
  typed: string;
  /** The line of a list that is picked: so much of it that it differs from the others. */
  picked?: string;
}

export const text = (message: string, typed = ''): Step => ({ message, typed });
export const pick = (message: string, picked: string): Step => ({ message, typed: '', picked });
export const find = (message: string, typed: string, picked: string): Step => ({ message, typed, picked });

const more = (what: string, typed: 'y' | 'n'): Step => text(`Another ${what}?`, typed);

const parcel = (number: number, [quantity, weight, ...sides]: readonly string[]): Step[] => [
  text(`Package ${number}: Number of pieces`, quantity),
  text(`Package ${number}: Weight of a piece in kilograms`, weight),
  ...['Length', 'Width', 'Height'].map((side, at) => text(`Package ${number}: ${side} in cm`, sides[at])),
];

const PARTY = ['First name', 'Last name', 'E-mail address'];
const ADDRESS = ['Phone number without the country code', 'Street and number', 'Postal code', 'City'];

const party = (who: string, person: readonly string[], country: Step, address: readonly string[]): Step[] => [
  ...PARTY.map((name, at) => text(`${who}: ${name}`, person[at])),
  { ...country, message: `${who}: Country` },
  ...ADDRESS.map((name, at) => text(`${who}: ${name}`, address[at])),
];

const item = (number: number, country: Step, [what, hsCode, quantity, price]: readonly string[]): Step[] => [
  text(`Item ${number}: What it is, in words a customs officer understands`, what),
  text(`Item ${number}: HS code (customs tariff number)`, hsCode),
  { ...country, message: `Item ${number}: Country where the goods were made` },
  text(`Item ${number}: Number of units`, quantity),
  text(`Item ${number}: Price of a unit in EUR`, price),
];

/** Every question of a shipment from an empty sheet; what is not typed is what is offered. */
export const SHIPMENT: readonly Step[] = [
  text('Order number (Enter: none)'),
  pick('What is shipped', 'package'),
  ...parcel(1, ['2', '1.5', '30', '20', '10']),
  more('package', 'y'),
  ...parcel(2, ['', '0.25', '21', '15', '4']),
  more('package', 'n'),
  ...party('Sender', ['Ada', 'Yılmaz', 'ada@example.com'], find('', 'türk', 'Türkiye (TR)'), [
    ...['2125550101', 'Örnek Sokak 5', '34710', 'Istanbul'],
  ]),
  ...party('Receiver', ['Anna', 'Beispiel', 'anna@example.com'], find('', 'DE', 'Germany (DE)'), [
    ...['3023125001', 'Musterstraße 12', '01067', 'Dresden'],
  ]),
  pick('Why it is shipped', 'sales'),
  pick('Who pays duties and taxes', 'DDP'),
  text('Currency of the value, such as EUR', 'EUR'),
  ...item(1, find('', 'TR', 'Türkiye (TR)'), ['Cotton T-shirt', '610910', '2', '12.5']),
  more('item', 'y'),
  ...item(2, find('', 'portug', 'Portugal (PT)'), ['Mug', '691110', '3', '3.8333']),
  more('item', 'n'),
  text('Value of all goods in EUR'),
  pick('Carrier', 'EXP'),
];

export const REVIEW = pick('Is this right? Pick a line to change it', 'Book it');
export const KEEP = pick('Save something for next time?', 'No, that was all');

/** What arrives when all of it was said. */
export const BODY = {
  type: 'package',
  packages: [
    { quantity: 2, weight: 1.5, dimensions: { length: 30, width: 20, height: 10, unit: 'cm' } },
    { quantity: 1, weight: 0.25, dimensions: { length: 21, width: 15, height: 4, unit: 'cm' } },
  ],
  sender: {
    firstName: 'Ada',
    lastName: 'Yılmaz',
    email: 'ada@example.com',
    phone: { code: '+90', number: '2125550101' },
    address: { line1: 'Örnek Sokak 5', zipCode: '34710', city: 'Istanbul', country: { code: 'TR' } },
  },
  receiver: {
    firstName: 'Anna',
    lastName: 'Beispiel',
    email: 'anna@example.com',
    phone: { code: '+49', number: '3023125001' },
    address: { line1: 'Musterstraße 12', zipCode: '01067', city: 'Dresden', country: { code: 'DE' } },
  },
  category: 'sales',
  deliveryType: 'DDP',
  items: [
    {
      description: 'Cotton T-shirt',
      hsCode: '610910',
      countryOfOrigin: 'TR',
      quantity: 2,
      unitPrice: 12.5,
      totalPrice: 25,
    },
    {
      description: 'Mug',
      hsCode: '691110',
      countryOfOrigin: 'PT',
      quantity: 3,
      unitPrice: 3.8333,
      totalPrice: 11.4999,
    },
  ],
  customs: { currency: 'EUR', totalGoodsValue: 36.4999 },
  carrier: { id: 'EXP' },
  chargeableWeight: 3.5,
};

export const formIn = (
  world: World,
  command: string,
  argv = 'ship',
  { env, ...options }: Partial<OpenOptions> = {},
): Screen =>
  open([command, ...argv.split(' ')], {
    cwd: world.folder,
    ...options,
    env: { TERM: 'xterm-256color', ...world.env, ...env },
  });

/** What arrived to be booked. */
export const booked = ({ seen }: World): unknown[] =>
  seen
    .filter(({ method, path }) => method === 'POST' && path === '/v1/shipments')
    .map(({ body }) => JSON.parse(body));

const escaped = (words: string): string => words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The words, wherever the screen breaks them. */
const broken = (words: string): string => [...words.replace(/\s/g, '')].map(escaped).join('\\s*');

// The last thing that is drawn of a list.
const KEYS = 'esc (?:back|leave)';

/** Resolves when that is what is asked now, and all of it is drawn. */
export const isAsked = (at: Screen, { message, picked }: Step): Promise<void> =>
  at.waitFor(new RegExp(`\\?\\s*${broken(message)}[^✔]*${picked === undefined ? '' : KEYS}$`));

const answered = ({ message }: Step, times: number): RegExp =>
  new RegExp(`(✔\\s*${broken(message)}[^]*){${times}}`);

const timesAnswered = (at: Screen, { message }: Step): number =>
  at.screen().match(new RegExp(`✔\\s*${broken(message)}`, 'g'))?.length ?? 0;

export interface Reach {
  /** The direction of the line; down by default. */
  key?: 'up' | 'down';
  /** How high the terminal is: what is moved to is to be in sight all the way. */
  rows?: number;
}

/** The line that Enter would pick. */
function pointed(at: Screen, rows = Number.POSITIVE_INFINITY): string {
  const lines = at.screen().split('\n');
  const index = lines.findLastIndex(line => line.startsWith('❯'));
  expect(lines.length - index, `lines from the picked one on, of\n${at.screen()}`).toBeLessThan(rows);
  return lines[index]?.slice(2) ?? '';
}

/** Moves to a line of a list, key by key. */
export async function moveTo(at: Screen, line: string, { key = 'down', rows }: Reach = {}): Promise<void> {
  for (let here = pointed(at, rows); !here.startsWith(line); here = pointed(at, rows)) {
    at.key(key);
    await at.waitFor(new RegExp(`❯(?! ${escaped(here)}\\n)[^❯]*${KEYS}$`));
  }
}

/** Answers the question that is asked now. */
export async function answer(at: Screen, step: Step, reach?: Reach): Promise<void> {
  await isAsked(at, step);
  const { typed, picked } = step;
  const times = timesAnswered(at, step) + 1;
  if (typed !== '') at.type(typed);
  if (picked !== undefined && typed !== '') await at.waitFor(new RegExp(`❯ ${escaped(picked)}[^❯]*${KEYS}$`));
  else if (picked !== undefined) await moveTo(at, picked, reach);
  at.key('enter');
  // A doubtful answer is kept by Enter alone.
  await at.waitFor(new RegExp(`${answered(step, times).source}|Enter\\s+again[^✔]*$`));
  if (timesAnswered(at, step) < times) at.key('enter');
  await at.waitFor(answered(step, times));
}

export async function answerAll(at: Screen, steps: readonly Step[], reach?: Reach): Promise<void> {
  for (const step of steps) await answer(at, step, reach);
}

/** Answers a plain form as who listens does: a list by the number that was read out, a country by its code. */
export async function answerPlainly(at: Screen, { message, typed, picked }: Step): Promise<void> {
  const isList = picked !== undefined && typed === '';
  const asked =
    picked === undefined ? '' : isList ? '\\n[^]*\\nNumber' : ' \\(part of its name, or its code\\)';
  // What is asked is the last thing that was said, and nothing is typed behind it.
  await at.waitFor(
    new RegExp(`(^|\\n)${broken(message)}${asked} \\(< (?:back|leave)\\)( \\[[^\\n]*\\])?:?$`),
  );
  if (!isList) return at.type(`${/\((..)\)$/.exec(picked ?? '')?.[1] ?? typed}\r`);
  const line = at
    .screen()
    .split('\n')
    .findLast(shown => shown.includes(`) ${picked}`));
  at.type(`${line?.split(')')[0]}\r`);
}
