// The parts of a sentence that a person and an agent read differently. A person has a command line; an agent has tools with arguments.
import { shown } from '../text.ts';

/** A command as a list of its words, of which the first is `waybill`: any key can be a word, without quotes. */
export type CommandWords = readonly string[];

type Part =
  /** An option of the command line. `value`: the word behind it. */
  | { part: 'flag'; flag: string; value?: string }
  /** A command that can be typed as it is. `isNext`: it books, accepts and settles nothing, so that a program may run it. */
  | { part: 'command'; command: CommandWords; isNext: boolean }
  /** How a command is typed, with words in capitals that a person replaces. */
  | { part: 'pattern'; pattern: string }
  /** A person reads one of the texts, an agent the other one. */
  | { part: 'reader'; person: Text; agent: Text }
  /** A sentence that is not in `src/say` yet: an agent reads it through `unspokenWords`. */
  | { part: 'unspoken'; words: string };

/** Words in order: plain text, and parts that a person and an agent read differently. */
export type Text = readonly (string | Part)[];

/** What happened, and what to do next. */
export interface Saying {
  what: Text;
  toDo?: Text;
}

/** A message inside of another message, as its reason: a notice, or words of the system or a library. */
export type Inner = string | { kind: string };

/** Gives what an inner message says. Each speaker can use it. */
export type Tell = (inner: Inner) => Saying;

type Word = Part | Text | string | number | undefined;

/** Words as a text: ``say`the token is sent by ${flag('--token')}` ``. An `undefined` value adds nothing. */
export const say = (strings: TemplateStringsArray, ...words: readonly Word[]): Text =>
  strings.flatMap((string, at) => [string, ...wordText(words[at])]).filter(part => part !== '');

/** Texts in a row, with `between` between them. Empty texts are left out. */
export const joinedTexts = (texts: readonly Text[], between: string): Text =>
  texts.filter(text => text.length > 0).flatMap((text, at) => (at === 0 ? text : [between, ...text]));

/** Sentences as one paragraph. Empty ones are left out. */
export const sentences = (...texts: readonly Text[]): Text => joinedTexts(texts, '. ');

/** A saying as one paragraph. */
export const wholeText = (saying: Saying): Text => sentences(saying.what, saying.toDo ?? []);

const wordText = (word: Word): Text => {
  if (word === undefined) return [];
  if (typeof word === 'number') return [String(word)];
  return Array.isArray(word) ? (word as Text) : [word as string | Part];
};

/** An option. An agent reads the tool argument that does the same, else that only a person has the option. */
export const flag = (name: string, value?: string): Part => ({
  part: 'flag',
  flag: name,
  ...(value !== undefined && { value }),
});

/**
 * A command that can be typed as it stands, and that a program may run. The JSON of a failure lists it in `next`; an agent gets the call of
 * a tool, if one does the same.
 */
export const next = (...command: CommandWords): Part => ({ part: 'command', command, isNext: true });

/** A command that can be typed as it stands, for a person to decide: it books, accepts, settles or changes something. */
export const command = (...words: CommandWords): Part => ({ part: 'command', command: words, isNext: false });

/** How a command is typed, with words to replace: `waybill profile set NAME KEY=`. */
export const pattern = (words: string): Part => ({ part: 'pattern', pattern: words });

/** One text for a person, and another text for an agent. */
export const forPerson = (person: Text, agent: Text): Text => [{ part: 'reader', person, agent }];

/** A sentence that is not in `src/say` yet. */
export const unspoken = (words: string): Text => (words === '' ? [] : [{ part: 'unspoken', words }]);

/** Text that others wrote (keys, names, ids, words of the service): as JSON, shortened, so that nothing in it reads as words of waybill. */
export const stranger = (text: unknown): string => shown(text);

/** The commands in texts that a program may run, each once. */
export const commandsOf = (...texts: readonly Text[]): CommandWords[] => {
  const commands = new Map<string, CommandWords>();
  for (const part of texts.flat())
    if (typeof part !== 'string' && part.part === 'command' && part.isNext)
      commands.set(JSON.stringify(part.command), part.command);
  return [...commands.values()];
};
