// What some tests need of a machine. Without it they are skipped, and say so; in `.ci/run`, which installs it, they fail.
import { spawnSync } from 'node:child_process';

/** `undefined`, or why the tests that need it are skipped. Throws in `.ci/run`. */
export function lacking(isThere: boolean, otherwise: string): string | undefined {
  if (isThere) return undefined;
  if (process.env.WAYBILL_TEST_STRICT) throw new Error(`${otherwise}: no test may be skipped for that here`);
  return otherwise;
}

/** The same for programs. */
export function notInstalled(...programs: string[]): string | undefined {
  const absent = programs.filter(program => spawnSync(program, ['--version']).error !== undefined);
  return lacking(absent.length === 0, `${absent.join(' and ')} not installed`);
}

/** A title that says why the test is skipped, if it is. */
export const titled = (title: string, lack: string | false | undefined): string =>
  lack ? `${title} (skipped: ${lack})` : title;
