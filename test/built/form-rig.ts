// A person who fills in the form of a shipment at a real terminal, with nothing but a keyboard.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { SHIPMENT_BODY } from '../rig/person.ts';
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

/** What is in its file already; the form asks for the rest. */
const { receiver, type: _, deliveryType: __, carrier: ___, chargeableWeight: ____, ...BEGUN } = SHIPMENT_BODY;

/** Every question of a shipment that was begun, one of each kind. */
export const ASKED: readonly Step[] = [
  text('Order number (Enter: none)'),
  pick('What is shipped', 'package'),
  text('Receiver: First name', receiver.firstName),
  text('Receiver: Last name', receiver.lastName),
  text('Receiver: E-mail address', receiver.email),
  find('Receiver: Country', 'germ', 'Germany (DE)'),
  text('Receiver: Phone number without the country code', receiver.phone.number),
  text('Receiver: Street and number', receiver.address.line1),
  text('Receiver: Postal code', receiver.address.zipCode),
  text('Receiver: City', receiver.address.city),
  pick('Carrier', 'EXP'),
];

export const REVIEW = pick('Is this right? Pick a line to change it', 'Book it');
export const KEEP = pick('Save something for next time?', 'No, that was all');

/** The form of a shipment whose file lacks what it asks for. */
export function formIn(
  { folder, env: own }: World,
  command: string,
  argv = 'ship -f begun.json',
  { env, ...options }: Partial<OpenOptions> = {},
): Screen {
  writeFileSync(join(folder, 'begun.json'), JSON.stringify(BEGUN));
  return open([command, ...argv.split(' ')], {
    cwd: folder,
    ...options,
    env: { TERM: 'xterm-256color', ...own, ...env },
  });
}

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

/** Answers a plain form as who listens does: a list by the value or the name of its choice. */
export async function answerPlainly(at: Screen, { message, typed, picked = '' }: Step): Promise<void> {
  const isList = picked !== '' && typed === '';
  const asked = isList ? '\\n[^]*\\nNumber' : '[^\\n]*';
  // What is asked is the last thing that was said.
  await at.waitFor(
    new RegExp(
      `\\n${escaped(message)}${asked} \\((?:\\d+ of (?:at least )?\\d+, )?< (?:back|leave)\\)[^\\n]*$`,
    ),
  );
  at.type(`${isList ? picked : typed}\r`);
}
