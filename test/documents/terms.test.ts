// One word for one thing: the pages, help, and all sentences of `src` keep to the table of words in docs/reference.md.
// And outcomes have names: the numbers of exit codes stand in docs/reference.md and in the page for agents alone.
import { readdirSync, readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { commandTree } from '../../src/shell/program.ts';
import { TOPICS } from '../../src/shell/topics.ts';
import { createRig } from '../rig/command.ts';
import { allCommands } from './commands.ts';

const REFERENCE = 'docs/reference.md';
const PAGES = ['README.md', 'SECURITY.md', ...readdirSync('docs').map(name => `docs/${name}`)].filter(name =>
  name.endsWith('.md'),
);

const [BEFORE_WORDS = '', WORDS = ''] = readFileSync(REFERENCE, 'utf8').split('\n## Words\n');

/** The words that are not used, each with the one that is. */
const INSTEAD = new Map(
  [...WORDS.matchAll(/^\| ([^|]+) \|[^|]*\|([^|]*)\|$/gm)]
    .filter(([, word]) => word !== 'word')
    .flatMap(([, word = '', others = '']) => others.split(', ').map(other => [other.trim(), word] as const))
    .filter(([other]) => other !== ''),
);

/** Words of a text that stand in the table as not used. A part of a name, such as `receiver.email`, is none. */
const wrongIn = (text: string): string[] =>
  [...INSTEAD].flatMap(([other, word]) =>
    new RegExp(`(?<![\\w.@/-])${other.replace(' ', '\\s+')}(?:s|es)?(?![\\w.=@/-]*\\w)`, 'i').test(text)
      ? [`${other}: ${word}`]
      : [],
  );

/** What people read of a page: without code, and where links lead. */
const prose = (markdown: string): string =>
  markdown
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`]+`/g, '``')
    .replace(/\]\([^)]*\)/g, ']');

const proseOf = (page: string): string =>
  prose(page === REFERENCE ? BEFORE_WORDS : readFileSync(page, 'utf8'));

/** The texts of a source file: no comments, no names of the code. */
function textsIn(source: string): string {
  const { code } = transformSync(source, { loader: 'ts' });
  const texts = code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
  const sentences = texts.filter(text => text.includes(' '));
  return sentences.map(text => text.replace(/\$\{[^}]*\}/g, ' ').replace(/\\`[^`]*\\`/g, ' ')).join('\n');
}

test('the table has words, each with others that are not used for the same thing', () => {
  expect(INSTEAD.size).toBeGreaterThan(25);
  expect(wrongIn('Ask the recipient for the zip\ncode; receiver.email and e-mail are well')).toEqual([
    'recipient: receiver',
    'zip code: postal code',
  ]);
});

test.each(PAGES)('%s keeps to the words', page => {
  expect(wrongIn(proseOf(page))).toEqual([]);
});

test('the help of every command and topic keeps to the words', async () => {
  const { run } = await createRig();
  const faults: string[] = [];
  for (const words of [
    ...(await allCommands(await commandTree())),
    ...Object.keys(TOPICS).map(topic => ['help', topic]),
  ]) {
    const { stdout } = await run(words[0] === 'help' ? words : [...words, '--help']);
    faults.push(...wrongIn(stdout.replace(/`[^`]+`/g, ' ')).map(fault => `${words.join(' ')}: ${fault}`));
  }
  expect(faults).toEqual([]);
});

// What shops call their columns.
const WORDS_OF_OTHERS = /^shops\/|^batch\/guess-map\.ts$/;

test('the sentences of src keep to the words', () => {
  const names = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const files = names.filter(name => /(?<!\.d)\.ts$/.test(name) && !WORDS_OF_OTHERS.test(name));
  const faults = files.flatMap(name =>
    wrongIn(textsIn(readFileSync(`src/${name}`, 'utf8'))).map(fault => `src/${name}: ${fault}`),
  );
  expect(faults).toEqual([]);
});

/** Pages for those who write programs, beside the reference. */
const FOR_PROGRAMS = ['docs/agents.md', 'docs/audit.md', 'SECURITY.md'];

test('exit codes have their numbers in the reference and in the pages for programs alone', () => {
  const others = PAGES.filter(page => page !== REFERENCE && !FOR_PROGRAMS.includes(page));
  expect(others.filter(page => /\bexit (?:code )?\d|\bends? with \d/.test(proseOf(page)))).toEqual([]);
});
