import type { Choice } from '../../prompts/question.ts';
import { edit } from './edit.ts';
import { soFar } from './entered.ts';
import { fillIn } from './fill-in.ts';
import type { Entered, Ground, Line, Review } from './form.ts';
import { isAskable } from './steps.ts';

export type End = 'do' | 'save' | 'leave' | 'discard';

/** Asks for what is missing, shows the whole, and lets any line of it be changed until the person decides. */
export async function reviewed(ground: Ground, start: Entered): Promise<{ entered: Entered; end: End }> {
  const { review } = ground.form;
  let entered = await fillIn(ground, start);
  if (review === undefined) return { entered, end: 'do' };
  let offer: string | undefined;
  for (;;) {
    const page = await review(soFar(ground, entered));
    const answer = await ground.ask({
      kind: 'choice',
      id: 'review',
      message: 'Is this right? Pick a line to change it',
      hint: [...page.summary, ...wordsOfService(ground, entered)].join('\n'),
      choices: choicesOf(page),
      offer: offer ?? (page.lines.find(({ trouble }) => trouble)?.path || 'do'),
    });
    if (answer === undefined) continue;
    const line = page.lines.find(({ path }) => path === answer);
    if (line === undefined) return { entered, end: answer as End };
    offer = line.path;
    entered = await fillIn(ground, await edit(ground, entered, line), entered);
    ground.keep(entered);
  }
}

/** What the service said of no field that can be asked for. */
function wordsOfService(ground: Ground, entered: Entered): string[] {
  const body = soFar(ground, entered);
  return entered.refused
    .filter(({ path }) => !isAskable(ground.form, body, path))
    .map(({ path, message }) => `The service: ${path === '' ? '' : `${path} `}${message}`);
}

function choicesOf({ lines, act }: Review): Choice[] {
  const width = Math.max(...lines.map(({ label }) => label.length));
  const first = lines.find(({ trouble }) => trouble !== undefined);
  return [
    ...lines.map(line => ({ value: line.path, name: `${line.label.padEnd(width)}  ${textOf(line)}` })),
    { value: 'do', name: act, ...(first && { disabled: `(first: ${first.label})` }) },
    { value: 'save', name: 'Save it as a file, to be sent later' },
    { value: 'leave', name: 'Leave, and keep the draft' },
    { value: 'discard', name: 'Throw it away' },
  ];
}

const textOf = ({ text, trouble }: Line): string =>
  [text, trouble && `! ${trouble}`].filter(Boolean).join('  ') || '-';
