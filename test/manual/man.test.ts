// The man pages of the build: text that looks like a roff command stays text, and mandoc finds no problem.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asRoff, escaped, type ManPage } from '../../src/manual/roff.ts';
import { TOPICS } from '../../src/manual/topics.ts';
import { manPages } from '../../src/program/man.ts';
import { temporaryFolder } from '../rig/profile.ts';

const EDITION = { version: '1.2.3', date: '2026-03-02' };

const PAGE: ManPage = {
  ...EDITION,
  name: 'waybill-x',
  section: 1,
  summary: 'a page',
  synopsis: [],
  description: 'It is.',
  chapters: [],
  seeAlso: ['waybill(1)'],
};

/** The lines that say so in the page. */
const body = (chapters: ManPage['chapters']): string[] =>
  asRoff({ ...PAGE, chapters })
    .split('\n')
    .slice(7, -3);

test.each([
  ['a hyphen, which could not be pasted', '--max-price', '\\-\\-max\\-price'],
  ['a backslash', 'a\\nb', 'a\\enb'],
  ['a full stop at the beginning of a line', '.TH x', '\\&.TH x'],
  ['a quote at the beginning of a line', "'so", '\\(aqso'],
  ['marks that would be bent', '`a` ^ ~', '\\(gaa\\(ga \\(ha \\(ti'],
  ['what is not ASCII', '5000 cm³', '5000 cm\\[u00B3]'],
])('%s means itself', (_, text, written) => {
  expect(escaped(text)).toBe(written);
});

test('no line of text can be a roff command, at any wrapping', () => {
  const words = `${'word '.repeat(11)}.TH 'so `.repeat(20);
  const lines = body([
    { sections: [{ title: 'Text', blocks: [words, { lines: ['.so /etc/passwd', ''] }] }] },
  ]);
  expect(lines.length).toBeGreaterThan(20);
  const commands = lines.filter(line => /^[.']/.test(line));
  expect(commands).toEqual(['.SH "TEXT"', '.PP', '.RS 2', '.nf', '.fi', '.RE']);
});

test('a word that is too long for a line continues in the next one without a blank', () => {
  const word = 'description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5';
  const lines = body([{ sections: [{ title: 'Text', blocks: [`Goods, as ${word}; repeatable`] }] }]);
  const joined = lines
    .slice(1)
    .join('\n')
    .replaceAll('\\c\n', '')
    .replaceAll('\\:', '')
    .replaceAll('\\-', '-');
  expect(joined.replaceAll('\n', ' ')).toBe(`Goods, as ${word}; repeatable`);
  // Where a reader's line ends, it is broken behind a comma.
  expect(lines.join('\n')).toContain('T\\-shirt,\\:hsCode');
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80);
});

test('there is a page for each command and each topic, and package.json names them', async () => {
  const names = [...(await manPages(EDITION)).keys()];
  expect(names).toEqual(expect.arrayContaining(['waybill.1', 'waybill-quote.1', 'waybill-exit-codes.7']));
  for (const topic of Object.keys(TOPICS).filter(name => name !== 'batch'))
    expect(names).toContain(`waybill-${topic}.7`);
  const { man, files } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect([...man].sort()).toEqual(names.map(name => `dist/man/${name}`).sort());
  expect(files).toContain('dist');
});

test('a page has its name, its sections and the text of help', async () => {
  const page = (await manPages(EDITION)).get('waybill-webhook.1') ?? '';
  expect(page).toMatch(/^\.TH "WAYBILL\\-WEBHOOK" 1 2026-03-02 "waybill 1\.2\.3"/);
  // A SPEC that stands in the text is neither stretched nor broken at a hyphen that nobody typed.
  expect(page.split('\n').slice(1, 3)).toEqual(['.ad l', '.nh']);
  for (const heading of ['NAME', 'SYNOPSIS', 'DESCRIPTION', '"WAYBILL WEBHOOK CREATE"', 'SEE ALSO'])
    expect(page).toContain(`.SH ${heading}\n`);
  expect(page).toContain('.SS "Exit codes"');
  expect(page).toContain('\\fB\\-\\-secret\\-file <path>\\fR');
});

const mandoc = spawnSync('mandoc', ['-T', 'lint'], { input: '' });
const isThere = mandoc.error === undefined;

test.runIf(isThere)(
  `mandoc -T lint finds nothing${isThere ? '' : ' (skipped: mandoc is not installed)'}`,
  async () => {
    const folder = temporaryFolder();
    const files = [...(await manPages(EDITION))].map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const { stdout, status } = spawnSync('mandoc', ['-T', 'lint', ...files], { encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
  },
);
