// The help of a command: what commander knows about it, and its page. Loaded only for help.

import type { Command, Help, Option } from 'commander';
import { wordsOf } from '../completion/kinds.ts';
import type { Operation } from '../contract/operations.ts';
import { FAILURES, type FailureCode } from '../errors.ts';
import { type Page, pageOf } from '../session/page.ts';
import { wrapped } from '../text.ts';
import { asText, type Definition, padOf, type Section } from './layout.ts';
import { sectionsOf } from './markdown.ts';
import { TOPICS, topicSections } from './topics.ts';

/** The help of a command as a terminal of that many columns shows it. */
export async function helpText(command: Command, help: Help): Promise<string> {
  const width = help.helpWidth ?? 80;
  const [name, ...below] = wordsOf(command);
  if (name === undefined) return firstPage(command, help, width);
  const page = pageOf(command) ?? { examples: [] };
  const operands = help
    .visibleArguments(command)
    .map((argument): Definition => [argument.name(), sentence(argument.description)]);
  const sections: Section[] = [
    { title: 'Examples', blocks: [{ lines: page.examples }] },
    ...commandSections(command, help),
    ...aligned([
      ...(operands.length > 0 ? [{ title: 'Arguments', rows: operands }] : []),
      ...optionGroups(command, help),
    ]),
    ...(page.output ? await resultSections(page) : []),
    ...sectionsOf(page.notes ?? ''),
    ...(below.length === 0 ? await topicSections(name) : []),
  ];
  const parts = [
    wrapped(`${sentence(command.description())}.`, width).join('\n'),
    `Usage: ${help.commandUsage(command)}`,
    asText(sections, width),
    wrapped(
      'The examples work as pasted with WAYBILL_PROFILE=demo. Every command also takes --profile <name>, --json, --no-input and others: `waybill help options`. `waybill help exit-codes` says what to do after each exit code.',
      width,
    ).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The help of `waybill` itself: it fits a terminal of 30 lines, and leads to all else. */
function firstPage(program: Command, help: Help, width: number): string {
  const groups = commandSections(program, help).map(section => asText([section], width));
  const topics = Object.keys(TOPICS).filter(
    name => !program.commands.some(command => command.name() === name),
  );
  const examples = [
    '# Nothing is set up: the built-in emulator answers.',
    'waybill quote --profile demo --from TR --to DE --package 2x1.5kg@30x20x10cm',
  ];
  const more = `\`waybill COMMAND --help\` shows the options of a command, \`waybill help TOPIC\` one of ${topics.join(', ')}.`;
  return `${[
    program.description(),
    `Usage: ${help.commandUsage(program)}`,
    groups.join('\n'),
    asText([{ title: 'Examples', blocks: [{ lines: examples }] }], width),
    wrapped(more, width).join('\n'),
  ].join('\n\n')}\n`;
}

/** The help of a topic as a terminal of that many columns shows it. */
export const topicText = async (name: string, width: number): Promise<string> =>
  `${asText(await topicSections(name), width)}\n`;

interface Group {
  title: string;
  rows: readonly Definition[];
}

/** Groups whose terms are in one column. */
function aligned(groups: readonly Group[]): Section[] {
  const pad = padOf(groups.flatMap(({ rows }) => rows));
  return groups.map(({ title, rows }) => ({ title, blocks: [{ rows, pad }] }));
}

const untitled = (heading: string): string => heading.replace(/:$/, '');

function commandSections(command: Command, help: Help): Section[] {
  const groups = help.groupItems(
    [...command.commands],
    help.visibleCommands(command),
    sub => sub.helpGroup() || 'Commands:',
  );
  return aligned(
    [...groups].map(([heading, subs]) => ({
      title: untitled(heading),
      rows: subs.map((sub): Definition => [help.subcommandTerm(sub), sentence(sub.description())]),
    })),
  );
}

function optionGroups(command: Command, help: Help): Group[] {
  const visible = help.visibleOptions(command).filter(option => option.long !== '--help');
  const groups = help.groupItems(
    [...command.options],
    visible,
    option => option.helpGroupHeading ?? 'Options:',
  );
  return [...groups]
    .filter(([, options]) => options.length > 0)
    .map(([heading, options]) => ({
      title: untitled(heading),
      rows: options.map(option => optionRow(option, help)),
    }));
}

function optionRow(option: Option, help: Help): Definition {
  const { argChoices, defaultValue, negate } = option;
  const choices = argChoices ? ` (${argChoices.join(', ')})` : '';
  const fallback = defaultValue === undefined || negate ? '' : ` (default: ${defaultValue})`;
  return [help.optionTerm(option), sentence(option.description) + choices + fallback];
}

/** Descriptions come from the contract and from commands. All begin with a capital letter in help. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Every failure that a command can end with, in the order of the table of exit codes. */
export async function failuresOf({ asks = [], exits = {}, output }: Page): Promise<FailureCode[]> {
  // Loaded only now: the first page starts faster without the contract.
  const { OPERATIONS } = await import('../contract/operations.ts');
  const operations = asks.map((id): Operation => OPERATIONS[id]);
  const applies: Record<(typeof FAILURES)[FailureCode]['of'], boolean> = {
    all: true,
    service: operations.length > 0,
    body: operations.some(({ body }) => body),
    'no sandbox': operations.some(({ sandbox }) => !sandbox),
    booking: operations.some(({ books }) => books),
    result: output?.json !== undefined,
    page: false,
  };
  return (Object.keys(FAILURES) as FailureCode[]).filter(code => code in exits || applies[FAILURES[code].of]);
}

/** What a command prints, and how it ends. */
async function resultSections(page: Page): Promise<Section[]> {
  const { output, exits } = page;
  const rows = Object.entries({ table: output?.table, '-q': output?.quiet, '--json': output?.json }).flatMap(
    ([format, what]): Definition[] => (what === undefined ? [] : [[format, what]]),
  );
  const own: Page['exits'] = { partial: 'the work is done, but --query does not fit the result', ...exits };
  const codes = (await failuresOf(page)).map((code): Definition => {
    const { exit, description } = FAILURES[code];
    return [`${String(exit).padEnd(5)}${code}`, own[code] ?? description];
  });
  return [
    { title: 'Output', blocks: [{ rows }] },
    { title: 'Exit codes', blocks: [{ rows: [['0', 'done'], ...codes] }] },
  ];
}
