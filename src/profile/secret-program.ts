// Programs that print a secret: the token command and the password command of a profile. No shell runs them, so that they
// work the same on every platform and in an image that has no shell.
import { stripVTControlCharacters } from 'node:util';
import { Failure, unstartableBecause } from '../errors.ts';
import { absolutePath } from '../folder.ts';
import type { Host } from '../host.ts';
import { shellWord } from '../text.ts';
import { tokenFault } from './secrets.ts';

// A quoted part, an escaped character, a run of plain ones, blanks, or the beginning of a part that does not end.
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)|(.)/gs;

/**
 * A program and its arguments, split at blanks. Single quotes keep their content, double quotes too except `\"` and
 * `\\`, and a backslash elsewhere keeps the next character. Nothing else has a meaning, because no shell runs it.
 * Throws `usage`; `name` is the option.
 */
export function commandWords(given: string, name = '--token-command'): string[] {
  const refused = (why: string) =>
    new Failure(
      'usage',
      `${name} takes a program and its arguments, such as 'pass show waybill': ${why}. No shell runs it: quotes and backslashes group words, and $, *, ; and | are plain characters`,
    );
  const words: string[] = [];
  let isNew = true;
  for (const [, single, double, escaped, plain = '', blanks, unended] of given.matchAll(PART)) {
    if (unended !== undefined) throw refused(`the part that begins with ${unended} does not end`);
    if (blanks === undefined) {
      const before = isNew ? '' : words.pop();
      words.push(`${before}${single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain}`);
    }
    isNew = blanks !== undefined;
  }
  if (given.includes('\0') || !words[0]) throw refused('it names no program');
  return words;
}

/** The words as `commandWords` and any shell parse them. */
export const commandLine = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** A relative path means the program in the present working directory, also when it is run from elsewhere later. */
export const withAbsoluteProgram = (
  [program = '', ...args]: readonly string[],
  host: Pick<Host, 'cwd'>,
): string[] => [/[/\\]/.test(program) ? absolutePath(program, host) : program, ...args];

const LIMITS = { ms: 10_000, maxBytes: 64 * 1024 };
/** Further lines of its stderr are not shown. */
const MOST_SAID = 100;

type Runner = Pick<Host, 'capture' | 'env' | 'cwd'>;

/** The token that a program prints. Throws `unauthorized`, and `interrupted`. */
export async function tokenPrinted(
  words: readonly string[],
  profile: string,
  note: (line: string) => void,
  host: Runner,
): Promise<string> {
  const refused = (why: string) =>
    new Failure(
      'unauthorized',
      `the token command of profile ${profile} gave no token: ${commandLine(words)}: ${why}. Run the command by itself to see why, or change it with \`waybill profile set ${profile} --token-command CMD\``,
    );
  const token = await secretPrinted(words, refused, note, host);
  const fault = tokenFault(token);
  if (fault !== undefined) throw refused(`what it printed ${fault}`);
  return token;
}

/**
 * The first line that a program prints on stdout, trimmed. `note` gets the lines of its stderr. Throws the failure that
 * `refused` makes, and `interrupted`.
 */
export async function secretPrinted(
  words: readonly string[],
  refused: (why: string) => Failure,
  note: (line: string) => void,
  host: Runner,
): Promise<string> {
  const [program = '', ...args] = words;
  let said = 0;
  let last = '';
  const captured = await host
    .capture(program, args, {
      ...LIMITS,
      env: host.env,
      cwd: host.cwd,
      onLine(coloured) {
        const line = stripVTControlCharacters(coloured);
        said += 1;
        if (line.trim() !== '') last = line.trim().slice(0, 200);
        if (said <= MOST_SAID) note(line);
      },
    })
    .catch((error: unknown) => {
      throw error instanceof Failure ? error : refused(unstartableBecause(program, error));
    });
  if (captured.exitCode !== 0)
    throw refused(`it ended with exit code ${captured.exitCode}${last === '' ? '' : `, saying: ${last}`}`);
  const secret = (captured.stdout.toString('utf8').split('\n', 1)[0] ?? '').trim();
  if (secret === '') throw refused('it printed nothing on the first line of its stdout');
  return secret;
}
