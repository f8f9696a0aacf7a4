import { wrapped } from '../text.ts';
import { measure } from './grid.ts';
import type { Look } from './look.ts';

/**
 * A message in lines that fit the terminal, broken at spaces. Text that has lines of its own, such as an HTTP exchange,
 * stays as it is; so does all text that does not go to a terminal.
 */
export async function paragraph({ columns }: Look, text: string, indent = ''): Promise<string> {
  if (columns === undefined || text.includes('\n')) return indent + text;
  // The measure takes time to load, and most messages do not need it.
  const widthOf = /^[ -~]*$/.test(text) ? undefined : await measure();
  const lines = wrapped(text, columns - indent.length, widthOf);
  return lines.map(line => indent + line).join('\n');
}
