// What the documents repeat of the code: the exit codes of `src/errors.ts`, of which help is made, and the commands.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAILURES } from '../src/errors.ts';

const HEAD = '| exit | `code` in the JSON error | when |\n|---|---|---|\n';

test('docs/scripts.md has every exit code with its description (UPDATE_DOCS=1 writes the table)', () => {
  const page = readFileSync('docs/scripts.md', 'utf8');
  const start = page.indexOf(HEAD);
  expect(start).toBeGreaterThan(0);
  const end = page.indexOf('\n\n', start);
  const rows = Object.entries(FAILURES).map(
    ([code, { exit, description }]) => `| ${exit} | \`${code}\` | ${description} |`,
  );
  const table = `${HEAD}| 0 | | done |\n${rows.join('\n')}`;
  if (process.env.UPDATE_DOCS)
    writeFileSync('docs/scripts.md', page.slice(0, start) + table + page.slice(end));
  else expect(page.slice(start, end)).toBe(table);
});

test('the topic says what to do after every exit code but that of an internal error', async () => {
  const { TOPIC } = await import('../src/manual/topics/exit-codes.ts');
  const advice = JSON.stringify(TOPIC.find(({ title }) => title === 'What to do'));
  const exits = Object.values(FAILURES).map(({ exit }) => exit);
  expect(exits.filter(exit => exit !== 1 && !new RegExp(`\\b${exit}\\b`).test(advice))).toEqual([]);
});

test('the README lists every command', async () => {
  const { commandTree } = await import('../src/program/program.ts');
  const { program } = await commandTree();
  const readme = readFileSync('README.md', 'utf8');
  const names = program.commands.map(command => command.name()).filter(name => name !== 'help');
  expect(names.filter(name => !readme.includes(`\`waybill ${name}`))).toEqual([]);
});
