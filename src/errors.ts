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
  /** Does a shipment of the command exist (for the command `label`: a label)? `null` if nobody knows. */
  created?: boolean | null;
  /** Overrides the advice in the table of exit codes. */
  retry?: RetryAdvice;
  /** The time from which on the same command may succeed, as ISO time. */
  retryAt?: string;
  /** Commands that help, complete as they are; none of them books a shipment, accepts a price or settles a booking. */
  next?: readonly CommandWords[];
  /** Overrides the exit code of the table, with the exit code of a child process or a signal. */
  exitCode?: number;
}

/** What a failed command says if it sent no request. */
export const NOTHING_SENT = 'nothing was sent';

/** These failures may be about a booking of an earlier command: "nothing was sent" would be read as said of that booking. */
const OF_BOOKINGS: ReadonlySet<FailureCode> = new Set(['outcome_unknown', 'partial', 'over_price']);

/** More to do next, behind what the notice says. Words of the service or the user stand only in a notice, never in a `Text`. */
export type Hint = Text | Notice;

interface FailureDetails extends FailureFacts {
  hint?: string | Hint | undefined;
  /** Hints of another failure, which this failure repeats. */
  hints?: readonly Hint[];
}

/**
 * What a command throws: a notice, which `src/say` words. The message is a paragraph for a person: what happened and why, then what to
 * do next. Unless the facts give `next` themselves, it has the commands of the message that a program may run.
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

  /** The same failure with other facts, and more to do next. */
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

  /** The message for a reader. `unsent`: words that say what the command did not send. */
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

/** A failure for anything thrown: what is no `Failure` is an internal error. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // Too many open files may end any line of code: even code is loaded from files.
  if (['EMFILE', 'ENFILE'].includes(systemCode(error) ?? ''))
    return new Failure('storage', { kind: 'too-many-open-files' }, {}, { cause: error });
  return new Failure('internal', { kind: 'internal-error', error: messageOf(error) }, {}, { cause: error });
}

/** Why something failed, to stand inside another message. */
export const innerOf = (error: unknown): Inner =>
  error instanceof Failure ? (error.notice ?? error.message) : messageOf(error);

/** Does the failure concern one of several orders alone? Then the other orders go on. */
export const isOfOne = (failure: Failure): boolean =>
  !['interrupted', 'storage', 'usage'].includes(failure.code);

/** Why a database cannot be used, or an outcome cannot be recorded in it. The code that opened the database adds which database it is. */
export class StoreError extends Error {
  constructor(readonly fault: StoreFault) {
    super(storeFaultWords(fault));
  }
}

/** The error of a database in which a disk, or somebody else, has changed what waybill wrote. */
export const damaged = (damage: Damage): StoreError => new StoreError({ fault: 'damaged', ...damage });

/** Why something failed: as data if the error is a `StoreError`, else in the words of the system or the library. */
export const causeOf = (error: unknown): string | StoreFault =>
  error instanceof StoreError ? error.fault : messageOf(error);
