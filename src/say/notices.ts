// All that is said: each notice is data, and its kind stands beside its sentence in the file of its room.
import { HOST } from './host.ts';
import { JOURNAL } from './journal.ts';
import { LABELS } from './labels.ts';
import { ORDER } from './order.ts';
import { PROFILE } from './profile.ts';
import { joined, type Saying, type Text } from './sentence.ts';
import { SERVICE } from './service.ts';
import { SESSION } from './session.ts';
import { SHELL } from './shell.ts';

const SPEAKERS = { ...HOST, ...JOURNAL, ...LABELS, ...ORDER, ...PROFILE, ...SERVICE, ...SESSION, ...SHELL };

type Speakers = typeof SPEAKERS;
type NoticeOf<K extends keyof Speakers> =
  Parameters<Speakers[K]> extends [infer Data] ? { kind: K } & Data : { kind: K };

/** What happened, as data: programs read it as `notice` beside the sentence. */
export type Notice = { [K in keyof Speakers]: NoticeOf<K> }[keyof Speakers];

/** The sentences of a notice. */
export const sayingOf = (notice: Notice): Saying =>
  (SPEAKERS[notice.kind] as (data: Notice) => Saying)(notice);

/** A notice as one paragraph. */
export const textOfNotice = (notice: Notice): Text => {
  const { what, toDo = [] } = sayingOf(notice);
  return joined([what, toDo], '. ');
};
