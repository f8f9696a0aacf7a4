import type { Choice } from '../../prompts/question.ts';
import { askMissing } from './ask-missing.ts';
import { edit } from './edit.ts';
import type { FormContext, FormState, Review, ReviewLine } from './form.ts';
import { currentBody } from './state.ts';
import { isAskable } from './steps.ts';

export type Decision = 'do' | 'save' | 'leave' | 'discard';

/** Asks for what is missing, shows the whole, and lets any line of it be changed until the person decides. */
export async function reviewForm(
  context: FormContext,
  start: FormState,
): Promise<{ state: FormState; decision: Decision }> {
  const { review } = context.form;
  let state = await askMissing(context, start);
  if (review === undefined) return { state, decision: 'do' };
  let defaultAnswer: string | undefined;
  for (;;) {
    const page = await review(currentBody(context, state));
    const answer = await context.ask({
      kind: 'choice',
      id: 'review',
      message: 'Is this right? Pick a line to change it',
      hint: [...page.summary, ...refusalLines(context, state)].join('\n'),
      choices: choicesOf(page),
      defaultAnswer: defaultAnswer ?? (page.lines.find(({ problem }) => problem)?.path || 'do'),
    });
    if (answer === undefined) continue;
    const line = page.lines.find(({ path }) => path === answer);
    if (line === undefined) return { state, decision: answer as Decision };
    defaultAnswer = line.path;
    state = await askMissing(context, await edit(context, state, line), state);
    context.saveDraft(state);
  }
}

/** What the service said of no field that can be asked for. */
function refusalLines(context: FormContext, state: FormState): string[] {
  const body = currentBody(context, state);
  return state.refused
    .filter(({ path }) => !isAskable(context.form, body, path))
    .map(({ path, message }) => `The service: ${path === '' ? '' : `${path} `}${message}`);
}

function choicesOf({ lines, submitLabel }: Review): Choice[] {
  const width = Math.max(...lines.map(({ label }) => label.length));
  const first = lines.find(({ problem }) => problem !== undefined);
  return [
    ...lines.map(line => ({ value: line.path, name: `${line.label.padEnd(width)}  ${textOf(line)}` })),
    { value: 'do', name: submitLabel, ...(first && { disabled: `(first: ${first.label})` }) },
    { value: 'save', name: 'Save it as a file, to be sent later' },
    { value: 'leave', name: 'Leave, and keep the draft' },
    { value: 'discard', name: 'Throw it away' },
  ];
}

const textOf = ({ text, problem }: ReviewLine): string =>
  [text, problem && `! ${problem}`].filter(Boolean).join('  ') || '-';
