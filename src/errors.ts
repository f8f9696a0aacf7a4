import type { OperationCommand } from './contract/operations.ts';
import type { Issue } from './contract/shapes.ts';
import { FAILURES, type FailureCode, type RetryAdvice } from './exit-codes.ts';
import { type Damage, type StoreFault, storeFaultWords } from './say/journal.ts';
import { type Message, type Notice, type Reader, sayingOf } from './say/notices.ts';
import { PERSON, personWords } from './say/person.ts';
import {
  type CommandWords,
  commandsOf,
  type Inner,
  type Saying,
  sentences,
  type Text,
  unspoken,
  wholeText,
} from './say/sentence.ts';
import { messageOf, systemCode } from './system-errors.ts';

export interface FailureFacts {
  operation?: OperationCommand;
  httpStatus?: number;
  issues?: readonly Issue[];
  /** The id in the journal of the booking that failed. */
  booking?: string;
  /** The service's answer, as received. */
  body?: unknown;
  /** Does a shipment of the command, or of `label` a label, exist? `null` if nobody knows. */
  created?: boolean | null;
  /** In place of what the table says. */
  retry?: RetryAdvice;
  /** The same command may succeed later: from then on, as ISO time. */
  retryAt?: string;
  /** Commands that help, of which all is known that they need; none that books a shipment, accepts or settles. */
  next?: readonly CommandWords[];
  /** Overrides the exit code of the table: that of a child process or a signal. */
  exitCode?: number;
}

/** What a failed command says of its requests if none went out. */
export const NOTHING_SENT = 'nothing was sent';

/** What a booking of an earlier command became, too: that nothing was sent now would be read of that booking. */
const OF_BOOKINGS: ReadonlySet<FailureCode> = new Set(['outcome_unknown', 'partial', 'over_price']);

/** More to do next, behind what the notice says. A text has no words of others: a notice says those. */
export type Hint = Text | Notice;

interface FailureDetails extends FailureFacts {
  hint?: string | Hint | undefined;
  /** Hints of the failure that this one tells on. */
  hints?: readonly Hint[];
}

/**
 * What a command throws: a notice, which `src/say` words. The message is a paragraph for a person: what happened and why, then what to
 * do next. Its commands that a program may run are `next` of the facts, if those do not say others.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly facts: FailureFacts;
  readonly notice: Notice | undefined;
  readonly #notice: Message;
  readonly hints: readonly Hint[];
  readonly #saying: Required<Saying>;

  constructor(
    code: FailureCode,
    notice: Message,
    { hint, hints = [], ...facts }: FailureDetails = {},
    options?: ErrorOptions,
  ) {
    const { what, toDo = [] } = sayingOf(notice);
    const everyHint = [...hints, ...hintsOf(hint)];
    const saying = { what, toDo: sentences(toDo, hintText(everyHint)) };
    super(personWords(sentences(what, saying.toDo)), options);
    this.code = code;
    this.notice = typeof notice === 'string' ? undefined : notice;
    this.#notice = notice;
    this.hints = everyHint;
    this.#saying = saying;
    const next = commandsOf(what, saying.toDo);
    this.facts = { ...(next.length > 0 && { next }), ...facts };
  }

  /** What happened, for a person. */
  get what(): string {
    return personWords(this.#saying.what);
  }

  /** What to do next, for a person. */
  get hint(): string {
    return personWords(this.#saying.toDo);
  }

  /** The same with other facts, and more to do next. */
  with({ hint, ...facts }: FailureDetails): Failure {
    const more = hintsOf(hint);
    const next = [...(this.facts.next ?? []), ...commandsOf(hintText(more))];
    const details = {
      ...this.facts,
      ...(next.length > 0 && { next }),
      ...facts,
      hints: [...this.hints, ...more],
    };
    return new Failure(this.code, this.#notice, details, { cause: this.cause ?? this });
  }

  /** The message. `unsent`: what the command did not send. */
  told(unsent: string | undefined, reader: Reader = PERSON): string {
    const { what, toDo = [] } = reader.saying(this.#notice);
    const isUnsent = unsent !== undefined && !OF_BOOKINGS.has(this.code);
    return reader.write(
      sentences(isUnsent ? [...what, `; ${unsent}`] : what, toDo, hintText(this.hints, reader.saying)),
    );
  }

  get exitCode(): number {
    return this.facts.exitCode ?? FAILURES[this.code].exit;
  }
}

const hintsOf = (hint: string | Hint | undefined): Hint[] =>
  typeof hint === 'string' ? [unspoken(hint)] : hint === undefined ? [] : [hint];

const hintText = (hints: readonly Hint[], saying: Reader['saying'] = sayingOf): Text =>
  sentences(...hints.map(hint => ('kind' in hint ? wholeText(saying(hint)) : hint)));

/** Anything thrown as a failure: what no command throws itself is an internal error. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // It may be thrown anywhere: even code is loaded from files.
  if (['EMFILE', 'ENFILE'].includes(systemCode(error) ?? ''))
    return new Failure('storage', { kind: 'too-many-open-files' }, {}, { cause: error });
  return new Failure('internal', { kind: 'internal-error', error: messageOf(error) }, {}, { cause: error });
}

/** Why it failed, inside another message. */
export const innerOf = (error: unknown): Inner =>
  error instanceof Failure ? (error.notice ?? error.message) : messageOf(error);

/** Does the failure concern one of several orders alone? Then the other orders go on. */
export const isOfOne = (failure: Failure): boolean =>
  !['interrupted', 'storage', 'usage'].includes(failure.code);

/** Why a database cannot be used, or an outcome cannot be recorded in it. Who has the database open says which one it is. */
export class StoreError extends Error {
  constructor(readonly fault: StoreFault) {
    super(storeFaultWords(fault));
  }
}

/** The error of a database in which a disk, or somebody else, has changed what waybill wrote. */
export const damaged = (damage: Damage): StoreError => new StoreError({ fault: 'damaged', ...damage });

/** Why it failed: as data where it is ours, else in the words of the system or the library. */
export const causeOf = (error: unknown): string | StoreFault =>
  error instanceof StoreError ? error.fault : messageOf(error);
