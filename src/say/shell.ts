// What is said of a command line, of a query, and of a result that cannot be shown.
import { meantWords } from '../nearest.ts';
import { shortened } from '../text.ts';
import { flag, next, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

/** What to do in place of commands that do not exist, but that people try. */
const INSTEAD = {
  cancel: say`Ask the carrier or the provider, with the ids of ${pattern('waybill history show REF')}. Then record it: ${pattern('waybill history cancelled REF --reason TEXT')}, or ${pattern('waybill history resolve REF')} if an unknown booking does not exist`,
  status: say`${pattern('waybill track REF')} shows where a shipment is, and ${pattern('waybill history show REF')} what was booked`,
  print: say`${pattern('waybill label REF --print')} prints the label of an order`,
  return: say`Book a return with ${pattern('waybill ship')}: the buyer is the sender, you the receiver`,
};

const NOT_UTF8 = 'is not UTF-8: it holds U+FFFD';

/** What is wrong with a query, whatever result it is used on. */
export type QueryFault =
  | { kind: 'too-long'; bytes: number; most: number }
  | { kind: 'too-deep' | 'assignment' | 'ends-early' | 'loose-reference' | 'step-of-zero' }
  | { kind: 'misplaced'; word: string; character: number }
  | { kind: 'unknown-variable'; name: string }
  | { kind: 'unknown-function'; name: string; meant?: string | undefined }
  /** `most`: the most arguments; `null`: there is no limit. */
  | { kind: 'argument-count'; name: string; least: number; most: number | null; count: number }
  /** What the argument with that number must be, or must not be: a reference, with & in front. */
  | { kind: 'argument-reference' | 'argument-no-reference'; name: string; argument: number };

const TOO_DEEP = 'it is too deep, or its result too large';
const SPELLING = say`Text has single quotes, a number backticks: "proposals[?id == 'EXP']", 'proposals[?price > \`10\`]'`;

function queryFault(fault: QueryFault): Saying {
  switch (fault.kind) {
    case 'too-long':
      return { what: say`it has ${fault.bytes} bytes, but at most ${fault.most} are allowed` };
    case 'too-deep':
      return { what: say`${TOO_DEEP}` };
    case 'assignment':
      return { what: say`a single = does not compare`, toDo: SPELLING };
    case 'ends-early':
      return { what: say`it ends too early`, toDo: SPELLING };
    case 'misplaced':
      return {
        what: say`${stranger(fault.word)} cannot stand there (character ${fault.character})`,
        toDo: SPELLING,
      };
    case 'loose-reference':
      return {
        what: say`& stands only in arguments, as in sort_by(proposals, &price)`,
      };
    case 'step-of-zero':
      return { what: say`the step of a slice cannot be 0` };
    case 'unknown-variable':
      return {
        what: say`there is no variable $${fault.name}: \`let $${fault.name} = ${'… in …'}\` makes one`,
      };
    case 'unknown-function':
      return { what: say`there is no function ${fault.name}()${meantWords(fault.meant)}` };
    case 'argument-count': {
      const { name, least, most, count } = fault;
      const range = most === least ? '' : most === null ? ' or more' : ` to ${most}`;
      const noun = least === 1 && range === '' ? 'argument' : 'arguments';
      return { what: say`${name}() takes ${least}${range} ${noun}, not ${count}` };
    }
    case 'argument-no-reference':
      return { what: say`argument ${fault.argument} of ${fault.name}() must not have & in front` };
    case 'argument-reference':
      return {
        what: say`argument ${fault.argument} of ${fault.name}() needs & in front, such as &price`,
      };
  }
}

/** Why a query does not fit a result. */
export type QueryMisfit =
  | { kind: 'too-large' | 'too-deep' | 'no-number' | 'other-type' }
  /** `wanted`, `given`: the names of types in the query library. */
  | { kind: 'argument-type'; name: string; argument: string; wanted: string; given: string };

function queryMisfit(misfit: QueryMisfit): string {
  switch (misfit.kind) {
    case 'too-large':
      return 'its result would be too large';
    case 'too-deep':
      return TOO_DEEP;
    case 'no-number':
      return 'it calculates with what is no number';
    case 'other-type':
      return 'it takes values of another type';
    case 'argument-type': {
      const wanted = misfit.wanted.replace(/Array<(\w+)>/g, 'an array of $1s').replaceAll(' | ', ' or ');
      return `${misfit.name}() takes ${wanted} as argument ${misfit.argument}, and the result has ${misfit.given}`;
    }
  }
}

const query = (expression: string): Text => say`${flag('--query', `'${shortened(expression)}'`)}`;

/** The beginning of a message about a result that is lost, although the command did its work. */
const DONE = 'The command did its work, but';

/** For a result that cannot be shown: its values that nobody must lose, such as ids. */
export const valuesText = (values: string): Text => say`Its values: ${values}`;

/** For a result that cannot be shown: the command that shows it once more. */
export const againText = (again: readonly string[]): Text => say`It is recorded: ${next(...again)}`;

interface UnknownCommand {
  group: string;
  word: string;
  /** Could the word have been a topic of `waybill help`? */
  isTopic: boolean;
  meant?: string | undefined;
}

export const SHELL = {
  'path-of-other-page': (): Saying => ({
    what: say`help: ${flag('--path')} is for ${pattern('waybill help agents --path')}`,
  }),
  'skill-not-there': (notice: { folder: string }): Saying => ({
    what: say`help: there is no skills/waybill/SKILL.md with the command in ${notice.folder}`,
    toDo: say`${next('waybill', 'help', 'agents')} prints its text; the package and the archive of an executable have the file`,
  }),
  'command-not-there': (notice: { typed: string; instead: keyof typeof INSTEAD }): Saying => ({
    what: say`there is no command ${stranger(notice.typed)}`,
    toDo: INSTEAD[notice.instead],
  }),
  'command-unknown': (notice: UnknownCommand): Saying => ({
    what: say`there is no command ${notice.isTopic ? 'or topic ' : ''}${stranger(`${notice.group} ${notice.word}`)}${meantWords(notice.meant)}`,
    toDo: say`${pattern(`${notice.group} --help`)} lists all`,
  }),
  'command-line-wrong': (notice: { command: string; fault: string }): Saying => ({
    what: say`${notice.fault}`,
    toDo: say`${pattern(`${notice.command} --help`)} shows how to use it`,
  }),
  'file-name-empty': (): Saying => ({ what: say`the name of a file is empty` }),
  'option-without-value': (typed: { option: string; follows: string; meant?: string }): Saying => ({
    what: say`${flag(typed.option)} has no value: ${shortened(typed.follows)} follows it${meantWords(typed.meant)}`,
  }),
  'option-empty': (notice: { option: string }): Saying => ({ what: say`${flag(notice.option)} is empty` }),
  'option-given-twice': (notice: { option: string }): Saying => ({
    what: say`${flag(notice.option)} is given twice`,
  }),
  'argument-not-utf8': (argument: { number: number; text: string; option?: string | undefined }): Saying => ({
    what: say`argument ${argument.number}${argument.option && `, for ${argument.option},`} ${stranger(argument.text)} ${NOT_UTF8}`,
    toDo: say`Type it in a UTF-8 terminal, or use a file`,
  }),
  'variable-not-utf8': (notice: { variable: string }): Saying => ({
    what: say`the environment variable ${notice.variable} ${NOT_UTF8}`,
    toDo: say`Set it again, in UTF-8`,
  }),

  'query-wrong': (notice: { expression: string; fault: QueryFault }): Saying => {
    const { what, ...rest } = queryFault(notice.fault);
    return { what: say`${query(notice.expression)} is not a JMESPath expression: ${what}`, ...rest };
  },
  'query-found-nothing': (): Saying => ({
    what: say`${flag('--query')} found nothing`,
    toDo: say`A bare or double-quoted word is a field. ${SPELLING}`,
  }),
  'query-does-not-fit': (notice: { expression: string; misfit: QueryMisfit }): Saying => ({
    what: say`${DONE} ${query(notice.expression)} does not fit its result: ${queryMisfit(notice.misfit)}`,
  }),
  'result-unwritten': (notice: { why: string }): Saying => ({
    what: say`${DONE} stdout could not be written: ${notice.why}`,
  }),
  'stdout-closed': (): Saying => ({ what: say`${DONE} stdout was closed before its result` }),
  'result-too-large': (): Saying => ({
    what: say`${DONE} its result is too deep or too large to be shown`,
  }),
  'columns-left-out': (notice: { heads: readonly string[]; columns: number }): Saying => ({
    what: say`this terminal is too narrow for ${notice.heads.join(', ')}`,
    toDo: say`${notice.columns} columns show all, and so does ${flag('-o', 'json')}`,
  }),
};
