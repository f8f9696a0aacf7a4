import type { Issue, Schema } from '../../contract/operation.ts';
import type { Answer, Choice, Question } from '../../prompts/question.ts';

/** What a person has entered so far. Draft files hold it under these names. */
export interface FormState {
  /** What flags, file and answers give, without the profile's defaults. */
  body: unknown;
  /** Lists that are being filled, each with the index of its current element. */
  open: Readonly<Record<string, number>>;
  /** Questions whose answer leaves no value in the body: "type the details", or "no carrier yet". */
  settled: readonly string[];
  /** What the service refused, in its own words. */
  refused: readonly Issue[];
}

/** A question that stands for more than one field, or knows more about its field than the contract does. */
export interface CustomQuestion {
  question: Question;
  /** The value for an answer; `undefined`: there is none, and the question is not asked again. */
  parse(answer: string): unknown;
}

export interface ReviewLine {
  label: string;
  /** The field, or the parent of the fields, that picking the line changes. */
  path: string;
  /** Absent: the value at the path. */
  text?: string | undefined;
  /** Why the request cannot be sent like this. */
  problem?: string | undefined;
}

export type Decision = 'submit' | 'save' | 'leave' | 'discard';

export interface Review {
  /** The lines above the list. */
  summary: readonly string[];
  /** What is probably wrong: sentences about fields, by their paths. */
  warnings?: readonly string[];
  lines: readonly ReviewLine[];
  /** The choice that submits: `Book it for 22.50 EUR`. */
  submitLabel: string;
  /** What may be done instead; by default to save the request, to keep the draft, or to discard it. */
  otherChoices?: readonly (Choice & { value: Decision })[];
}

/** What a form says of a field beyond the contract. `body` is the request so far. */
export interface AskedField {
  /** Shorter than in help, and with the unit or the currency that applies. */
  title?: string | ((path: string, body: unknown) => string);
  /** What it is, where one gets it, and what to do without it. */
  hint?: string;
  usual?: string | undefined;
  /** What other fields say that it is; it changes with them. */
  derived?(path: string, body: unknown): string | undefined;
  /** It is asked for only where no other field says it. The review shows it. */
  follows?: true;
}

/** By their patterns. */
export type AskedFields = Readonly<Record<string, AskedField>>;

/** What is asked for one operation. Patterns are those of `fieldsOf`: `packages[].weight`. */
export interface Form {
  schema: Schema;
  /** In the order in which a person thinks of them. */
  fields: AskedFields;
  /** The owner of a field, by its pattern: `sender` -> `Sender`, `packages[]` -> `Package`. */
  groupNames: Readonly<Record<string, string>>;
  /** Optional fields that are asked for anyway, so that a person sees what is assumed. */
  alwaysAsk?: readonly string[];
  /** Required fields that may be left out because they are filled in after the form. */
  suppliedLater?: readonly string[] | undefined;
  /** The body with the carrier that `cheapest` or `fastest` stands for: rules apply to that carrier. */
  resolve?: ((body: unknown) => Promise<unknown>) | undefined;
  /** By pattern: for a field, or for an object or a list element before its fields are asked for one by one. */
  customQuestions?: Readonly<
    Record<string, (path: string, body: unknown) => Promise<CustomQuestion | undefined>>
  >;
  /** Absent: the form is submitted as soon as nothing is missing. */
  review?(body: unknown): Promise<Review>;
  /** The carrier proposals that the person has seen for this body, so that they are not requested again. */
  proposals?(body: unknown): unknown;
}

/** What is known of the values of fields beyond the contract. `body` has the answer at its path. */
export interface ValueChecks {
  /** The text that an answer stands for. */
  read(path: string, answer: string, body: unknown): string;
  /** Why an answer that validation allows cannot be taken. */
  refuse(path: string, answer: string): string | undefined;
  /** Why a valid answer is probably a mistake, and what Enter does then. */
  doubt(path: string, answer: string, body: unknown): string | undefined;
  /** A right answer; `undefined`: the sample of the schema is one. */
  example(path: string, body: unknown): string | undefined;
}

/** A form, and what it needs from the command around it. */
export interface FormContext {
  form: Form;
  /** The profile's values; what is entered replaces them. */
  defaults: unknown;
  /** Submitting only shows the request. */
  dryRun?: boolean;
  validate(body: unknown): Issue[];
  ask(question: Question): Promise<Answer>;
  checks?: ValueChecks;
  /** Saves the answers, so that they outlive this process. */
  saveDraft(state: FormState): void;
}

export const formState = (body: unknown): FormState => ({ body, open: {}, settled: [], refused: [] });
