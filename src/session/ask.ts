// Questions for a person: in the right style, and without control characters.
import { Failure } from '../errors.ts';
import type { Check, Choice, Entry, PromptStyle, Question } from '../host/question.ts';
import { abortedAt, type Host } from '../host.ts';
import type { Printer } from '../output/print.ts';
import { safe, safeLines } from '../output/text.ts';
import { setting } from '../profile/environment.ts';
import type { Globals } from './globals.ts';

export interface Questions {
  /**
   * Asks on stderr; `undefined`: back to the question before, never of a question whose Esc leaves. Throws `interrupted`
   * when the person leaves. Only where the session is interactive.
   */
  ask(question: Question): Promise<Entry>;
  /** False unless the person says yes; also when they leave. */
  confirm(message: string): Promise<boolean>;
}

export function createAsking(host: Host, { color }: Globals, printer: Printer): Questions {
  const style = styleOf(host.env, color);
  const ask = async (question: Question): Promise<Entry> => {
    await printer.progress('');
    const answer = await host.ask(safeQuestion(question), style);
    if (answer === undefined && question.esc === 'leave') throw abortedAt(question);
    return answer;
  };
  return {
    ask,
    async confirm(message) {
      try {
        return (await ask({ kind: 'confirm', id: 'confirm', message })) === 'yes';
      } catch (error) {
        const isLeft = error instanceof Failure && error.code === 'interrupted';
        // A signal from elsewhere is not an answer.
        if (!isLeft || (host.interrupted.aborted && host.interrupted.reason !== 'SIGINT')) throw error;
        return false;
      }
    },
  };
}

/** Screen readers and dumb terminals get plain questions. `color: false` is `--no-color`. */
function styleOf(env: Host['env'], color: boolean): PromptStyle {
  const isPlain =
    !color ||
    env.TERM === 'dumb' ||
    setting(env, 'NO_COLOR') !== undefined ||
    setting(env, 'WAYBILL_ACCESSIBLE') !== undefined;
  return isPlain ? 'plain' : 'drawn';
}

/** The question with all text that it shows made safe; the answer is not changed. */
function safeQuestion(question: Question): Question {
  const { message, hint } = question;
  const asked = { ...question, message: safe(message), hint: hint && safeLines(hint) };
  switch (asked.kind) {
    case 'confirm':
      return asked;
    case 'secret':
      return { ...asked, check: safeCheck(asked.check) };
    case 'text': {
      const { defaultAnswer, value, check } = asked;
      // Both are shown on the screen as they are.
      const answers = { defaultAnswer: defaultAnswer && safe(defaultAnswer), value: value && safe(value) };
      return {
        ...asked,
        ...answers,
        check: safeCheck(check),
      };
    }
    case 'choice':
    case 'several':
      return { ...asked, choices: asked.choices.map(safeChoice) };
    case 'search':
      return { ...asked, find: async term => (await asked.find(term)).map(safeChoice) };
  }
}

const safeChoice = ({ value, name, disabled }: Choice): Choice => ({
  value,
  name: safe(name),
  ...(disabled !== undefined && { disabled: safe(disabled) }),
});

const safeCheck =
  (check: Check): Check =>
  async text => {
    const fault = await check(text);
    return fault === undefined ? undefined : safe(fault);
  };
