import { FAILURES } from '../../src/errors.ts';
import { findPage } from '../../src/manual/pages.ts';
import { failuresOf } from '../../src/manual/results.ts';

const DEEPEST = 3;

/** The exit codes that the page of what was typed promises; `undefined` where no page says. */
export async function promisedExits(argv: readonly string[]): Promise<number[] | undefined> {
  const start = argv.findIndex(word => !word.startsWith('-'));
  // The emulator ends as the command does that it runs.
  if (start < 0 || argv[start] === 'emulator') return undefined;
  for (let length = DEEPEST; length > 0; length -= 1) {
    const page = await findPage(argv.slice(start, start + length)).catch(() => undefined);
    if (page) return page.output && [0, 129, 143, ...failuresOf(page).map(code => FAILURES[code].exit)];
  }
  return undefined;
}
