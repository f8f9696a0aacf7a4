// All that is said: each notice is data. The words for each kind of notice are in the file for its subject, in `SPEAKERS` all together.
import { BOOKED } from './booked.ts';
import { CARRIERS } from './carriers.ts';
import { DOCTOR } from './doctor.ts';
import { EMULATOR } from './emulator.ts';
import { HOST } from './host.ts';
import { JOURNAL } from './journal.ts';
import { LABELS } from './labels.ts';
import { MCP } from './mcp.ts';
import { NAMES } from './names.ts';
import { ORDER } from './order.ts';
import { PROFILE } from './profile.ts';
import { REQUEST } from './request.ts';
import { RULES } from './rules.ts';
import { type Saying, type Tell, type Text, unspoken, wholeText } from './sentence.ts';
import { SERVICE } from './service.ts';
import { SESSION } from './session.ts';
import { SHELL } from './shell.ts';

const SPEAKERS = {
  ...BOOKED,
  ...CARRIERS,
  ...DOCTOR,
  ...EMULATOR,
  ...HOST,
  ...JOURNAL,
  ...LABELS,
  ...MCP,
  ...NAMES,
  ...ORDER,
  ...PROFILE,
  ...REQUEST,
  ...RULES,
  ...SERVICE,
  ...SESSION,
  ...SHELL,
};

type Speakers = typeof SPEAKERS;
type NoticeOf<K extends keyof Speakers> =
  Parameters<Speakers[K]> extends [infer Data, ...unknown[]] ? { kind: K } & Data : { kind: K };

/** What happened, as data. In JSON, programs read it as `notice`, beside the sentence. */
export type Notice = { [K in keyof Speakers]: NoticeOf<K> }[keyof Speakers];

/** What is probably a mistake in a field of a request. */
export type FieldDoubt = Extract<Notice, { kind: 'field-doubtful' }>;

/** A notice; or a sentence as text, for those parts of waybill whose sentences are not in `src/say` yet. */
export type Message = Notice | string;

export const sayingOf = (message: Message): Saying =>
  typeof message === 'string'
    ? { what: unspoken(message) }
    : (SPEAKERS[message.kind] as (data: Notice, tell: Tell) => Saying)(message, tellInner);

export const tellInner: Tell = inner => sayingOf(inner as Message);

/** Turns messages into words for a person or for an agent. */
export interface Reader {
  saying(message: Message): Saying;
  write(text: Text): string;
}

/** A message as one paragraph. */
export const wordsFor = (reader: Reader, message: Message): string =>
  reader.write(wholeText(reader.saying(message)));
