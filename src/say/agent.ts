// What an agent reads: it has tools and their arguments, and no shell.
import type { CommandWords, Text } from './sentence.ts';

/** A text for an agent. */
export const agentWords = (text: Text): string => text.map(wordsOfPart).join('');

function wordsOfPart(part: Text[number]): string {
  if (typeof part === 'string') return part;
  switch (part.part) {
    case 'flag':
      return argumentFor(part.flag);
    case 'command':
      return commandWords(part.command);
    case 'pattern':
      return `a person's command \`${part.pattern.replace(/ --[a-z].*/, '')}\``;
    case 'reader':
      return agentWords(part.agent);
    case 'unspoken':
      return toolWords(part.words);
  }
}

/** A command as the call of the tool that does the same. One that only a person has is named by its words alone. */
function commandWords(command: CommandWords): string {
  const call = callFor(command);
  if (call) return callText(call);
  const options = command.findIndex(word => word.startsWith('-'));
  return `\`${command.slice(0, options < 0 ? undefined : options).join(' ')}\``;
}

const argumentFor = (flag: string): string => ARGUMENTS[flag] ?? `the option ${flag.replace(/^--/, '')}`;

/** A call of a tool that helps. */
export interface Call {
  tool: string;
  arguments: Record<string, unknown>;
}

/** Flags that an argument of a tool, or a field of its request, stands for. The others are options of who started the server. */
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

const FLAG = /(?<![\w-])--(?:plan FILE(?![\w-])|[a-z][\w-]*)/g;

/** Sentences of labels about what only a person does, as an agent is told it. */
const OF_PERSONS: readonly [sentence: RegExp, forAgent: string][] = [
  [
    /If it does, run `waybill history resolve (bk_\w+)[^`]*`, else `[^`]*`/g,
    'Then ask a person to settle the booking $1',
  ],
  [/`waybill history resolve (bk_\w+)[^`]*` corrects that/g, 'ask a person to settle the booking $1'],
];

/** Text of a command as an agent reads it: with its tools, and without flags. A command of a person is named by its words alone. */
export const toolWords = (text: string): string =>
  OF_PERSONS.reduce((words, [sentence, forAgent]) => words.replace(sentence, forAgent), text)
    .replace(/`(waybill [^`]+)`|(?<=: )waybill [^`]+$/g, (command, quoted?: string) => {
      const call = callFor(wordsOf(quoted ?? command));
      return call ? callText(call) : command.replace(/ --[a-z][^`]*/, '');
    })
    .replace(/, as --(run|actor)\b/g, '')
    .replace(FLAG, argumentFor);

/** `history {"ref":"ORDER-1"}`; a tool alone where its arguments are known. */
const callText = ({ tool, arguments: given }: Call): string =>
  Object.keys(given).length === 0 ? tool : `${tool} ${JSON.stringify(given)}`;

/** The call of a tool that does what a command does; `undefined`: only a person has that command. */
export function callFor([, command = '', ...rest]: CommandWords): Call | undefined {
  const refs = operandsIn(rest);
  switch (command) {
    case 'history': {
      const [kind, ref] = refs;
      if (kind === 'show' && ref !== undefined) return { tool: 'history', arguments: { ref } };
      const search = rest[rest.indexOf('--search') + 1];
      if (kind === 'list')
        return { tool: 'history', arguments: rest.includes('--search') && search ? { search } : {} };
      return undefined;
    }
    case 'label':
    case 'track':
      return refs.length > 0 ? { tool: command, arguments: { refs } } : undefined;
    case 'schema':
      return { tool: 'order_schema', arguments: { operation: refs[0] ?? 'ship' } };
    case 'quote':
    case 'ship':
      return { tool: command, arguments: {} };
    default:
      return undefined;
  }
}

/** Flags whose next word is their value. */
const WITH_VALUE = ['--profile', '--download', '--search', '--since', '--merge', '--reason'];

function operandsIn(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  const before = end < 0 ? words : words.slice(0, end);
  return [
    ...before.filter((word, at) => !word.startsWith('-') && !WITH_VALUE.includes(before[at - 1] ?? '')),
    ...(end < 0 ? [] : words.slice(end + 1)),
  ];
}

/** The words of a line as a POSIX shell takes them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, one?: string) => quoted ?? one ?? ''),
  );
