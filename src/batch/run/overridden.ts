// Flags that a record overrides with a value of its own.
import type { Operation } from '../../contract/operations.ts';
import { getAt, type Path, parsePath } from '../../contract/paths.ts';
import { pathOfSet } from '../../order/build.ts';
import { optionWords } from '../../order/command-line.ts';
import { flaggedFields, optionName, type RequestOptions } from '../../order/options.ts';
import type { RecordOptions } from '../record-options.ts';
import type { ParsedRecord } from '../source.ts';

/** A flag of the command line, and where a record may have another value. */
export interface GivenFlag {
  /** As it was typed: `--carrier ECO`. */
  words: string;
  /** Of the column or field. */
  name: string;
  differs(record: Pick<ParsedRecord, 'value' | 'options'>): boolean;
}

/** `given`: what all flags give of the body. */
export function givenFlags(
  operation: Operation,
  options: RequestOptions,
  recordOptions: RecordOptions,
  given: unknown,
): GivenFlag[] {
  const inBody = (words: readonly string[], name: string, path: Path): GivenFlag[] =>
    words.map(word => ({
      words: word,
      name,
      differs: ({ value }) => differ(getAt(value, path), getAt(given, path)),
    }));
  const ofField = (option: string, path: string, name = path) =>
    inBody(optionWords(option, options[option]), name, parsePath(path) ?? []);
  return [
    ...flaggedFields(operation).flatMap(({ flag, pattern }) => {
      const option = optionName(flag);
      // A record may have packages and the carrier under the name of the option.
      if (Object.hasOwn(recordOptions, option)) return [];
      return ofField(option, pattern, option === 'package' ? option : pattern).slice(0, 1);
    }),
    ...(options.set ?? []).flatMap(set => {
      const path = pathOfSet(set);
      return inBody(optionWords('set', set), path, parsePath(path) ?? []);
    }),
    ...Object.entries(recordOptions).flatMap(([name, option]): GivenFlag[] => {
      if ('path' in option) return ofField(name, option.path, name);
      return optionWords(name, options[name]).map(words => ({
        words,
        name,
        differs: ({ options: own }) => differ(own?.[name], options[name]),
      }));
    }),
  ];
}

const differ = (own: unknown, given: unknown): boolean =>
  own !== undefined && JSON.stringify(own) !== JSON.stringify(given);
