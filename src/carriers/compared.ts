import type { Look } from '../output/look.ts';
import type { Compared } from './comparison.ts';

/** With bars, where they can be drawn; a pipe has no need to load that. */
export async function compared(look: Look, what: Compared): Promise<string | undefined> {
  if (look.pen === undefined) return undefined;
  const { comparison } = await import('./comparison.ts');
  return comparison(look, what);
}
