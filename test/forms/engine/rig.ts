// A form with a scripted person in front of it.
import { bodyOf } from '../../../src/contract/operation.ts';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import { type Form, type FormContext, type FormState, formState } from '../../../src/forms/engine/form.ts';
import type { Answer, Question } from '../../../src/prompts/question.ts';
import { validate } from '../../../src/request/validate.ts';

export const BACK = Symbol('back');
type Said = string | typeof BACK;

/** What the person says to a question, by its id; several answers are given one after the other. */
export type Script = Readonly<Record<string, Said | readonly Said[]>>;

export interface Person {
  context: FormContext;
  /** The questions in the order in which they were asked. */
  asked: Question[];
  kept: FormState[];
}

const operation = OPERATIONS.proposal;

export const FORM: Form = {
  schema: bodyOf(operation),
  order: [
    ...['quantity', 'weight', 'dimensions'].map(name => `packages[].${name}`),
    'originCountry',
    'destinationCountry',
  ],
  groupNames: { 'packages[]': 'Package' },
};

export function person(
  script: Script,
  { form = FORM, defaults = {} }: { form?: Form; defaults?: unknown } = {},
): Person {
  const asked: Question[] = [];
  const kept: FormState[] = [];
  const left = new Map<string, Said[]>(
    Object.entries(script).map(([id, said]) => [id, Array.isArray(said) ? [...said] : [said as Said]]),
  );
  const rules = { economyCarriers: ['ECO'], serviceOnLoopback: false };
  const context: FormContext = {
    form,
    defaults,
    validate: body => validate(operation, body, { rules, allowUnknown: false }),
    saveDraft: state => kept.push(state),
    async ask(question): Promise<Answer> {
      asked.push(question);
      const said = left.get(question.id)?.shift();
      if (said === undefined) throw new Error(`nobody answers ${question.id}: ${question.message}`);
      if (said === BACK) return undefined;
      const fault = question.kind === 'text' ? await question.check(said) : undefined;
      if (fault !== undefined) throw new Error(`${question.id}: ${fault}`);
      return said;
    },
  };
  return { context, asked, kept };
}

export const ids = ({ asked }: Person): string[] => asked.map(({ id }) => id);

export const nothing: FormState = formState({});
