// A person who fills in a form: their answer to each question, by its id.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { getAt, parsePath, setAt } from '../../src/contract/paths.ts';
import type { Check, Choice, Entry, Question } from '../../src/host/question.ts';
import { createRig, type Ran, type Rig, type RunOptions } from './command.ts';
import { SECRET } from './oracles.ts';

export const BACK = Symbol('back');
export const LEAVE = Symbol('leave');
type Said = string | typeof BACK | typeof LEAVE;

/** Several answers are given in order. One more question fails the test. */
export type Script = Readonly<Record<string, Said | readonly Said[]>>;

/** For `answers` of a run. A picked value must be in the list, and a typed text must be valid. */
export function says(script: Script): (question: Question) => Promise<Entry> {
  const left = new Map<string, Said[]>(
    Object.entries(script).map(([id, said]) => [id, Array.isArray(said) ? [...said] : [said as Said]]),
  );
  return async question => {
    // Who says nothing of a key gives none.
    const said = left.get(question.id)?.shift() ?? (question.id === 'key' ? '' : undefined);
    expect(said, `an answer to ${question.id}: ${question.message}`).toBeDefined();
    if (said === LEAVE) throw new Error('left');
    if (said === BACK || said === undefined) return undefined;
    if (question.kind === 'choice') {
      const choice = question.choices.find(({ value }) => value === said);
      expect(choice, `${said} among ${question.choices.map(({ value }) => value)}`).toBeDefined();
      expect(choice?.disabled).toBeUndefined();
    }
    if (question.kind === 'several')
      for (const value of said.split(',').filter(Boolean))
        expect(question.choices.map(one => one.value)).toContain(value);
    if (question.kind === 'search') expect((await question.find(said))[0]?.value).toBe(said);
    if (question.kind === 'text' || question.kind === 'secret')
      expect(await saidAgain(question.check, said), `${question.id} ${said}`).toBeUndefined();
    return said;
  };
}

/** What is wrong with an answer whose person insists on it, should it be doubted. */
async function saidAgain(check: Check, said: string): Promise<string | undefined> {
  const problem = await check(said);
  return problem?.includes('Enter again') ? check(said) : problem;
}

/** The ids of the questions about the request, in order: all but that of its key. */
export const ids = ({ questions }: Pick<Ran, 'questions'>): string[] =>
  questions.map(({ id }) => id).filter(id => id !== 'key');

