import type { Choice } from '../../prompts/question.ts';
import { edit } from './edit.ts';
import type { Decision, Form, FormContext, FormState, Review } from './form.ts';
import { inWords } from './labels.ts';
import { displayValue } from './questions.ts';
import { currentBody, suggestionAt, withFollowing } from './state.ts';
import { isAskable, nextStep } from './steps.ts';

/** The way that a person came: the form before each answer, and the answers, also those that were taken back. */
interface Trail {
  states: FormState[];
  answers: Map<string, string>;
}

const newTrail = (...states: FormState[]): Trail => ({ states, answers: new Map() });

/** Asks until nothing is missing. Back removes the last answer and asks for it again, with that answer as the default. */
export async function askMissing(
  context: FormContext,
  start: FormState,
  { states, answers } = newTrail(),
): Promise<FormState> {
  let state = start;
  for (;;) {
    state = withFollowing(context, state);
    const step = await nextStep(context, state, answers);
    if (step === undefined) return state;
    const { id } = step.question;
    const answer = await context.ask({ ...step.question, esc: escOf(states) });
    if (answer === undefined) {
      state = states.pop() ?? state;
      continue;
    }
    // An accepted suggestion is not repeated: another country has another dialling code.
    if (answer === suggestionAt(context.form, id, currentBody(context, state))) answers.delete(id);
    else answers.set(id, answer);
    states.push(state);
    state = step.apply(answer);
    context.saveDraft(state);
  }
}

const escOf = (states: readonly FormState[]) => (states.length > 0 ? 'back' : 'leave');

/** Asks for what is missing, shows the whole request, and lets the person change any line of it before they decide. */
export async function reviewForm(
  context: FormContext,
  start: FormState,
): Promise<{ state: FormState; decision: Decision }> {
  const { form } = context;
  let trail = newTrail();
  let state = await askMissing(context, start, trail);
  if (form.review === undefined) return { state, decision: 'submit' };
  let lastPicked: string | undefined;
  for (;;) {
    const body = currentBody(context, state);
    const page = await form.review(body);
    const last = page.lines.find(({ path }) => path === lastPicked);
    const answer = await context.ask({
      kind: 'choice',
      id: 'review',
      message: 'Is this right? Pick a line to change it',
      hint: [...page.summary, ...warningLines(form, body, page), ...refusalLines(form, body, state)].join(
        '\n',
      ),
      choices: await choicesOf(context, body, page),
      defaultAnswer: lastPicked ?? page.lines.find(({ problem }) => problem)?.path ?? 'submit',
      esc: last === undefined ? escOf(trail.states) : 'back',
    });
    if (answer === undefined && last === undefined) {
      state = await askMissing(context, trail.states.pop() ?? state, trail);
      continue;
    }
    // After a change, the question before is that of the changed line.
    const line = answer === undefined ? last : page.lines.find(({ path }) => path === answer);
    if (line === undefined) return { state, decision: answer as Decision };
    lastPicked = line.path;
    // Its states lack the change.
    trail = newTrail();
    state = await askMissing(context, await edit(context, state, line), newTrail(state));
    context.saveDraft(state);
  }
}

const warningLines = (form: Form, body: unknown, { warnings = [] }: Review): string[] =>
  warnings.map(warning => `! ${inWords(form, warning, body)}`);

/** What the service refused that belongs to no field of the form. */
function refusalLines(form: Form, body: unknown, { refused }: FormState): string[] {
  return refused
    .filter(({ path }) => !isAskable(form, body, path))
    .map(({ path, message }) => `The service: ${`${inWords(form, path, body)} ${message}`.trim()}`);
}

async function choicesOf(
  { form, dryRun }: FormContext,
  body: unknown,
  { lines, submitLabel, otherChoices = OF_REQUEST }: Review,
): Promise<Choice[]> {
  const width = Math.max(...lines.map(({ label }) => label.length));
  const choices: Choice[] = [];
  for (const { path, label, text = await displayValue(form, path, body), problem } of lines) {
    const words = [text, problem && `! ${problem}`].filter(Boolean).join('  ') || '-';
    choices.push({ value: path, name: `${label.padEnd(width)}  ${words}` });
  }
  const first = lines.find(({ problem }) => problem !== undefined);
  return [
    ...choices,
    {
      value: 'submit',
      name: dryRun ? 'Show the request' : submitLabel,
      ...(first && { disabled: `(fix first: ${first.label})` }),
    },
    ...otherChoices,
  ];
}

const OF_REQUEST = [
  { value: 'save', name: 'Save it as a file to send later' },
  { value: 'leave', name: 'Leave, and keep the draft' },
  { value: 'discard', name: 'Discard it' },
] as const;
