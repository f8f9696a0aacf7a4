// Every ```sh and ```console block of every Markdown file is run as it stands, by bash, with the built command as `waybill`. The
// pages of a user run in the order of the README's list, in one folder with one journal, as one person pastes them into one
// terminal; and each page runs alone, too, for a reader who begins there. The folder holds nothing but `fixtures/orders`.
// Each line of an `sh` block must succeed; a `console` block must print what it says, but for ids and times. What cannot be
// run says so right above:
//
//     <!-- not run: REASON -->
//
// `UPDATE_DOCS=1 npm run unit -- test/docs` writes what a console printed into the file; read the change before you keep it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandTree } from '../src/shell/program.ts';
import { type Block, blocksIn, byTwo, pastedInTurn, unknownIn } from './documents/blocks.ts';
import { wholeProgram } from './documents/commands.ts';
import { builtCommand } from './rig/process.ts';

const DOCUMENTS = ['.', '.github', 'docs', 'bench', 'fixtures/service'].flatMap(folder =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith('.md'))
        .map(name => (folder === '.' ? name : `${folder}/${name}`))
    : [],
);

const command = builtCommand();

const WITHOUT_PROFILE = 'unset WAYBILL_PROFILE';

const isRun = ({ notRun }: Block): boolean => notRun === undefined;
const blocksOf = (name: string): Block[] => blocksIn(readFileSync(name, 'utf8'), name);
const BLOCKS = DOCUMENTS.flatMap(blocksOf);

/** The README and the pages that it lists, in its order. */
function pagesInOrder(): string[] {
  const [, list = ''] = readFileSync('README.md', 'utf8').split('## Where to look\n');
  return ['README.md', ...[...list.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, page = '']) => page)];
}

test('every block of the README and its pages does what it says, in their order, in one folder with one journal', async () => {
  const blocks = pagesInOrder().flatMap(blocksOf).filter(isRun);
  expect(blocks.length).toBeGreaterThan(25);
  expect(await faultsOf(blocks, WITHOUT_PROFILE)).toEqual([]);
});

test('the blocks of each document do what they say for a reader who begins there with the profile demo', async () => {
  const documents = DOCUMENTS.map(name => blocksOf(name).filter(isRun));
  expect((await byTwo(documents, blocks => faultsOf(blocks))).flat()).toEqual([]);
});

test('every command of every block is there, with its options', async () => {
  const program = await wholeProgram(await commandTree());
  expect(BLOCKS.flatMap(({ at, text }) => unknownIn(program, text).map(what => `${at}: ${what}`))).toEqual(
    [],
  );
  expect(unknownIn(program, 'waybill ship --carier EXP\nwaybill shipp x')).toEqual([
    'waybill ship --carier',
    'waybill shipp',
  ]);
});

test('a block that fails is a fault, one that says why it is not run is left alone, and a console is compared', async () => {
  const faults = (text: string) => faultsOf(blocksIn(text, 'x.md').filter(isRun));
  const sh = (text: string) => `\`\`\`sh\n${text}\n\`\`\`\n`;
  const printed = (text: string) => `\`\`\`console\n$ echo hello\n${text}\n\`\`\`\n`;
  expect(await faults(`\n${sh('export A=1; false\ntrue')}\n${sh('! printenv A')}`)).toEqual([
    'x.md:2: exit 1\n',
  ]);
  expect(await faults(`${sh('export A=1; touch b')}${sh('printenv A; test -e b')}`)).toEqual([]);
  expect(await faults(`<!-- not run: it fails -->\n${sh('false')}`)).toEqual([]);
  expect(await faults(sh('waybill quote --from TR'))).toEqual([
    expect.stringMatching(/^x.md:1: exit 2\nerror: /),
  ]);
  expect(await faults(printed('hello'))).toEqual([]);
  expect(await faults(printed('goodbye'))).toEqual(['x.md:1: prints\n$ echo hello\nhello']);
});

/** What is wrong with blocks that are pasted one after the other, for people. */
async function faultsOf(blocks: readonly Block[], first?: string): Promise<string[]> {
  const results = await pastedInTurn(command(), blocks, first);
  return blocks.flatMap(({ at, kind, text }, index) => {
    const { code, shown } = results[index] ?? { code: -1, shown: '' };
    if (kind === 'sh') return code === 0 ? [] : [`${at}: exit ${code}\n${shown}`];
    if (masked(shown) === masked(text)) return [];
    if (process.env.UPDATE_DOCS && existsSync(at.replace(/:\d+$/, '')))
      update(at.replace(/:\d+$/, ''), text, shown);
    return [`${at}: prints\n${shown.trim()}`];
  });
}

const update = (name: string, before: string, after: string): void =>
  writeFileSync(
    name,
    readFileSync(name, 'utf8').replace(before, () => after),
  );

/** What differs from run to run. */
const masked = (text: string): string =>
  text
    .replace(/(shp|bk|sub)_(?!nowhere)\w+/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'WHEN')
    .trim();
