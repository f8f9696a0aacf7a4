import type { FormContext, FormState } from './form.ts';
import { currentBody } from './state.ts';
import { nextStep } from './steps.ts';

/**
 * Asks until nothing is missing. Back takes the last answer away and asks for it again, with what was said; back from
 * the first question is `before`, where there was something before.
 */
export async function askMissing(
  context: FormContext,
  start: FormState,
  before?: FormState,
): Promise<FormState> {
  const trail: FormState[] = [];
  const said = new Map<string, string>();
  let here = start;
  for (;;) {
    const step = await nextStep(context, here, said);
    if (step === undefined) return here;
    const answer = await context.ask(step.question);
    if (answer === undefined) {
      const last = trail.pop();
      if (last === undefined && before !== undefined) return before;
      here = last ?? here;
      continue;
    }
    const { id } = step.question;
    // What was only agreed to follows the rest: another country has another dialling code.
    if (answer === context.form.suggest?.(id, currentBody(context, here))) said.delete(id);
    else said.set(id, answer);
    trail.push(here);
    here = step.apply(answer);
    context.saveDraft(here);
    await context.warnAbout?.(id, currentBody(context, here));
  }
}
