// What is true of every run of every command, whatever its test is about.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBooking, type Sent } from './traffic.ts';

/** The value of every credential. No output may contain it. */
export const SECRET = 'wb-secret-8f41c07e';

/** Why a run may break a rule: `defect`: the test causes an exit 1. `words`: a value of the test is such a word. `reads`: it is refused for what it read. */
export type Licence = 'defect' | 'words' | 'reads';

/** What a user saw of a command, in this process or in another one. */
export interface Seen {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface Run extends Seen {
  words: readonly string[];
  /** Does it draw: colours, bars, questions? */
  isDrawn?: boolean;
  /** What it sent to a service. */
  sent?: readonly Sent[];
  secrets?: Iterable<string>;
  may?: readonly Licence[];
}

// Characters that move the cursor, colour, ring or reverse text. Line feeds and tabs are allowed.
export const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const DRAWN = /\u001b\[[?\d;]*[A-Za-z]|\r/g;
const DEFECT = /\binternal error: |\n[ \t]+at [^\n]*:\d+:\d+\)?(\n|$)/;
// What JavaScript makes of a value that is not there.
const WORDS = /\bundefined\b|\[object |\bNaN\b|Invalid Date/;
const UNSENT = /nothing\s+was\s+(?:sent|booked)/;
const NAMES_UNKNOWN = /\bbk_[0-9a-f]{32}\b|history list --state unknown/;

/** The rules that a run broke, with what it showed. */
export function breachesOf({
  exitCode,
  stdout,
  stderr,
  words,
  isDrawn,
  sent = [],
  secrets = [],
  may = [],
}: Run) {
  const broken: string[] = [];
  const rule = (name: string, holds: boolean, shown: string) => {
    if (!holds) broken.push(`${name}: ${shown}`);
  };
  const line = words.join(' ');
  for (const text of [stdout, stderr]) {
    // Lines of CSV end with CR LF.
    const plain = isDrawn ? text.replace(DRAWN, '') : text.replaceAll('\r\n', '\n');
    rule('a control character', !CONTROL.test(plain), JSON.stringify(text));
    for (const secret of [SECRET, ...secrets]) rule('a secret', !text.includes(secret), text);
    rule('a defect', may.includes('defect') || !DEFECT.test(text), text);
    const word = WORDS.exec(text)?.[0];
    rule('a word', may.includes('words') || word === undefined || line.includes(word), text);
  }
  rule('a defect', may.includes('defect') || exitCode !== 1, stderr);
  // A claim about money: it is in the last message of a command, and must be true.
  const ending = stderr.slice(Math.max(stderr.lastIndexOf('error:'), stderr.lastIndexOf('"error":')));
  const booked = exitCode === 0 ? [] : sent.filter(isBooking);
  rule('nothing was sent, but it was', booked.length === 0 || !UNSENT.test(ending), stderr);
  if (exitCode === 2) {
    // A form asks for proposals, a warning may be about one, and whoever resolves looks at the shipment.
    const mayRead =
      isDrawn || [...words, ...may].some(word => ['--strict', 'resolve', 'reads'].includes(word));
    // A 429 books nothing, and who waits after it may find that another command has booked the order.
    const wrong = (mayRead ? sent.filter(isBooking) : sent).filter(({ status }) => status !== 429);
    rule('exit 2, and something was sent', wrong.length === 0, wrong.map(({ line: one }) => one).join());
  }
  rule('exit 8 without a booking', exitCode !== 8 || NAMES_UNKNOWN.test(stdout + stderr), stderr);
  return broken;
}

// Shorter ones may be words.
const LEAST = 8;
const NAMES_SECRET = /TOKEN$|SECRET|PASSWORD/;

/** The config that an environment names; empty if it is no plain file: a pipe would be waited for. */
export function configIn({ WAYBILL_CONFIG_DIR = '' }: Readonly<Record<string, string | undefined>>): string {
  const file = join(WAYBILL_CONFIG_DIR, 'config.json');
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/** The secrets in an environment, and in the config that it names. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const saved = configIn(env);
  return [
    ...Object.entries(env).flatMap(([name, value = '']) => (NAMES_SECRET.test(name) ? [value] : [])),
    ...[...saved.matchAll(/"token": ?"([^"\\]+)"/g)].map(([, token = '']) => token),
  ].filter(secret => secret.length >= LEAST);
}

/** The files below a folder that contain a secret, but for the config and those that the test wrote. */
export function filesWith(secrets: Iterable<string>, folder: string, own: ReadonlySet<string>): string[] {
  const sought = [SECRET, ...secrets];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.parentPath !== join(folder, 'config'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !own.has(path))
    .filter(path => {
      const bytes = readFileSync(path);
      return sought.some(secret => bytes.includes(secret));
    });
}
