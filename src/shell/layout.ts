// How paragraphs and lists of help are set.
import { Help } from 'commander';
import type { Term } from '../session/command.ts';

/** If less than this is left beside the terms, the descriptions stand below them. */
const NARROWEST = 40;

/** How help is set, in so many columns. */
export function layout(width: number) {
  const help = new Help();
  help.prepareContext({ helpWidth: width });
  const indented = (text: string, spaces: number) =>
    help.boxWrap(text, width - spaces).replace(/^(?=.)/gm, ' '.repeat(spaces));
  return {
    paragraphs: (text: string) => indented(text, 2),
    list(rows: readonly Term[]) {
      const longest = Math.max(0, ...rows.map(([term]) => term.length));
      const isBelow = width - longest - 4 < NARROWEST;
      return rows
        .map(([term, description]) =>
          isBelow
            ? `${indented(term, 2)}\n${indented(description, 6)}`
            : help.formatItem(term, longest, description, help),
        )
        .join('\n');
    },
  };
}
