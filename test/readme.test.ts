// What the documents repeat of the code: the exit codes of `src/errors.ts`, the output formats, the options of every command, and the
// commands.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAILURES } from '../src/exit-codes.ts';
import { FORMAT_NAMES } from '../src/text.ts';

const HEAD = '| exit | `code` in the JSON error | when |\n|---|---|---|\n';

test('docs/reference.md has every exit code with its description (UPDATE_DOCS=1 writes the table)', () => {
  const page = readFileSync('docs/reference.md', 'utf8');
  const start = page.indexOf(HEAD);
  expect(start).toBeGreaterThan(0);
  const end = page.indexOf('\n\n', start);
  const rows = Object.entries(FAILURES).map(
    ([code, { exit, description }]) => `| ${exit} | \`${code}\` | ${description} |`,
  );
  const table = `${HEAD}| 0 | | done |\n${rows.join('\n')}`;
  if (process.env.UPDATE_DOCS)
    writeFileSync('docs/reference.md', page.slice(0, start) + table + page.slice(end));
  else expect(page.slice(start, end)).toBe(table);
});

/** The cells of the rows of a table below a heading, without backticks. */
function rowsOf(heading: string): string[][] {
  const [, below = ''] = readFileSync('docs/reference.md', 'utf8').split(`\n## ${heading}\n`);
  const [section = ''] = below.split('\n## ');
  return [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.replaceAll('`', '').split(' | '));
}

test('docs/reference.md says what to do after every exit code', () => {
  const told = rowsOf('Exit codes').flatMap(([exits = '', , advice]) => (advice ? exits.split(', ') : []));
  const exits = Object.values(FAILURES).map(({ exit }) => String(exit));
  expect(exits.filter(exit => !told.includes(exit))).toEqual([]);
});

test('docs/reference.md has each output format, in its table and at its option', () => {
  const tabled = rowsOf('Output').map(([format]) => format);
  const option = rowsOf('Options').find(([options]) => options?.includes('--output'));
  const offered = option?.[1]?.split(/\W+/);
  expect(FORMAT_NAMES.filter(name => !(tabled.includes(name) && offered?.includes(name)))).toEqual([]);
});

test('docs/reference.md has a row for each option of every command, and no other', async () => {
  const { commandTree } = await import('../src/shell/program.ts');
  const program = await commandTree();
  const told = rowsOf('Options').flatMap(([options = '']) => options.match(/(?<!\S)--?[a-z-]+/g) ?? []);
  const flags = program.options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
  expect(told.sort()).toEqual([...flags, '--help'].sort());
});

test('the README lists every command', async () => {
  const { commandTree } = await import('../src/shell/program.ts');
  const program = await commandTree();
  const readme = readFileSync('README.md', 'utf8');
  const names = program.commands.map(command => command.name()).filter(name => name !== 'help');
  expect(names.filter(name => !readme.includes(`\`waybill ${name}`))).toEqual([]);
});
