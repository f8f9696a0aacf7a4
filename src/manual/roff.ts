import { wrapped } from '../text.ts';
import type { Block, Definition, Section } from './document.ts';

/** A chapter of a man page; one without a title is about the whole page. */
export interface Chapter {
  title?: string;
  /** The first sentence. */
  description?: string;
  sections: readonly Section[];
}

export interface ManPage {
  /** `waybill-quote` */
  name: string;
  /** 1 for commands, 7 for topics. */
  section: 1 | 7;
  /** The line of NAME, without a full stop. */
  summary: string;
  synopsis: readonly string[];
  description: string;
  chapters: readonly Chapter[];
  seeAlso: readonly string[];
  /** `2026-03-02` */
  date: string;
  version: string;
}

/** The page in the man macros, which groff and mandoc both read. */
export function asRoff(page: ManPage): string {
  const { name, section, summary, synopsis, description, chapters, seeAlso, date, version } = page;
  return [
    `.TH ${argument(name.toUpperCase())} ${section} ${date} ${argument(`waybill ${version}`)} ${argument('waybill manual')}`,
    // The text contains command lines: their blanks must not be stretched, nor their words broken at hyphens.
    '.ad l',
    '.nh',
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(summary)}`,
    ...(synopsis.length === 0 ? [] : ['.SH SYNOPSIS', ...verbatim(synopsis)]),
    '.SH DESCRIPTION',
    ...paragraph(description),
    ...chapters.flatMap(chapter),
    '.SH SEE ALSO',
    seeAlso.map(other => `${escaped(other)}`).join(',\n'),
    '',
  ].join('\n');
}

function chapter({ title, description = '', sections }: Chapter): string[] {
  const [macro, head] =
    title === undefined
      ? ['.SH', []]
      : ['.SS', [`.SH ${argument(title.toUpperCase())}`, ...paragraph(description)]];
  return [
    ...head,
    ...sections.flatMap(section => [
      `${macro} ${argument(macro === '.SH' ? section.title.toUpperCase() : section.title)}`,
      ...section.blocks.flatMap((block, index) => blockLines(block, index === 0)),
    ]),
  ];
}

function blockLines(block: Block, first: boolean): string[] {
  if (typeof block === 'string') return [...(first ? [] : ['.PP']), ...paragraph(block)];
  if ('lines' in block) return [...(first ? [] : ['.PP']), ...verbatim(block.lines)];
  return block.rows.flatMap(rowLines);
}

const rowLines = ([term, description]: Definition): string[] => [
  '.TP',
  `\\fB${escaped(term)}\\fR`,
  ...(description === '' ? ['\\&'] : paragraph(description)),
];

// Lines that stay as they are, indented.
const verbatim = (lines: readonly string[]): string[] => [
  '.RS 2',
  '.nf',
  ...lines.map(line => (line === '' ? '\\&' : escaped(line))),
  '.fi',
  '.RE',
];

// Each sentence begins a line, because roff sets the space after a full stop only at the end of a line.
const paragraph = (text: string): string[] =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.?!]) (?=[A-Z`-])/)
    .flatMap(sentence => wrapped(sentence.split(' ').flatMap(pieces).join(' '), LONGEST))
    .map(
      line =>
        breakable(escaped(line.replaceAll(`${JOINT} `, '').replaceAll(JOINT, ''))) +
        (line.endsWith(JOINT) ? '\\c' : ''),
    );

// A word that is too long for a line continues in the next one after a comma, without a hyphen.
const breakable = (text: string): string => text.replace(/,(?=\S)/g, ',\\:');

// In characters before escaping, which takes up to four times the room: lint allows 80 bytes.
const LONGEST = 60;
const JOINT = '\0';

/** A word that is longer than a line continues in the next one, without a blank between them. */
const pieces = (word: string): string[] =>
  word.length > LONGEST
    ? (word.match(/.{1,40}/gu) ?? []).map((piece, at, all) => (at < all.length - 1 ? piece + JOINT : piece))
    : [word];

/** Text that roff shows as it is: no line is a macro, hyphens can be pasted, and quotes stay straight. */
export function escaped(text: string): string {
  const plain = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    // Characters outside ASCII by their number: old roffs read bytes.
    .replace(
      /[^\x20-\x7e]/gu,
      char => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  return plain.startsWith('.') ? `\\&${plain}` : plain;
}

const argument = (text: string): string => `"${escaped(text).replaceAll('"', '\\(dq')}"`;
