import { soFar } from './entered.ts';
import type { Entered, Ground } from './form.ts';
import { nextStep } from './steps.ts';

/**
 * Asks until nothing is missing. Back takes the last answer away and asks for it again, with what was said; back from
 * the first question is `before`, where there was something before.
 */
export async function fillIn(ground: Ground, start: Entered, before?: Entered): Promise<Entered> {
  const trail: Entered[] = [];
  const said = new Map<string, string>();
  let here = start;
  for (;;) {
    const step = await nextStep(ground, here, said);
    if (step === undefined) return here;
    const answer = await ground.ask(step.question);
    if (answer === undefined) {
      const last = trail.pop();
      if (last === undefined && before !== undefined) return before;
      here = last ?? here;
      continue;
    }
    const { id } = step.question;
    // What was only agreed to follows the rest: another country has another dialling code.
    if (answer === ground.form.offer?.(id, soFar(ground, here))) said.delete(id);
    else said.set(id, answer);
    trail.push(here);
    here = step.take(answer);
    ground.keep(here);
    await ground.doubt?.(id, soFar(ground, here));
  }
}