/** The command that continues the form that was left. */
export function continuing({ stderr }: Pick<Ran, 'stderr'>): string {
  const [, command] = /`waybill ([^`]*)` continues it/.exec(stderr.replace(/\s+/g, ' ')) ?? [];
  if (command === undefined) throw new Error(`no command continues the form: ${stderr}`);
  return command;
}

/** The question with that id; the last one, if it was asked several times. */
export function asked({ questions }: Pick<Ran, 'questions'>, id: string): Question {
  const found = questions.findLast(question => question.id === id);
  if (found === undefined) throw new Error(`nobody asked ${id}`);
  return found;
}

/** The line of the review page for a path. */
export function lineOf(ran: Pick<Ran, 'questions'>, path: string): string | undefined {
  return choiceOf(asked(ran, 'review'), path)?.name;
}

export function choiceOf(question: Question, value: string): Choice | undefined {
  return question.kind === 'choice' ? question.choices.find(choice => choice.value === value) : undefined;
}

/** The problem of that text as an answer to a text question. */
export async function faultOf(question: Question, text: string): Promise<string | undefined> {
  if (question.kind !== 'text') throw new Error(`${question.id} is no text`);
  return question.check(text);
}

const person = (
  firstName: string,
  phone: { code: string; number: string },
  address: { city: string; zipCode: string; country: { code: string } },
) => ({
  firstName,
  lastName: 'Example',
  email: `${firstName.toLowerCase()}@example.com`,
  phone,
  address: { line1: 'Street 5', ...address },
});

/** What is sent if a person types a whole shipment. */
export const SHIPMENT_BODY = {
  type: 'package',
  packages: [{ quantity: 1, weight: 0.6, dimensions: { length: 35, width: 25, height: 5, unit: 'cm' } }],
  sender: person(
    'Deniz',
    { code: '+90', number: '2125550101' },
    { city: 'Istanbul', zipCode: '34710', country: { code: 'TR' } },
  ),
  receiver: person(
    'Anna',
    { code: '+49', number: '3023125001' },
    { city: 'Dresden', zipCode: '01067', country: { code: 'DE' } },
  ),
  category: 'sales',
  deliveryType: 'DAP',
  items: [
    {
      description: 'Cotton T-shirt',
      hsCode: '610910',
      countryOfOrigin: 'TR',
      quantity: 2,
      unitPrice: 12.5,
      totalPrice: 25,
    },
  ],
  customs: { currency: 'EUR', totalGoodsValue: 25 },
  carrier: { id: 'EXP' },
  chargeableWeight: 1,
};

const PACKAGE = ['quantity', 'weight', 'dimensions.length', 'dimensions.width', 'dimensions.height'];
const PARTY = ['firstName', 'lastName', 'email', 'address.country.code', 'phone.number'];
const ADDRESS = ['address.line1', 'address.zipCode', 'address.city'];
const ITEM = ['description', 'hsCode', 'countryOfOrigin', 'quantity', 'unitPrice'];

const under = (parent: string, names: readonly string[]) => names.map(name => `${parent}.${name}`);

/** Every question before the review, in the order in which it is asked. */
const QUESTIONS = [
  'type',
  ...under('packages[0]', PACKAGE),
  'packages[+]',
  ...under('sender', [...PARTY, ...ADDRESS]),
  ...under('receiver', [...PARTY, ...ADDRESS]),
  'category',
  'deliveryType',
  'customs.currency',
  ...under('items[0]', ITEM),
  'items[+]',
  'carrier.id',
];

/** The answers to them. */
export const SHIPMENT_ANSWERS: Script = Object.fromEntries(
  QUESTIONS.map(id => [id, id.endsWith('[+]') ? 'no' : String(getAt(SHIPMENT_BODY, id))]),
);

/** The answers to all questions of a shipment until it is booked. */
export const BOOK: Script = { ...SHIPMENT_ANSWERS, review: 'submit', keep: '' };

/** The shipment with other values at these paths. */
export const changed = (changes: Readonly<Record<string, unknown>>): unknown =>
  Object.entries(changes).reduce<unknown>(
    (body, [path, value]) => setAt(body, parsePath(path) ?? [], value),
    SHIPMENT_BODY,
  );

/** The shipment without carrier and chargeable weight. */
export const NO_CARRIER = (({ carrier, chargeableWeight, ...rest }) => rest)(SHIPMENT_BODY);

export const WRONG = 'tok-quite-wrong';
// No server listens there.
export const CLOSED = 'http://127.0.0.1:1';

/** Runs a command on a terminal with these answers to its questions. */
export const answering = (rig: Rig, argv: string | string[], script: Script, more: RunOptions = {}) =>
  rig.run(argv, { terminal: true, answers: says(script), ...more });

export const filesIn = ({ folder }: Rig) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));

export const answersOf = ({ requests }: Ran) => requests.map(({ answered }) => answered);

/** Everything that is visible on the screen. */
export const seenIn = ({ shown, questions }: Ran) => shown + JSON.stringify(questions);

export const all = (rig: Rig): Script => ({
  name: 'live',
  baseUrl: rig.address,
  sandboxBaseUrl: '',
  token: SECRET,
});

/** Fills in the form of `ship -f order.json`, where `order.json` is a shipment without carrier. */
export async function formed(
  script: Script,
  argv = '',
  env: Record<string, string> = {},
  body: unknown = NO_CARRIER,
): Promise<Ran> {
  const rig = await createRig({ files: { 'order.json': body } });
  return answering(rig, `ship -f order.json ${argv}`, script, { env });
}
