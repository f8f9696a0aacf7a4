import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { builtCommand, createWorld, start, type World } from '../rig/process.ts';
import { SHIPMENT } from '../rig/service.ts';
import { FULL } from '../torture/size.ts';

const command = builtCommand();

const QUOTE = ['quote', '--from', 'TR', '--to', 'DE', '--package', '2x1.5kg@30x20x10cm', '--json'];

interface Stage extends World {
  /** Where the code of commands that send something is kept. */
  code: string;
  run(args?: readonly string[], more?: Record<string, string>): Promise<string>;
}

async function stage(): Promise<Stage> {
  const world = await createWorld();
  const { XDG_CACHE_HOME: _, ...env } = world.env;
  return {
    ...world,
    code: join(world.folder, '.cache/waybill/quote'),
    async run(args = QUOTE, more = {}) {
      const { code, stdout, stderr } = await start(process.execPath, [command(), ...args], {
        env: { ...env, ...more },
      }).ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    },
  };
}

test('compiled code is kept for the next run, is not compiled again, and no other user can read it', async () => {
  const { run, code } = await stage();
  const first = await run();
  const made = readFileSync(code);
  expect(statSync(code).mode & 0o777).toBe(0o600);
  expect(statSync(join(code, '..')).mode & 0o777).toBe(0o700);
  const { mtimeMs, ino } = statSync(code);

  expect(JSON.parse(await run())).toEqual(JSON.parse(first));
  expect(statSync(code)).toMatchObject({ mtimeMs, ino });
  expect(readFileSync(code).equals(made)).toBe(true);
});

describe('code that cannot be trusted is not run, and is compiled again:', () => {
  const breakers: Record<string, (path: string) => void> = {
    'a file that is cut off': path => truncateSync(path, statSync(path).size - 1),
    'a file that goes on': path => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('x')])),
    'an empty file': path => writeFileSync(path, ''),
    'what another Node made': path => replace(path, process.version, 'v0.0.0'.padEnd(process.version.length)),
    'what was made of another bundle': path => replace(path, 'waybill-', 'wayless-'),
    'what was made of a copy elsewhere': path => replace(path, 'waybill-tests-', 'waybill-moved-'),
    'a bit in the index': path => flip(path, 100),
    'a bit in the code': path => flip(path, statSync(path).size - 1000),
    'a file that others may write': path => chmodSync(path, 0o666),
    ...(process.getuid?.() === 0 && {
      'a file of somebody else': (path: string) => chownSync(path, 12_345, 12_345),
    }),
  };
  let compiled: { first: string; made: Buffer } | undefined;
  /** What a first run shows and keeps, once for all of them. */
  async function compiledOnce() {
    if (compiled) return compiled;
    const { run, code } = await stage();
    compiled = { first: await run(), made: readFileSync(code) };
    return compiled;
  }

  test.each(Object.entries(breakers))('%s', async (_, damage) => {
    const { first, made } = await compiledOnce();
    const { run, code } = await stage();
    mkdirSync(dirname(code), { recursive: true, mode: 0o700 });
    writeFileSync(code, made, { mode: 0o600 });
    damage(code);
    const { ino } = statSync(code);

    expect(JSON.parse(await run())).toEqual(JSON.parse(first));
    const mended = statSync(code);
    expect(mended.ino).not.toBe(ino);
    expect(mended.mode & 0o777).toBe(0o600);
  });
});

test('a cache folder that cannot be created only costs time', async () => {
  const { run, folder, code } = await stage();
  writeFileSync(join(folder, '.cache'), 'no folder');
  await run();
  expect(readFileSync(join(folder, '.cache'), 'utf8')).toBe('no folder');
  expect(existsSync(code)).toBe(false);
});

const noRoot = process.getuid?.() !== 0 && 'only root can give a folder to somebody else';

test.skipIf(noRoot)(titled('nothing is written to the home folder of another user', noRoot), async () => {
  const { run, folder } = await stage();
  const home = join(folder, 'home');
  mkdirSync(home);
  chownSync(home, 12_345, 12_345);
  await run(QUOTE, { HOME: home });
  expect(readdirSync(home)).toEqual([]);
});

