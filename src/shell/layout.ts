// How paragraphs and lists of help are laid out.
import { Help } from 'commander';
import type { Term } from '../session/command.ts';

/** The least room for descriptions beside the terms; with less room they stand below the terms. */
const NARROWEST = 40;

/** The layout of help on a terminal of that width. */
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
