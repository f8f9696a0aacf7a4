// Every ```sh and ```console block of every Markdown file is run as it stands: by bash, in a folder of its own that holds
// nothing but `fixtures/orders`, with the built command as `waybill` and the profile `demo`. Each line of an `sh` block
// must succeed; a `console` block must print what it says, but for ids and times. What cannot be run says so right above:
//
//     <!-- not run: REASON -->
//
// `UPDATE_DOCS=1 npm run unit -- test/docs` writes what a console printed into the file; read the change before you keep it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandTree } from '../src/shell/program.ts';
import { type Block, blocksIn, byTwo, pastedWhole, transcript, unknownIn } from './documents/blocks.ts';
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

const BLOCKS = DOCUMENTS.flatMap(name => blocksIn(readFileSync(name, 'utf8'), name));

test('every block for a shell in the Markdown files does what it says', async () => {
  const [consoles, scripts] = [true, false].map(shows =>
    BLOCKS.filter(({ kind, notRun }) => notRun === undefined && (kind === 'console') === shows),
  ) as [Block[], Block[]];
  expect(consoles.length).toBeGreaterThan(1);
  // Those of the README are run below.
  const others = scripts.filter(({ at }) => !at.startsWith('README'));
  expect((await byTwo([...consoles, ...others], faultOf)).filter(fault => fault !== undefined)).toEqual([]);
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

test('the blocks of the first document work one after the other in one folder, as a newcomer pastes them, without a profile', async () => {
  const shown = blocksIn(readFileSync('README.md', 'utf8'), 'README.md').filter(
    ({ kind, notRun }) => kind === 'sh' && notRun === undefined,
  );
  const script = ['unset WAYBILL_PROFILE', ...shown.map(({ text }) => text)].join('\n');
  expect(await pastedWhole(command(), script)).toMatchObject({ code: 0 });
});

test('a block that fails is a fault, one that says why it is not run is left alone, and a console is compared', async () => {
  const fault = (text: string) => Promise.all(blocksIn(text, 'x.md').map(faultOf));
  const sh = (text: string) => `\`\`\`sh\n${text}\n\`\`\``;
  const printed = (text: string) => `\`\`\`console\n$ echo hello\n${text}\n\`\`\``;
  expect(await fault(`\n${sh('false\ntrue')}\n`)).toEqual(['x.md:2: exit 1\n']);
  expect(await fault(`<!-- not run: it fails -->\n${sh('false')}`)).toEqual([undefined]);
  expect(await fault(sh('waybill quote --from TR'))).toEqual([
    expect.stringMatching(/^x.md:1: exit 2\nerror: /),
  ]);
  expect(await fault(printed('hello'))).toEqual([undefined]);
  expect(await fault(printed('goodbye'))).toEqual(['x.md:1: prints\n$ echo hello\nhello']);
});

/** What is wrong with a block, for people. */
async function faultOf({ at, kind, text, notRun }: Block): Promise<string | undefined> {
  if (notRun !== undefined) return undefined;
  if (kind === 'sh') {
    const { code, shown } = await pastedWhole(command(), text);
    return code === 0 ? undefined : `${at}: exit ${code}\n${shown}`;
  }
  const shown = await transcript(command(), text);
  if (masked(shown) === masked(text)) return undefined;
  if (process.env.UPDATE_DOCS) update(at.replace(/:\d+$/, ''), text, shown);
  return `${at}: prints\n${shown.trim()}`;
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
