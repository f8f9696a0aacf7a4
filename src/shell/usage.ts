// What is wrong with a command line, for people.
import type { Command, CommanderError } from 'commander';
import { Failure } from '../errors.ts';
import type { Environment } from '../host/programs.ts';
import { didYouMean, nearest } from '../nearest.ts';
import { commandPath, valueKind } from '../session/command.ts';
import { shortened, shown } from '../text.ts';

/** What one does because the service cannot cancel. */
const CANCELLING =
  'The service has no operation that cancels a shipment, a label or a subscription. Ask the carrier or the provider of the service: `waybill history show REF` shows the ids that they need, and `waybill history cancelled REF --reason TEXT` records what they did. The key stays taken: a replacement has a key of its own. If the booking is unknown and they do not have it: `waybill history resolve REF`';

/** What to do in place of commands that people try; a subscription can only not be cancelled. */
const TRIED: Readonly<Record<string, string>> = {
  cancel: CANCELLING,
  void: CANCELLING,
  delete: CANCELLING,
  refund: CANCELLING,
  status: '`waybill track REF` shows where a shipment is, and `waybill history show REF` what was booked',
  print: '`waybill label REF --print` prints the label of an order',
  return:
    'A return is a shipment of its own: `waybill ship` books it, with the buyer as the sender and you as the receiver',
};

/** Why there is no such command; `undefined` if there is no more to say. */
function triedFault(command: Command, word: string): Failure | undefined {
  const advice = Object.hasOwn(TRIED, word) ? TRIED[word] : undefined;
  const isMeant = command.parent === null || (command.name() === 'webhook' && advice === CANCELLING);
  if (advice === undefined || !isMeant) return undefined;
  return new Failure('usage', `there is no command ${JSON.stringify(`${typedPath(command)} ${word}`)}`, {
    hint: advice,
  });
}

/** The subcommand of that name; `topics` are what could have been meant as well. Throws `usage`. */
export function subcommand(command: Command, word: string, topics: readonly string[]): Command {
  const found = command.commands.find(sub => sub.name() === word);
  if (found !== undefined) return found;
  const tried = triedFault(command, word);
  if (tried) throw tried;
  const path = typedPath(command);
  const guess = didYouMean(word, [...command.commands.map(sub => sub.name()), ...topics]);
  throw new Failure(
    'usage',
    `there is no command ${topics.length > 0 ? 'or topic ' : ''}${JSON.stringify(`${path} ${word}`)}${guess}`,
    { hint: `\`${path} --help\` lists all` },
  );
}

/** The values of each option by its name, in the order in which they were typed. */
export type TypedValues = Map<string, string[]>;

/**
 * Two orders on one command line are not one: an option that takes one value is given once. `--failed --dry-run` names no
 * file `--dry-run`: only `--failed=--dry-run` does. An empty name of a file or a party is a variable that is not set. Throws
 * `usage`.
 */
export function refuseMistyped(command: Command, typed: TypedValues, argv: readonly string[]): void {
  const values = command.optsWithGlobals<Record<string, unknown>>();
  for (const [at, argument] of command.registeredArguments.entries())
    if (argument.name() === 'file' && [command.processedArgs[at]].flat().includes(''))
      throw new Failure('usage', 'the name of a file is empty');
  const options = [...command.options];
  for (let above = command.parent; above; above = above.parent) options.push(...above.options);
  const flags = options.flatMap(({ short, long }) => [short ?? [], long ?? []]).flat();
  for (const option of options.filter(({ required }) => required)) {
    const given = typed.get(option.name()) ?? [];
    const refuse = (why: string) => new Failure('usage', `--${option.name()} ${why}`);
    for (const value of given) {
      const meant = value.startsWith('--') ? nearest(value, flags) : flags.find(flag => flag === value);
      const isNext = argv.some(
        (word, at) => word === value && [option.short, option.long].includes(argv[at - 1]),
      );
      if (meant !== undefined && isNext)
        throw refuse(
          `has no value: ${shortened(value)} follows it${meant === value ? '' : ` (did you mean ${meant}?)`}`,
        );
    }
    if (['file', 'path', 'dir', 'url', 'party'].includes(valueKind(option.flags)) && given.includes(''))
      throw refuse('is empty');
    if (given.length > 1 && !Array.isArray(values[option.attributeName()]))
      throw refuse('is given twice, but takes one value');
  }
}

const LOST = '\ufffd';

/**
 * Node reads bytes that are no UTF-8 as U+FFFD, so that different keys would be one key. Refuses such an argument, and
 * such a value of a WAYBILL_ variable. Throws `usage`.
 */
export function refuseLostText(argv: readonly string[], env: Environment): void {
  const lost = (what: string, cure: string) =>
    new Failure('usage', `${what} holds U+FFFD, which stands for bytes that are not UTF-8`, { hint: cure });
  const at = argv.findIndex(word => word.includes(LOST));
  if (at >= 0) {
    const flag = /^--[\w-]+(?==)/.exec(argv[at] ?? '')?.[0] ?? /^-[\w-]+$/.exec(argv[at - 1] ?? '')?.[0];
    const where = flag === undefined ? `argument ${at + 1}` : `argument ${at + 1}, for ${flag},`;
    throw lost(
      `${where} ${shown(argv[at] ?? '')}`,
      'Type it in a terminal that writes UTF-8, or put it into a file',
    );
  }
  // Not its value, which may be a secret.
  const name = Object.keys(env).find(one => one.startsWith('WAYBILL_') && env[one]?.includes(LOST));
  if (name !== undefined) throw lost(`the environment variable ${name}`, 'Set it again, in UTF-8');
}

/** What commander has against a command line, in its words, and where to read more. */
export function usageFailure(error: CommanderError, program: Command, argv: readonly string[]): Failure {
  const command = typedCommand(program, argv);
  const [, word = ''] = /^error: unknown command '(.*)'/s.exec(error.message) ?? [];
  const tried = triedFault(command, word);
  if (tried) return tried;
  const sentence = (unknownIn(command, error, argv) ?? error.message)
    .replace(/^error: /, '')
    .replace(/\n\(Did/, ' (did')
    .replace(/\.$/, '')
    .replace(/\S{100,}/g, shortened);
  return new Failure('usage', `${sentence}`, {
    hint: `\`${typedPath(command)} --help\` shows how to use it`,
  });
}

/** A group whose default command got an operand: a subcommand was meant. */
function unknownIn(group: Command, { code }: CommanderError, argv: readonly string[]): string | undefined {
  if (code !== 'commander.excessArguments' || group.commands.length === 0) return undefined;
  const word = argv.slice(argv.indexOf(group.name()) + 1).find(one => !one.startsWith('-')) ?? '';
  const names = group.commands.map(command => command.name());
  return `unknown command '${word}'${didYouMean(word, names)}`;
}

/** `waybill webhook create`. */
export const typedPath = (command: Command): string => ['waybill', ...commandPath(command)].join(' ');

/** The innermost command that the words name. */
export function typedCommand(program: Command, argv: readonly string[]): Command {
  const takesValue = (flag = '') =>
    program.options.some(({ required, short, long }) => required && (short === flag || long === flag));
  let command = program;
  for (const [index, word] of argv.entries()) {
    if (word.startsWith('-') || takesValue(argv[index - 1])) continue;
    const found = command.commands.find(sub => sub.name() === word);
    // What follows a word that names none is no command, either.
    if (found === undefined) break;
    command = found;
  }
  return command;
}
