// The man pages, with the same text as help: one for `waybill`, one for each of its commands, one for each topic.
import type { Command } from 'commander';
import { wordsOf } from '../completion/kinds.ts';
import type { Section } from '../manual/document.ts';
import { asRoff, type Chapter, type ManPage } from '../manual/roff.ts';
import { TOPICS } from '../manual/topics.ts';
import { pageOf } from './help-page.ts';
import { commandTree } from './program.ts';
import { typedPath } from './usage.ts';

/** The version of waybill, and the date of the build (`2026-03-02`). */
export type Edition = Pick<ManPage, 'version' | 'date'>;

/** The text of each page by its file: `waybill-quote.1`. */
export async function manPages(edition: Edition): Promise<ReadonlyMap<string, string>> {
  const { program, load } = await commandTree();
  const commands = program.createHelp().visibleCommands(program);
  for (const command of commands) await load(command);
  const topics = Object.keys(TOPICS).filter(name => commands.every(command => command.name() !== name));
  const seeAlso = [
    ...commands.filter(command => command.name() !== 'help').map(command => `${fileName(command)}(1)`),
    ...topics.map(name => `waybill-${name}(7)`),
  ];
  const pages: ManPage[] = [{ ...(await commandPage(program, edition)), seeAlso }];
  for (const command of commands)
    if (command.name() !== 'help') pages.push(await commandPage(command, edition));
  for (const name of topics) pages.push(await topicPage(name, edition));
  return new Map(pages.map(page => [`${page.name}.${page.section}`, asRoff(page)]));
}

const fileName = (command: Command): string => ['waybill', ...wordsOf(command)].join('-');

const SEE_FIRST = ['waybill(1)', 'waybill-exit-codes(7)', 'waybill-environment(7)'];

/** A command with its subcommands, each in a chapter. */
async function commandPage(command: Command, edition: Edition): Promise<ManPage> {
  const { description, sections } = await describe(command);
  const isRoot = command.parent === null;
  const below = isRoot ? [] : typed(command);
  const chapters: Chapter[] = [{ sections }];
  for (const sub of below) {
    const page = await describe(sub);
    chapters.push({ title: typedPath(sub), description: page.description, sections: page.sections });
  }
  const described = below.length > 0 ? below : [command];
  const synopsis = await Promise.all(described.map(async sub => (await describe(sub)).usage));
  return {
    ...edition,
    name: fileName(command),
    section: 1,
    summary: isRoot ? 'quote, book, label and track shipments' : command.description(),
    synopsis,
    description: isRoot ? description : `${description} ${SHARED}`,
    chapters,
    seeAlso: SEE_FIRST,
  };
}

const SHARED =
  'The examples work as pasted with WAYBILL_PROFILE=demo. The options that every command takes are in waybill(1).';

/** All subcommands that can be run, at every level: `profile party add` of `profile`. */
const typed = (command: Command): Command[] =>
  command.commands.flatMap(sub => (sub.commands.length > 0 ? typed(sub) : [sub]));

const describe = (command: Command) => pageOf(command, command.createHelp());

async function topicPage(name: string, edition: Edition): Promise<ManPage> {
  const topic = TOPICS[name];
  const sections: readonly Section[] = (await topic?.load())?.TOPIC ?? [];
  return {
    ...edition,
    name: `waybill-${name}`,
    section: 7,
    summary: topic?.summary ?? '',
    synopsis: [],
    description: `\`waybill help ${name}\` shows the same text.`,
    chapters: [{ sections }],
    seeAlso: ['waybill(1)'],
  };
}
