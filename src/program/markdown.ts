// Markdown as help shows it: pages of docs/, and the notes of a command.
import type { Block, Definition, Section } from './layout.ts';

/** The sections of a text with these headings (`##`), in that order; all of them if none is named. */
export function sectionsOf(markdown: string, headings?: readonly string[]): Section[] {
  const parts = markdown.split(/^## /m).slice(1);
  const wanted = headings?.map(heading => parts.find(part => part.startsWith(`${heading}\n`)) ?? '') ?? parts;
  return wanted.flatMap(part => part.split(/^### /m)).map(sectionOf);
}

// A block of code may have empty lines. Comments, pictures and the line to the next page are left out.
const BLOCKS = /^ *```.*\n([\s\S]*?)^ *```$|^(?! *$|<!--|!\[|Next: ).+(?:\n(?! *$| *```).+)*/gm;

function sectionOf(part: string): Section {
  const [title = ''] = part.split('\n', 1);
  return {
    title: plain(title),
    blocks: [...part.slice(title.length).matchAll(BLOCKS)].map(([text, code]) =>
      code === undefined
        ? blockOf(text.trim())
        : {
            lines: code
              .trimEnd()
              .split('\n')
              .map(line => `  ${line}`),
          },
    ),
  };
}

function blockOf(text: string): Block {
  if (text.startsWith('|')) return tableOf(text.split('\n'));
  const entries = text.split(/^ *(-|\d+\.) /m).slice(1);
  if (!/^(-|\d+\.) /.test(text)) return plain(text);
  return {
    rows: entries.flatMap((entry, at): Definition[] =>
      at % 2 ? [[entries[at - 1] ?? '', plain(entry)]] : [],
    ),
  };
}

/** The last column is the description. A head in which a cell is empty is left out. */
function tableOf([head = '', , ...rest]: readonly string[]): Block {
  const rows = [...(/\| *\|/.test(head) ? [] : [head]), ...rest].map(line =>
    line.split(/(?<!\\)\|/).slice(1, -1),
  );
  const terms = rows.map(cells => cells.slice(0, -1).map(cell => plain(cell).replaceAll('`', '')));
  const pads = (terms[0] ?? []).map((_, at) => Math.max(...terms.map(row => row[at]?.length ?? 0)));
  return {
    rows: rows.map((cells, row): Definition => {
      const term = terms[row]?.map((cell, at) => cell.padEnd(pads[at] ?? 0)).join('  ') ?? '';
      return [term.trimEnd(), plain(cells.at(-1) ?? '')];
    }),
  };
}

/** On one line, with the words of links alone. Backticks stay where they hold a command to be copied. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/`([^`\s]+)`/g, '$1')
    .replaceAll('\\|', '|');
