// The pages of help. Loaded only when help is shown.
import { type Argument, type Command, Help, type Option } from 'commander';
import { FAILURES, type FailureCode } from '../exit-codes.ts';
import type { Page, Term } from '../session/command.ts';
import { layout } from './layout.ts';
import { topicText } from './topics.ts';
import { commandPath, declarationOf } from './tree.ts';

const FIRST_PAGE = `
Examples:
  # Nothing is set up: the built-in emulator answers.
  waybill quote --profile demo --from TR --to DE --package 2x1.5kg@30x20x10cm

More: \`waybill help options\`, input, output, exit-codes, environment, agents.`;

const EVERY_PAGE = `
The examples work as pasted with WAYBILL_PROFILE=demo. More options, which every
command takes: \`waybill help options\`. Exit codes: \`waybill help exit-codes\`.`;

/** What `waybill COMMAND --help` shows. */
export async function helpOf(command: Command, width: number): Promise<string> {
  if (command.parent === null) return `${usageText(command, undefined, width)}${FIRST_PAGE}\n`;
  const words = commandPath(command);
  const page = declarationOf(command);
  const usage = usageText(command, page?.about, width);
  const notes = { ...page?.notes, ...(await ofProfile(command)) };
  const text = `${usage}${page === undefined ? '' : `${pageText({ ...page, notes }, width)}\n`}${EVERY_PAGE}\n`;
  // If a topic has the name of a command, the help of the command ends with it.
  const topic = words.length > 1 ? '' : await topicText(words.join(), width);
  return topic === '' ? text : `${text}\n${topic}`;
}

/** The note which options a profile may give: the options with a hidden `--no-…`. */
async function ofProfile(command: Command): Promise<Page['notes']> {
  const negatives = command.options.filter(({ negate, hidden }) => negate && hidden);
  if (negatives.length === 0) return {};
  const { OPTION_SETTINGS } = await import('../profile/table.ts');
  const names = OPTION_SETTINGS.filter(name => negatives.some(option => option.attributeName() === name));
  const flags = names.map(name => negatives.find(option => option.attributeName() === name)?.long);
  return {
    'Options of a profile': `The profile may give ${names.join(', ')}: \`waybill profile set NAME ${names[0]}=VALUE\`. A flag beats it. To leave it out: ${flags.join(', ')}.`,
  };
}

/** The text with a capital letter at its beginning, because descriptions from the contract may begin with a small one. */
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const usual = new Help();

/** The usage, arguments and options of a command. `about`: the sentences behind its description. */
function usageText(command: Command, about: string | undefined, width: number): string {
  const help = Object.assign(new Help(), {
    commandDescription: (command: Command) =>
      capital([command.description(), ...(about === undefined ? [] : [about])].join('. ')).replace(
        /\.?$/,
        '.',
      ),
    // The arguments of a subcommand are known only once its declaration is loaded, so only its name is shown.
    subcommandTerm: (command: Command) => command.name(),
    subcommandDescription: (command: Command) => capital(usual.subcommandDescription(command)),
    optionDescription: (option: Option) => capital(usual.optionDescription(option)),
    argumentDescription: (argument: Argument) => capital(usual.argumentDescription(argument)),
    // The options that every command takes are left out: they are a topic of their own.
    visibleOptions: (command: Command) =>
      command.parent ? command.options.filter(({ hidden }) => !hidden) : [],
  });
  help.prepareContext({ helpWidth: width });
  return help.formatHelp(command, help);
}

function pageText(page: Page, width: number): string {
  const { examples, output, exits = {}, notes = {} } = page;
  const { list, paragraphs } = layout(width);
  const results = Object.entries({ table: output?.table, '-q': output?.quiet, '--json': output?.json });
  const codes = Object.keys(FAILURES).flatMap((code): Term[] => {
    const { exit } = FAILURES[code as FailureCode];
    const meaning = exits[code as FailureCode];
    return meaning === undefined ? [] : [[`${String(exit).padEnd(2)} ${code}`, meaning]];
  });
  const sections: [title: string, text: string][] = [
    ['Examples', examples.map(line => `  ${line}`).join('\n')],
    [
      'Output',
      list(results.flatMap(([format, what]): Term[] => (what === undefined ? [] : [[format, what]]))),
    ],
    ['Exit codes', list(codes)],
    ...Object.entries(notes).map(([title, text]): [string, string] => [
      title,
      typeof text === 'string' ? paragraphs(text) : list(text),
    ]),
  ];
  return sections
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `\n${title}:\n${text}`)
    .join('\n');
}
