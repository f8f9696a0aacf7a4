// The answer to a shell that asks what may stand at the cursor. Nothing is sent, asked or written. If something is wrong, the answer is
// empty: the command itself will report the fault.
import type { Command } from 'commander';
import type { Host } from '../host.ts';
import { safe } from '../output/text.ts';
import { type Candidate, type Reply, SHELLS, startingWith } from './completion.ts';
import { type CommandLine, namesAt, readWords } from './line.ts';
import { commandTree } from './program.ts';

/** `argv`: the name of a shell, and the arguments that its script gives. Gives the answer in the form of that script; '' on failure. */
export async function completeLine([name = '', ...args]: readonly string[], host: Host): Promise<string> {
  try {
    const shell = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined;
    const words = shell?.read(args);
    const reply: Reply = words ? await replyTo(words, host) : { head: '', candidates: [], fallback: 'files' };
    return shell?.write({ ...reply, candidates: reply.candidates.flatMap(shownSafely) }, args) ?? '';
  } catch {
    return '';
  }
}

async function replyTo(words: readonly string[], host: Host): Promise<Reply> {
  const program = await commandTree();
  const line = await readWords(program, words);
  const { option, argument, head, prefix } = line.typed;
  if (!option && !argument)
    return { head: '', candidates: [...namesAt(line), ...(await topicsAt(line, program))] };
  const { valuesAt } = await import('./values.ts');
  const { candidates, ...reply } = await valuesAt(line, host);
  // If there is no value for an argument, an option may stand there.
  if (
    candidates.length === 0 &&
    reply.fallback === undefined &&
    argument &&
    prefix === '' &&
    !line.isOptionsEnd
  )
    return { head: '', candidates: namesAt({ ...line, typed: { head: '', prefix: '-' } }) };
  return {
    ...reply,
    candidates: candidates.map(candidate => ({ ...candidate, value: head + candidate.value })),
  };
}

/** Topics of help, which `waybill help` takes beside commands. */
async function topicsAt(line: CommandLine, program: Command): Promise<Candidate[]> {
  const { isHelp, command, typed } = line;
  if (!isHelp || command !== program) return [];
  const { TOPICS } = await import('./topics.ts');
  const topics = Object.entries(TOPICS).map(([value, { summary }]) => ({ value, description: summary }));
  const commands = program.commands.map(sub => sub.name());
  return startingWith(typed.prefix, topics).filter(({ value }) => !commands.includes(value));
}

/** Leaves out a value with control characters: it cannot be selected in a terminal, and would break lines. */
const shownSafely = ({ description, ...candidate }: Candidate): Candidate[] =>
  safe(candidate.value) === candidate.value
    ? [{ ...candidate, ...(description && { description: safe(description) }) }]
    : [];