test('processes that start at the same time all work, and leave one complete file', async () => {
  const { run, code } = await stage();
  const all = await Promise.all(Array.from({ length: FULL ? 8 : 4 }, () => run()));
  expect(new Set(all).size).toBe(1);
  expect(readdirSync(join(code, '..'))).toEqual(['quote']);
  const { ino } = statSync(code);
  await run();
  expect(statSync(code).ino).toBe(ino);
});

function flip(path: string, at: number): void {
  const file = readFileSync(path);
  file.writeUInt8(file.readUInt8(at) ^ 4, at);
  writeFileSync(path, file);
}

/** Changes a word of the index, of the same length, in both copies. */
function replace(path: string, word: string, other: string): void {
  const file = readFileSync(path);
  for (const from of [0, file.length / 2]) file.write(other, file.indexOf(word, from));
  writeFileSync(path, file);
}

test('an internal error shows its stack with --verbose alone, and there with the names that functions have in the source', async () => {
  const { env, folder } = await createWorld();
  const script = join(folder, 'internal-error.cjs');
  const entry = join(command(), '../../dist/start.cjs');
  writeFileSync(
    script,
    `const { main, processHost } = require(${JSON.stringify(entry)}).start();
    const deadline = () => { throw new TypeError('no clock') };
    main(process.argv.slice(2), { ...processHost(), deadline }).then(code => { process.exitCode = code; });`,
  );
  const run = (...flags: string[]) =>
    start(process.execPath, [script, ...QUOTE.slice(0, -1), ...flags], { env, may: ['defect'] }).ended;
  const plain = await run();
  expect(plain).toMatchObject({ code: 1, stdout: '' });
  expect(plain.stderr).toMatch(/^error: internal error: no clock\. .*report this defect.*\n$/);
  const ended = await run('--verbose');
  expect(ended.stderr).toContain('no clock');
  expect(ended.stderr).toMatch(/at #attempt \(\S+\.cjs:\d+:\d+\)/);
});

describe('a command loads no more than it needs:', () => {
  const HOOK = `
    const fs = require('node:fs');
    const read = fs.readFileSync;
    const files = [];
    fs.readFileSync = (path, ...more) => {
      if (/(?<!start)\\.cjs$/.test(String(path))) files.push(path);
      return read(path, ...more);
    };
    process.on('exit', () => fs.writeFileSync(process.env.LOADED, JSON.stringify({ files, modules: process.moduleLoadList.length })));`;

  let emptyModules: number | undefined;

  // Modules of Node beyond those of an empty script, with a little room; files of the command: the core, zod, commander, undici.
  test.each([
    ['--version', 0, 0],
    ['--help', 0, 0],
    ['quote --from TR --to DE --package 1kg@10x10x10 -q', 40, 4],
    ['track S-1 -q', 40, 4],
    ['ship -f order.json --carrier EXP -q', 68, 4],
    ['history list -o json', 12, 3],
  ])('waybill %s', async (line, most, files) => {
    const world = await createWorld();
    const { folder } = world;
    const hook = join(folder, 'hook.cjs');
    writeFileSync(hook, HOOK);
    writeFileSync(join(folder, 'order.json'), JSON.stringify(SHIPMENT));
    const env = { ...world.env, LOADED: join(folder, 'loaded.json') };
    const loadedBy = async (...args: string[]) => {
      await start(process.execPath, ['-r', hook, ...args], { env, cwd: folder }).ended;
      return JSON.parse(readFileSync(env.LOADED, 'utf8')) as { files: string[]; modules: number };
    };
    emptyModules ??= (await loadedBy('-e', '0')).modules;
    await loadedBy(command(), ...line.split(' '));
    const loaded = await loadedBy(command(), ...line.split(' '));
    expect(loaded.files.length).toBe(files);
    expect(loaded.modules - emptyModules).toBeLessThanOrEqual(most);
  });
});
