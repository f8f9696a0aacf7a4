// Pages of docs/ as a terminal shows them. Loaded only for help.
import type { Term } from '../session/command.ts';
import { layout } from './layout.ts';

interface Topic {
  summary: string;
  /** The name of a page in docs/. */
  page: string;
  /** The headings of the page that are shown. */
  headings: readonly string[];
}

/** The topics of `waybill help TOPIC`. If a command has the same name, its help ends with the topic. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  options: { summary: 'the options that every command takes', page: 'reference', headings: ['Options'] },
  input: { summary: 'how a request is built and checked', page: 'reference', headings: ['Input'] },
  output: { summary: 'what is on stdout and stderr in each format', page: 'reference', headings: ['Output'] },
  'exit-codes': {
    summary: 'what each exit code means, and what to do',
    page: 'reference',
    headings: ['Exit codes'],
  },
  environment: {
    summary: 'the variables that waybill reads, and their precedence',
    page: 'reference',
    headings: ['Environment'],
  },
  limits: {
    summary: 'what a profile lets its commands spend, and what only a person may do',
    page: 'scripts',
    headings: ['Limits'],
  },
  batch: {
    summary: 'files with many records, and how to run them again',
    page: 'batches',
    headings: ['The file', "A shop's own export", 'Limits of a run', 'Results', 'Running it again'],
  },
  shop: {
    summary: "from a shop's own export to labels",
    page: 'shop',
    headings: [
      'The export',
      'The table of your products',
      'All of it',
      'What is left out',
      'What is declared',
      'Customs numbers',
      'What you will meet',
    ],
  },
  journal: {
    summary: 'the record of every booking, so that nothing is booked twice',
    page: 'journal',
    headings: [
      'States',
      'What the service cannot do',
      'What to do with an unknown',
      'Keys',
      'The file',
      'One journal for a team',
    ],
  },
  agents: {
    summary: 'how a program that decides by itself uses waybill',
    page: 'agents',
    headings: ['Never', 'By shell', 'Plans', 'Keys', 'Exit codes', 'Limits', 'By tools'],
  },
  emulator: {
    summary: 'the emulator of the service, and what it decides',
    page: 'emulator',
    headings: ['What it decides'],
  },
  audit: {
    summary: 'whether a client of the service books twice, and how to mend it',
    page: 'audit',
    headings: ['What may be sent again', 'How to mend it', 'The report'],
  },
};

/** The text of a topic, at most `width` columns wide, except lines of code. Empty if no topic has that name. */
export async function topicText(name: string, width: number): Promise<string> {
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (topic === undefined) return '';
  const { topics } = await import('waybill:topics');
  return (topics[name] ?? [])
    .flatMap(section => section.split(/^### /m))
    .map(section => sectionText(section, width))
    .join('\n');
}

// A block of code may have empty lines. Comments, pictures and the line to the next page are left out.
const BLOCKS = /^ *```.*\n([\s\S]*?)^ *```$|^(?! *$|<!--|!\[|Next: ).+(?:\n(?! *$| *```).+)*/gm;

function sectionText(section: string, width: number): string {
  const { list, paragraphs } = layout(width);
  const [title = ''] = section.split('\n', 1);
  const blocks = [...section.slice(title.length).matchAll(BLOCKS)].map(([block, code]) => {
    if (code !== undefined) return code.trimEnd().replace(/^(?=.)/gm, '    ');
    const text = block.trim();
    const rows = text.startsWith('|') ? rowsOfTable(text) : rowsOfList(text);
    return rows.length === 0 ? paragraphs(plainText(text)) : list(rows);
  });
  return `${plainText(title)}:\n${blocks.join('\n\n')}\n`;
}

function rowsOfList(text: string): Term[] {
  const [before, ...entries] = text.split(/^ *(-|\d+\.) /m);
  if (before !== '') return [];
  return entries.flatMap((entry, at): Term[] => (at % 2 ? [[entries[at - 1] ?? '', plainText(entry)]] : []));
}

/** The rows of a table, with the last column as description. A header with an empty cell is left out. */
function rowsOfTable(text: string): Term[] {
  const [head = '', , ...rest] = text.split('\n');
  const rows = [...(/\| *\|/.test(head) ? [] : [head]), ...rest].map(line =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map(plainText),
  );
  const terms = rows.map(cells => cells.slice(0, -1).map(cell => cell.replaceAll('`', '')));
  const widths = terms[0]?.map((_, at) => Math.max(...terms.map(row => row[at]?.length ?? 0))) ?? [];
  return rows.map((cells, row): Term => {
    const term = terms[row]?.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ') ?? '';
    return [term.trimEnd(), cells.at(-1) ?? ''];
  });
}

/** Text on one line, with links replaced by their words. Backticks stay around commands, which people copy. */
const plainText = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/`([^`\s]+)`/g, '$1')
    .replaceAll('\\|', '|');
