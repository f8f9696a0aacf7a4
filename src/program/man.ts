// The man pages, with the same text as help: one for `waybill`, one for each of its commands, one for each topic.
import type { Command } from 'commander';
import { wordsOf } from '../completion/kinds.ts';
import { asRoff, type ManPage } from '../manual/roff.ts';
import { loadTopic, TOPICS } from '../manual/topics.ts';
import { type CommandPage, pageOf } from './help-page.ts';
import { commandTree } from './program.ts';
import { typedPath } from './usage.ts';

/** The version of waybill, and the date of the build (`2026-03-02`). */
export type Edition = Pick<ManPage, 'version' | 'date'>;

/** The text of each page by its file: `waybill-quote.1`. */
export async function manPages(edition: Edition): Promise<ReadonlyMap<string, string>> {
  const { program, load } = await commandTree();
  const commands = program.commands.filter(command => command.name() !== 'help');
  for (const command of commands) await load(command);
  const topics = Object.keys(TOPICS).filter(name => commands.every(command => command.name() !== name));
  const below: ManPage[] = [];
  for (const command of commands) below.push(await commandPage(command, edition));
  for (const name of topics) below.push(await topicPage(name, edition));
  const seeAlso = below.map(page => `${page.name}(${page.section})`);
  const pages = [{ ...(await commandPage(program, edition)), seeAlso }, ...below];
  return new Map(pages.map(page => [`${page.name}.${page.section}`, asRoff(page)]));
}

const fileName = (command: Command): string => ['waybill', ...wordsOf(command)].join('-');

const SEE_FIRST = ['waybill(1)', 'waybill-exit-codes(7)', 'waybill-environment(7)'];

/** A command with its subcommands, each in a chapter. */
async function commandPage(command: Command, edition: Edition): Promise<ManPage> {
  const isRoot = command.parent === null;
  const { description, sections, usage } = await describe(command);
  const below: (CommandPage & { title: string })[] = [];
  for (const sub of isRoot ? [] : typed(command))
    below.push({ ...(await describe(sub)), title: typedPath(sub) });
  return {
    ...edition,
    name: fileName(command),
    section: 1,
    summary: isRoot ? 'quote, book, label and track shipments' : command.description(),
    synopsis: below.length > 0 ? below.map(page => page.usage) : [usage],
    description: isRoot ? description : `${description} ${SHARED}`,
    chapters: [{ sections }, ...below],
    seeAlso: SEE_FIRST,
  };
}

const SHARED =
  'The examples work as pasted with WAYBILL_PROFILE=demo. The options that every command takes are in waybill(1).';

/** All subcommands that can be run, at every level: `profile party add` of `profile`. */
const typed = (command: Command): Command[] =>
  command.commands.flatMap(sub => (sub.commands.length > 0 ? typed(sub) : [sub]));

const describe = (command: Command): Promise<CommandPage> => pageOf(command, command.createHelp());

const topicPage = async (name: string, edition: Edition): Promise<ManPage> => ({
  ...edition,
  name: `waybill-${name}`,
  section: 7,
  summary: TOPICS[name] ?? '',
  synopsis: [],
  description: `\`waybill help ${name}\` shows the same text.`,
  chapters: [{ sections: await loadTopic(name) }],
  seeAlso: ['waybill(1)'],
});
