// What an agent reads: it has tools and their arguments, and no shell. What a person types it asks a person for, and what strangers
// wrote it reads in quotation marks, which nothing in that text ends.
import { nameWords, quotedUpTo } from '../text.ts';
import { type Reader, sayingOf } from './notices.ts';
import type { CommandWords, Text } from './sentence.ts';

/** How an agent reads messages. */
export const AGENT: Reader = {
  saying: message => sayingOf(marked(message)),
  write: text => text.map(wordsOfPart).join(''),
};

function wordsOfPart(part: Text[number]): string {
  if (typeof part === 'string') return quotedWhereMarked(part);
  switch (part.part) {
    case 'flag':
      return ARGUMENTS[unmarked(part.flag)] ?? `a person's option (${optionName(unmarked(part.flag))})`;
    case 'command':
      return commandWords(unmarked(part.command));
    case 'pattern':
      return personsCommand(unmarked(part.pattern).split(' '));
    case 'reader':
      return AGENT.write(part.agent);
    case 'unspoken':
      return quoted(part.words);
  }
}

// Text that strangers wrote. It is marked in the data of a notice, before there is a sentence: whatever a sentence does with it, what
// stands between the marks is quoted.

const [BEGIN, END] = ['\ue000', '\ue001'];
const MARKS = /[\ue000\ue001]/g;
/** From a mark to the next one, or to where the text was cut; a sentence may have quotation marks of its own around it. */
const MARKED = /"?\ue000([^\ue000\ue001]*)(?:\ue001"?|(?=\ue000)|$)/g;

/** What cannot be read as anything but a name or an amount: it stands bare. */
const BARE = /^(?:[\w.:/@+%=,[\]][\w.:/@+%=,[\]-]{0,39}|[\d.]+ [A-Z]{3}|)$/;

/** Text of strangers in a message is quoted up to this length; the whole of it is in a field beside the message. */
const MOST_QUOTED = 160;

/** Data with a mark at the beginning and the end of each text in it that is more than a name. */
function marked<T>(data: T): T;
function marked(data: unknown): unknown {
  if (typeof data === 'string') return BARE.test(data) ? data : `${BEGIN}${unmarked(data)}${END}`;
  if (Array.isArray(data)) return data.map(element => marked(element));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, marked(value)]));
}

function unmarked(words: string): string;
function unmarked(words: CommandWords): CommandWords;
function unmarked(words: string | CommandWords): string | CommandWords {
  return typeof words === 'string' ? words.replace(MARKS, '') : words.map(word => word.replace(MARKS, ''));
}

const quotedWhereMarked = (words: string): string => words.replace(MARKED, (_, text: string) => quoted(text));

/** Without a backslash, which would make the closing mark a letter to some readers. */
const quoted = (words: string): string =>
  quotedUpTo(MOST_QUOTED, unspokenWords(unmarked(words)).replaceAll('\\', '/'));

/**
 * Words of a room whose sentences are not in `src/say` yet, such as the message of an issue, without what only a person types. A field
 * has its path, and needs no option.
 */
export const unspokenWords = (words: string): string =>
  words
    .replace(/ \(--[^()]*\)$/, '')
    .replace(/`waybill [^`]*`?/g, "a person's command")
    .replace(/(?<![\w-])--[a-z][\w-]*/g, flag => ARGUMENTS[flag] ?? "a person's option");

// What a person types.

/** Options that an argument of a tool stands for. All others are a person's. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  '--key': 'key',
  '--carrier': 'carrier',
  '--service': 'service',
  '--max-price': 'maxPrice',
  '--max-days': 'maxDays',
  '--label': 'label',
  '--plan FILE': 'plan',
  '--search': 'search',
  '--since': 'since',
  '--state': 'state',
  '--chargeable-weight': 'chargeableWeight of the request',
};

const optionName = (flag: string): string => nameWords(flag.replace(/^--/, ''));

/** A command as the call of the tool that does the same, or as what a person is asked for. */
function commandWords(command: CommandWords): string {
  const call = callFor(command);
  return call ? callText(call) : personsCommand(command);
}

/** Commands whose next word is a command, too. */
const GROUPS = ['history', 'profile', 'batch', 'webhook', 'help'];

/** `a person's command (ask a person for "history check")`: without its arguments, which may be anybody's text. */
function personsCommand(command: CommandWords): string {
  const [first = '', second = ''] = command[0] === 'waybill' ? command.slice(1) : command;
  const name = GROUPS.includes(first) && /^[a-z-]+$/.test(second) ? `${first} ${second}` : nameWords(first);
  return `a person's command (ask a person for "${name}")`;
}

/** A call of a tool that helps. */
export interface Call {
  tool: string;
  arguments: Record<string, unknown>;
}

/** `history {"ref":"ORDER-1"}`; a tool alone where its arguments are not known. */
const callText = ({ tool, arguments: given }: Call): string =>
  Object.keys(given).length === 0 ? tool : `${tool} ${JSON.stringify(given).replace(UNSEEN, escaped)}`;

/** What no reader sees, or what turns the direction of text. */
const UNSEEN = /[\p{Other}\p{Line_Separator}\p{Paragraph_Separator}]/gu;

const escaped = (letter: string): string =>
  letter
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Options that need no argument of a tool: the server was started for that place and folder, and shows all as JSON. */
const OF_SERVER: Readonly<Record<string, 'value' | 'alone'>> = {
  '--profile': 'value',
  '--download': 'value',
  '--sandbox': 'alone',
  '--no-sandbox': 'alone',
  '--json': 'alone',
  '--example': 'alone',
};

/** Options that are arguments of a tool; those of `label` name its shipments, as words without an option do. */
const OF_TOOLS: Readonly<Record<string, readonly string[]>> = {
  'history list': ['--search', '--since', '--state'],
  label: ['--international', '--domestic'],
};

/** The call of a tool that does what a command does, all of it; `undefined`: only a person has that command. */
export function callFor([, ...words]: CommandWords): Call | undefined {
  const name = words[0] === 'history' ? words.slice(0, 2).join(' ') : (words[0] ?? '');
  const line = lineOf(words.slice(name.split(' ').length), OF_TOOLS[name] ?? []);
  if (line === undefined) return undefined;
  const { refs, values } = line;
  const [ref] = refs;
  switch (name) {
    case 'history show':
      return refs.length === 1 ? { tool: 'history', arguments: { ref } } : undefined;
    case 'history list':
      return refs.length === 0 ? { tool: 'history', arguments: values } : undefined;
    case 'label':
    case 'track': {
      const shipments = [...refs, ...Object.values(values)];
      return shipments.length > 0 ? { tool: name, arguments: { refs: shipments } } : undefined;
    }
    case 'schema':
      return { tool: 'order_schema', arguments: { operation: ref ?? 'ship' } };
    case 'quote':
    case 'ship':
      return refs.length === 0 ? { tool: name, arguments: {} } : undefined;
    default:
      return undefined;
  }
}

/** What a command names, and the values of options that a tool has; `undefined` if another option is among them. */
function lineOf(
  words: readonly string[],
  options: readonly string[],
): { refs: string[]; values: Record<string, string> } | undefined {
  const refs: string[] = [];
  const values: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return { refs: [...refs, ...words.slice(at + 1)], values };
    const value = words[at + 1];
    if (!word.startsWith('-')) refs.push(word);
    else if (options.includes(word) && value !== undefined) values[word.slice(2)] = value;
    else if (OF_SERVER[word] === undefined) return undefined;
    if (options.includes(word) || OF_SERVER[word] === 'value') at += 1;
  }
  return { refs, values };
}
