import type { Issue, Operation, Schema } from '../../contract/operation.ts';
import type { Answer, Question } from '../../prompts/question.ts';

/** What a person has entered so far: plain data, so that a draft can keep it. */
export interface Entered {
  /** By flags, file and answers; without what the profile fills in. */
  body: unknown;
  /** Lists that are being filled, each with the index of the element that is. */
  open: Readonly<Record<string, number>>;
  /** Questions whose answer leaves no value in the body: a party that is typed, a carrier that is left for later. */
  settled: readonly string[];
  /** What the service has refused, in its own words. */
  refused: readonly Issue[];
}

/** A question that stands for more than its field, or knows more of it than the contract does. */
export interface Special {
  question: Question;
  /** The value for an answer; `undefined`: none, the question is settled by that. */
  take(answer: string): unknown;
}

/** A line of the review. */
export interface Line {
  label: string;
  text: string;
  /** The field, or the fields under it, that picking the line changes. */
  path: string;
  /** Why it cannot be sent like this. */
  trouble?: string;
}

export interface Review {
  /** What stands above the lines. */
  summary: readonly string[];
  lines: readonly Line[];
  /** What the last choice does: `Book it for 22.50 EUR`. */
  act: string;
}

/** What is asked for one operation, in the order in which a person thinks. Patterns are those of `fieldsOf`. */
export interface Form {
  operation: Operation;
  schema: Schema;
  order: readonly string[];
  /** Fields that could be left out, and are asked all the same where a person should see what is assumed. */
  shown: readonly string[];
  /** Fields that are told by somebody else where they are left out, though the body requires them. */
  lacking?: readonly string[];
  /** Whom or what a field belongs to, by its pattern: `sender` -> `Sender`, `packages[]` -> `Package`. */
  names: Readonly<Record<string, string>>;
  /** What a field is called in a question, where the contract's sentence is not it. */
  says?(path: string, body: unknown): string | undefined;
  /** Of those that `offer` works out from others: which follow when the others change. */
  worked: readonly string[];
  /** The body as it will be sent, where it only says what is wished for: rules hold for that. */
  meant?(body: unknown): Promise<unknown>;
  /** What is likely there. `body` is the whole request as far as it goes. */
  offer?(path: string, body: unknown): string | undefined;
  /** By pattern: of a field in its place, of an object or an element before its fields are asked one by one. */
  special?: Readonly<Record<string, (path: string, body: unknown) => Promise<Special | undefined>>>;
  /** Absent: it is done as soon as nothing is missing. */
  review?(body: unknown): Promise<Review>;
}

/** What a form stands on. */
export interface Ground {
  form: Form;
  /** What lies under what is entered: the profile's defaults. */
  defaults: unknown;
  validate(body: unknown): Promise<Issue[]>;
  ask(question: Question): Promise<Answer>;
  /** Tells what is doubtful in the answer for that path, where something is: it may be right all the same. */
  doubt?(path: string, body: unknown): Promise<void>;
  /** Keeps what is entered, so that it outlives this process. */
  keep(entered: Entered): void;
}

export const entering = (body: unknown): Entered => ({ body, open: {}, settled: [], refused: [] });
