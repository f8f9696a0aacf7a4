import type { FormContext, FormState } from './form.ts';
import { currentBody } from './state.ts';
import { nextStep } from './steps.ts';

/**
 * Asks until nothing is missing. Back removes the last answer and asks for it again, with that answer as the default.
 * Back at the first question returns `before`, if it is given.
 */
export async function askMissing(
  context: FormContext,
  start: FormState,
  before?: FormState,
): Promise<FormState> {
  const history: FormState[] = [];
  const answers = new Map<string, string>();
  let state = start;
  for (;;) {
    const step = await nextStep(context, state, answers);
    if (step === undefined) return state;
    const { id } = step.question;
    const answer = await context.ask(step.question);
    if (answer === undefined) {
      const previous = history.pop();
      if (previous === undefined && before !== undefined) return before;
      state = previous ?? state;
      continue;
    }
    // An accepted suggestion is not repeated: another country has another dialling code.
    if (answer === context.form.suggest?.(id, currentBody(context, state))) answers.delete(id);
    else answers.set(id, answer);
    history.push(state);
    state = step.apply(answer);
    context.saveDraft(state);
    await context.warnAbout?.(id, currentBody(context, state));
  }
}
