import type { Issue, Schema } from '../../contract/operation.ts';
import type { Operation } from '../../contract/operations.ts';
import type { Answer, Question } from '../../prompts/question.ts';

/** What a person has entered so far: plain data, so that a draft can keep it. */
export interface FormState {
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
export interface CustomQuestion {
  question: Question;
  /** The value for an answer; `undefined`: none, the question is settled by that. */
  parse(answer: string): unknown;
}

/** A line of the review. */
export interface ReviewLine {
  label: string;
  text: string;
  /** The field, or the fields under it, that picking the line changes. */
  path: string;
  /** Why it cannot be sent like this. */
  problem?: string;
}

export interface Review {
  /** What stands above the lines. */
  summary: readonly string[];
  lines: readonly ReviewLine[];
  /** What the last choice does: `Book it for 22.50 EUR`. */
  submitLabel: string;
}

/** What is asked for one operation, in the order in which a person thinks. Patterns are those of `fieldsOf`. */
export interface Form {
  operation: Operation;
  schema: Schema;
  order: readonly string[];
  /** Fields that could be left out, and are asked all the same where a person should see what is assumed. */
  alwaysAsk: readonly string[];
  /** Fields that are told by somebody else where they are left out, though the body requires them. */
  suppliedLater?: readonly string[];
  /** Whom or what a field belongs to, by its pattern: `sender` -> `Sender`, `packages[]` -> `Package`. */
  groupNames: Readonly<Record<string, string>>;
  /** What a field is called in a question, where the contract's sentence is not it. */
  labelAt?(path: string, body: unknown): string | undefined;
  /** Of those that `suggest` works out from others: which follow when the others change. */
  derived: readonly string[];
  /** The body as it will be sent, where it only says what is wished for: rules hold for that. */
  resolve?(body: unknown): Promise<unknown>;
  /** What is likely there. `body` is the whole request as far as it goes. */
  suggest?(path: string, body: unknown): string | undefined;
  /** By pattern: of a field in its place, of an object or an element before its fields are asked one by one. */
  customQuestions?: Readonly<
    Record<string, (path: string, body: unknown) => Promise<CustomQuestion | undefined>>
  >;
  /** Absent: it is done as soon as nothing is missing. */
  review?(body: unknown): Promise<Review>;
}

/** What a form stands on. */
export interface FormContext {
  form: Form;
  /** What lies under what is entered: the profile's defaults. */
  defaults: unknown;
  validate(body: unknown): Promise<Issue[]>;
  ask(question: Question): Promise<Answer>;
  /** Tells what is doubtful in the answer for that path, where something is: it may be right all the same. */
  warnAbout?(path: string, body: unknown): Promise<void>;
  /** Keeps what is entered, so that it outlives this process. */
  saveDraft(state: FormState): void;
}

export const formState = (body: unknown): FormState => ({ body, open: {}, settled: [], refused: [] });
