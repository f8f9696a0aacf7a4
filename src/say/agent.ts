// What an agent reads: an agent has tools with arguments, and no shell. For what a person types, it is told to ask a person. A text that
// others wrote stands in no sentence: the sentence has a number, and the text is in a field beside it that says so.
import { type Message, type Reader, sayingOf } from './notices.ts';
import type { CommandWords, Text } from './sentence.ts';

/** Reads the sentences of one answer, or of one message. */
export interface AgentReader extends Reader {
  /** A sentence that is text already, without its notice: JSON in quotation marks in it is a value that somebody gave. */
  sentence(words: string): string;
  /** What stands behind `[1]`, `[2]` and so on in the sentences that were read. */
  readonly writtenByOthers: readonly string[];
}

// Before a sentence is made, each text of others in the data of its notice is replaced by a token: whatever the sentence does with the
// token, the text is not in it.

/** A token in a sentence, which may have put quotation marks around it, or may have cut it off. */
const TOKEN = /(["'])\u27e6(\d+)\u27e7 ?\1|\u27e6(\d*)\u27e7?/g;

/** A text that can only be a name, an amount or a time of delivery: it stands in the sentence itself. */
const BARE = /^(?:[\w.:/@+%=,][\w.:/@+%=,[\]-]{0,39}|[\d.]+ [A-Z]{3}|\d+(?:-\d+)? days?|)$/;

/** Fields of notices that hold what others said: not even a single word of such a field stands in a sentence. */
const SAID_BY_OTHERS: ReadonlySet<string> = new Set([
  'message',
  'words',
  'why',
  'detail',
  'title',
  'text',
  'refusal',
  'line',
  'incomplete',
  'link',
  'where',
]);

/** Fields whose texts are by waybill, although they are sentences. */
const OURS: ReadonlySet<string> = new Set(['rule', 'state', 'meaning']);

/** The most characters of a text that are told: a service may answer with a whole page, which `body` has. */
const MOST_KEPT = 4000;

/** A value in a sentence, written as JSON. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

export function agentReader(): AgentReader {
  const texts: string[] = [];
  const written: string[] = [];

  const token = (text: string): string => `\u27e6${texts.push(text) - 1}\u27e7`;
  const numberOf = (text: string): string => {
    const kept = text.length > MOST_KEPT ? `${text.slice(0, MOST_KEPT)}\u2026` : text;
    const at = written.indexOf(kept);
    return `[${at === -1 ? written.push(kept) : at + 1}]`;
  };
  const replaced = (words: string, replacement: (text: string) => string): string =>
    words.replace(TOKEN, (_, __, quoted: string | undefined, at: string) => {
      const text = texts[Number(quoted ?? (at || Number.NaN))];
      return text === undefined ? '\u2026' : replacement(text);
    });
  const textOf = (words: string): string => replaced(words, text => text);
  const numbered = (words: string): string => replaced(words, numberOf);

  /** Data with a token in the place of each text that is more than a name. */
  const marked = (data: unknown, field: string): unknown => {
    if (typeof data === 'string') {
      const isOurs = OURS.has(field) || (BARE.test(data) && !SAID_BY_OTHERS.has(field));
      return data === '' || isOurs ? data : token(data);
    }
    if (Array.isArray(data)) return data.map(element => marked(element, field));
    if (typeof data !== 'object' || data === null) return data;
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, marked(value, name)]));
  };

  const partWords = (part: Text[number]): string => {
    if (typeof part === 'string') return numbered(part);
    switch (part.part) {
      case 'flag':
        return argumentWords(part.flag);
      case 'command':
        return commandWords(part.command.map(textOf), numberOf);
      case 'pattern':
        return personsCommand(part.pattern.split(' '));
      case 'reader':
        return write(part.agent);
      case 'unspoken':
        return numberOf(unspokenWords(textOf(part.words)));
    }
  };
  const write = (text: Text): string => text.map(partWords).join('');

  return {
    writtenByOthers: written,
    saying: message => sayingOf(typeof message === 'string' ? message : (marked(message, '') as Message)),
    write,
    sentence: words => unspokenWords(words).replace(QUOTED, json => numberOf(json.slice(1, -1))),
  };
}

/**
 * A sentence that is text already, such as the message of an issue, without options and commands, which only a person types. The option
 * behind a field's problem is left out: the path of the field says enough.
 */
export const unspokenWords = (words: string): string =>
  words
    .replace(/ \(--[^()]*\)$/, '')
    .replace(/`waybill [^`]*`?/g, "a person's command")
    .replace(/(?<![\w-])--[a-z][\w-]*/g, flag => ARGUMENTS[flag] ?? "a person's option");

// What a person types.

/** Options that an argument of a tool replaces. All other options are for a person. */
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

/** What the name of an option or a command looks like. */
const NAME = /^[a-z][a-z-]{0,40}$/;

function argumentWords(flag: string): string {
  const name = flag.replace(/^--/, '');
  return ARGUMENTS[flag] ?? `a person's option${NAME.test(name) ? ` (${name})` : ''}`;
}

/** A command as an agent reads it: the call of a tool that does the same, else a request to ask a person for the command. */
function commandWords(command: CommandWords, numberOf: (text: string) => string): string {
  const call = callFor(command);
  return call ? callText(call, numberOf) : personsCommand(command);
}

/** Commands whose name has a second word, such as `history check`. */
const GROUPS = ['history', 'profile', 'batch', 'webhook', 'help'];

/** `a person's command (ask a person for "history check")`: the command without its arguments, which may be anybody's text. */
function personsCommand(command: CommandWords): string {
  const [first = '', second = ''] = command[0] === 'waybill' ? command.slice(1) : command;
  const name = [first, ...(GROUPS.includes(first) ? [second] : [])].filter(word => NAME.test(word)).join(' ');
  return `a person's command${name && ` (ask a person for "${name}")`}`;
}

/** A call of a tool, in place of a command. */
export interface Call {
  tool: string;
  arguments: Record<string, unknown>;
}

/** `history {"ref":"ORDER-1"}`; only the name of the tool if its arguments are not known. */
function callText(call: Call, numberOf: (text: string) => string): string {
  if (Object.keys(call.arguments).length === 0) return call.tool;
  const isBare = Object.values(call.arguments)
    .flat()
    .every(value => BARE.test(String(value)));
  const json = JSON.stringify(call.arguments);
  return `${call.tool} ${isBare ? json : numberOf(json)}`;
}

/** Options that a call of a tool leaves out: the server was started for a place and a folder, and answers only in JSON. */
const OF_SERVER: Readonly<Record<string, 'value' | 'alone'>> = {
  '--profile': 'value',
  '--download': 'value',
  '--sandbox': 'alone',
  '--no-sandbox': 'alone',
  '--json': 'alone',
  '--example': 'alone',
};

/** Options that become arguments of a tool, by command. Those of `label` name shipments, as its plain words do. */
const OF_TOOLS: Readonly<Record<string, readonly string[]>> = {
  'history list': ['--search', '--since', '--state'],
  label: ['--international', '--domestic'],
};

/** The call of a tool that does all that a command does; `undefined`: only a person has that command. */
export function callFor([, ...words]: CommandWords): Call | undefined {
  const name = words[0] === 'history' ? words.slice(0, 2).join(' ') : (words[0] ?? '');
  const line = argumentsIn(words.slice(name.split(' ').length), OF_TOOLS[name] ?? []);
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

/** The plain words of a command, and the values of `options`; `undefined` if it has an option besides these and `OF_SERVER`. */
function argumentsIn(
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
