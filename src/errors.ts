import type { OperationCommand } from './contract/operations.ts';
import type { Issue } from './contract/shapes.ts';
import { FAILURES, type FailureCode, type RetryAdvice } from './exit-codes.ts';
import { type Damage, type StoreFault, storeFaultWords } from './say/journal.ts';
import { type Notice, sayingOf } from './say/notices.ts';
import { personWords } from './say/person.ts';
import { type CommandWords, commandsOf, joined, type Saying, type Text, unspoken } from './say/sentence.ts';
import { messageOf, systemCode } from './system-errors.ts';

export { messageOf, systemCode };

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

interface FailureDetails extends FailureFacts {
  /** More to do next, behind what the notice says. */
  hint?: string | Text | undefined;
}

/**
 * What a command throws: a notice, which `src/say` words. The message is a paragraph for a person: what happened and why, then the
 * `hint`: what to do next. Its commands that a program may run are `next` of the facts.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly facts: FailureFacts;
  readonly notice: Notice | undefined;
  readonly #saying: Required<Saying>;
  readonly #more: Text;

  /** `notice`: text, where the sentences of a room are not in `src/say` yet. */
  constructor(
    code: FailureCode,
    notice: Notice | string,
    { hint, ...facts }: FailureDetails = {},
    options?: ErrorOptions,
  ) {
    const more = textOf(hint);
    const { what, toDo = [] } = typeof notice === 'string' ? { what: unspoken(notice) } : sayingOf(notice);
    const saying = { what, toDo: joined([toDo, more], '. ') };
    super(personWords(paragraphOf(saying)), options);
    this.code = code;
    this.notice = typeof notice === 'string' ? undefined : notice;
    this.#saying = saying;
    this.#more = more;
    const next = commandsOf([what, saying.toDo]);
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
    const details = { ...this.facts, ...facts, hint: joined([this.#more, textOf(hint)], '. ') };
    return new Failure(this.code, this.notice ?? this.what, details, { cause: this.cause ?? this });
  }

  /** The message. `unsent`: what the command did not send. `write`: the words of its reader. */
  told(unsent: string | undefined, write: (text: Text) => string = personWords): string {
    const { what, toDo } = this.#saying;
    const isUnsent = unsent !== undefined && !OF_BOOKINGS.has(this.code);
    return write(paragraphOf({ what: isUnsent ? [...what, `; ${unsent}`] : what, toDo }));
  }

  get exitCode(): number {
    return this.facts.exitCode ?? FAILURES[this.code].exit;
  }
}

const textOf = (hint: string | Text | undefined): Text =>
  typeof hint === 'string' ? unspoken(hint) : (hint ?? []);

const paragraphOf = ({ what, toDo = [] }: Saying): Text => joined([what, toDo], '. ');

/** Anything thrown as a failure: what no command throws itself is an internal error. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // It may be thrown anywhere: even code is loaded from files.
  if (['EMFILE', 'ENFILE'].includes(systemCode(error) ?? ''))
    return new Failure('storage', { kind: 'too-many-open-files' }, {}, { cause: error });
  return new Failure('internal', { kind: 'internal-error', error: messageOf(error) }, {}, { cause: error });
}

const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

/** Why a program cannot be started. */
export function unstartableBecause(program: string, error: unknown): string {
  switch (systemCode(error)) {
    case 'ENOENT':
      return `there is no program ${program}`;
    case 'EACCES':
      return `${program} may not be run`;
    default:
      return messageOf(error);
  }
}

/** Why a file cannot be read, for a sentence that names it as it was given. */
export const unreadableBecause = (error: unknown): string =>
  SYSTEM[systemCode(error) ?? ''] ?? messageOf(error);

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder',
  EROFS: 'its file system is read-only',
  EACCES: 'this user may not write it',
  EPERM: 'this user may not write it',
  ENXIO: 'it is a pipe that no program reads; start its reader first',
};

/** Why a file cannot be written, for the same sentence. */
export const unwritableBecause = (error: unknown): string =>
  UNWRITABLE[systemCode(error) ?? ''] ?? messageOf(error);

/** Does it concern one of several alone? Then the others go on. */
export const isOfOne = ({ code }: Failure): boolean => !['interrupted', 'storage', 'usage'].includes(code);

/** Why a database cannot be used, or an outcome cannot be recorded in it: who has it open says which one it is. */
export class StoreError extends Error {
  constructor(readonly fault: StoreFault) {
    super(storeFaultWords(fault));
  }
}

/** What was stored is not what waybill wrote: a disk, or somebody else, has changed it. */
export const damaged = (damage: Damage): StoreError => new StoreError({ fault: 'damaged', ...damage });

/** Why it failed: as data where it is ours, else in the words of the system or the library. */
export const causeOf = (error: unknown): string | StoreFault =>
  error instanceof StoreError ? error.fault : messageOf(error);
