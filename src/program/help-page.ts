// The help of a command: what commander knows about it, and its page of the manual. Loaded only for help.

import type { Command, Help, Option } from 'commander';
import { wordsOf } from '../completion/kinds.ts';
import { type Block, type Definition, padOf, type Section } from '../manual/document.ts';
import { exitTable } from '../manual/exits.ts';
import type { Page } from '../manual/page.ts';
import { findPage } from '../manual/pages.ts';
import { asText } from '../manual/text.ts';
import { loadTopic, TOPICS } from '../manual/topics.ts';
import { wrapped } from '../text.ts';

/** The help of a command as a terminal of that many columns shows it. */
export async function helpText(command: Command, help: Help): Promise<string> {
  const width = help.helpWidth ?? 80;
  const page = await findPage(wordsOf(command));
  const root = command.parent === null;
  const options = optionSections(command, help);
  const operands = help
    .visibleArguments(command)
    .map((argument): Definition => [argument.name(), sentence(argument.description)]);
  const sections: Section[] = [
    ...(page ? [{ title: 'Examples', blocks: [{ lines: page.examples }] }] : []),
    ...commandSections(command, help),
    ...(root ? [topicSection()] : []),
    ...aligned([...(operands.length > 0 ? [{ title: 'Arguments', rows: operands }] : []), ...options]),
    ...(root ? [exitTable()] : page ? await resultsOf(page) : []),
    ...noteSections(command),
  ];
  const parts = [
    wrapped(page?.description ?? sentence(command.description()), width).join('\n'),
    `Usage: ${help.commandUsage(command)}`,
    asText(sections, width),
    ...(root ? [] : [wrapped(sharedOptions(command), width).join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}

export const topicNames: readonly string[] = Object.keys(TOPICS);

/** The help of a topic as a terminal of that many columns shows it. */
export const topicText = async (name: string, width: number): Promise<string> =>
  `${asText(await loadTopic(name), width)}\n`;

// The first page does not need the contract, and starts faster without it.
const resultsOf = async (page: Page): Promise<Section[]> =>
  (await import('../manual/results.ts')).resultSections(page);

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

const topicSection = (): Section => ({
  title: 'Topics, for waybill help TOPIC',
  blocks: [{ rows: Object.entries(TOPICS).map(([name, summary]): Definition => [name, sentence(summary)]) }],
});

function optionSections(command: Command, help: Help): Group[] {
  const root = command.parent === null;
  const visible = help.visibleOptions(command).filter(option => root || option.long !== '--help');
  const groups = help.groupItems(
    [...command.options],
    visible,
    option => option.helpGroupHeading ?? (root ? 'Options of every command:' : 'Options:'),
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

function sharedOptions(command: Command): string {
  let root = command;
  while (root.parent) root = root.parent;
  const flags = [...root.options.map(({ flags }) => flags.replace(', ', '/')), '--help'];
  return `The examples work as pasted with WAYBILL_PROFILE=demo. Every command also takes ${flags.join(', ')}. \`waybill --help\` explains them, and \`waybill help exit-codes\` explains the exit codes.`;
}

/** The text that the file of the command adds with `addHelpText`. */
function noteSections(command: Command): Section[] {
  let text = '';
  // Commander does the same; its types do not show it.
  const { emit } = command as Command & { emit(event: string, context: object): boolean };
  emit.call(command, 'afterHelp', { error: false, command, write: (more: string) => (text += more) });
  return text.trim() === '' ? [] : [{ title: 'Notes', blocks: text.trim().split('\n\n').map(noteBlock) }];
}

/** A paragraph and each `- ` of a list are wrapped; indented lines stay as they are. */
function noteBlock(paragraph: string): Block {
  const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
  const entries = paragraph.split(/^- /m).slice(1);
  if (entries.length > 0) return { rows: entries.map((entry): Definition => ['-', onOneLine(entry)]) };
  return /^ /m.test(paragraph) ? { lines: paragraph.split('\n') } : onOneLine(paragraph);
}
