// The package as npm makes it, out of a copy of the checkout: nobody else's dist is built over, and whatever lies around
// in a checkout has its chance to slip in. Each package that is installed with it, or is in its bundle, is foreign code on a
// machine with a token.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { commands } from 'waybill:commands';
import { schemas } from 'waybill:schemas';
import { tools } from 'waybill:tools';
import { topics } from 'waybill:topics';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocument } from '../../src/start/loader.ts';
import { bareEnvironment, builtCommand, start } from '../rig/process.ts';
import { SHIPMENT } from '../rig/service.ts';

/** `name version` of each package whose code is in the bundle, as its source maps say: they know nothing of what the build counted. */
function bundled(): string[] {
  const folder = join(command(), '../../dist');
  const sources = readdirSync(folder)
    .filter(name => name.endsWith('.map'))
    .flatMap(name => JSON.parse(readFileSync(join(folder, name), 'utf8')).sources as string[]);
  // A package may lie in another one, in another version than beside it.
  const places = sources.flatMap(
    source => /(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
  );
  // A package may have files of another in its own, which its maps name and which was never published.
  return [...new Set(places)]
    .filter(place => existsSync(join(place, 'package.json')))
    .map(nameAndVersion)
    .sort();
}

function nameAndVersion(place: string): string {
  const { name, version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}

/** One for each platform and, on Linux, C library. */
const SQLITE_FILES = [
  ...[
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64-glibc',
    'linux-arm64-musl',
    'linux-x64-glibc',
    'linux-x64-musl',
  ],
  ...['win32-arm64', 'win32-x64'],
].map(platform => `dist/sqlite-${platform}.node`);

const LEFT_BEHIND = new Set(['node_modules', '.git', 'dist', 'executable'].map(name => resolve(name)));

const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  devDependencies: Record<string, string>;
};

const command = builtCommand();

describe('the package', () => {
  let folder = '';
  let files: string[] = [];
  let size = 0;
  const unpacked = (path: string): string => join(folder, 'package', path);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-package-'));
    const copy = join(folder, 'checkout');
    cpSync('.', copy, { recursive: true, filter: path => !LEFT_BEHIND.has(resolve(path)) });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    run(process.execPath, 'scripts/build.mjs');
    mkdirSync(join(folder, 'package'));
    const said = run('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
    // Some versions of npm give a list of packages, others give packages by name.
    const [packed] = Object.values(JSON.parse(said)) as [
      { filename: string; size: number; files: { path: string }[] },
    ];
    files = packed.files.map(({ path }) => path).sort();
    size = packed.size;
    run('tar', '-xzf', join(folder, packed.filename), '-C', folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('contains the command, the documents and the files that npm shows, and nothing else', () => {
    // The names of the parts have hashes.
    const part = /^dist\/[\w-]+-([A-Z0-9]{8}|[0-9a-f]{12})\.cjs$/;
    expect(files.filter(path => !part.test(path))).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'bin/waybill.js',
        'dist/THIRD-PARTY-LICENSES',
        'dist/commands.json',
        'dist/font.ttf',
        'dist/reader-start.cjs',
        'dist/schemas.json',
        'dist/start.cjs',
        'dist/tools.json',
        'dist/topics.json',
        ...SQLITE_FILES,
        'package.json',
        'skills/waybill/SKILL.md',
        ...readdirSync('docs').map(name => `docs/${name}`),
      ].sort(),
    );
    expect(files.filter(path => part.test(path)).length).toBeGreaterThan(10);
  });

  // They are made of the source at the build; here of the source as it is now.
  test('contains the commands, the topics of help and the schemas that the source makes', async () => {
    const read = (name: string) => readDocument(readFileSync(unpacked(`dist/${name}.json`), 'utf8'));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { openapi } = schemas;
    const made = { ...schemas, openapi: { ...openapi, info: { ...Object(openapi.info), version } } };
    expect(read('commands')).toEqual({ commands: JSON.parse(JSON.stringify(commands)) });
    expect(read('tools')).toEqual({ tools: JSON.parse(JSON.stringify(tools)) });
    expect(read('topics')).toEqual({ topics });
    expect(JSON.stringify(read('schemas'))).toBe(JSON.stringify({ schemas: made }));
  });

  // No address of a repository is known, where links to files that are not here could lead.
  test('contains what its documents lead to', () => {
    const targets = files
      .filter(path => path.endsWith('.md'))
      .flatMap(path =>
        [...readFileSync(unpacked(path), 'utf8').matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(
          ([, target = '']) => join(dirname(path), target),
        ),
      );
    expect(targets.length).toBeGreaterThan(50);
    expect([...new Set(targets.filter(target => !files.includes(target)))]).toEqual([]);
  });

  // The loader reads them as Latin-1. The build escapes other characters in text, but not in regular expressions.
  test('has only ASCII in its code', () => {
    const parts = files.filter(path => path.endsWith('.cjs'));
    const codeOf = (path: string) =>
      transformSync(readFileSync(unpacked(path), 'utf8'), { legalComments: 'none', minifyWhitespace: true })
        .code;
    expect(parts.filter(path => /[^\0-\x7f]/.test(codeOf(path)))).toEqual([]);
  });

  test('contains no path of the machine that built it', () => {
    const here = [resolve('.'), folder];
    // The dependencies are a link into the checkout here; where a package is made they lie beside the source.
    const tells = (text: string, place: string) =>
      text.split(place).some((after, part) => part > 0 && !after.startsWith('/node_modules/'));
    const telling = files.filter(path => {
      const text = readFileSync(unpacked(path), 'utf8');
      return here.some(place => tells(text, place));
    });
    expect(telling).toEqual([]);
  });

  test('contains the licence of each package whose code or data is in it', async () => {
    const text = readFileSync(unpacked('dist/THIRD-PARTY-LICENSES'), 'utf8');
    const sections = text.split(/^={80}\n(.+ \d\S*) \(.*\)\n.*\n={80}\n/m).slice(1);
    const titles = sections.filter((_, at) => at % 2 === 0);
    const known = bundled();
    expect(known.length).toBeGreaterThan(30);
    const copied = titles.filter(title => !known.includes(title));
    // A font, a native program, and data.
    expect(copied.map(title => title.split(' ')[0])).toEqual([
      ...['@expo-google-fonts/noto-sans', '@photostructure/sqlite', 'cldr-core'],
    ]);
    expect(text).toContain('SIL OPEN FONT LICENSE');
    expect(titles).toEqual(expect.arrayContaining(known));
    for (const [at, licence = ''] of sections.entries())
      if (at % 2 === 1)
        expect(licence, titles[(at - 1) / 2]).toMatch(/(permission|redistribution|licen[sc]e)/i);
  });

  // Of what is not SQLite, an eighth is the font of papers and labels and an eighteenth what reads it; an eighth reads and writes PDF, so that many
  // labels are one print job; the protocol of agents is a seventeenth; phone numbers and postal codes of all countries, which
  // forms check, are a twentieth. The audit of a client is 32 kB, of which its page, which help shows as well, is a half. Rules that
  // choose a carrier, and why one was chosen, are 40 kB with their page and schema. What a machine, a profile and a day need told are
  // 40 kB: doctor, --as-production and their pages.
  test('is at most 11.3 MB, most of it SQLite for eight platforms', () => {
    const bytesOf = (paths: string[]) => paths.reduce((sum, path) => sum + statSync(unpacked(path)).size, 0);
    expect(size).toBeLessThan(11_300_000);
    expect(bytesOf(SQLITE_FILES)).toBeLessThan(19_000_000);
    expect(bytesOf(files) - bytesOf(SQLITE_FILES)).toBeLessThan(5_480_000);
  });

  // npm would ask whoever installs it to allow them.
  test('has no script that npm runs when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(unpacked('package.json'), 'utf8')) as { scripts: object };
    const atInstall = /^((pre|post)?(install|prepare)|prepublish)$/;
    expect(Object.keys(scripts).filter(name => atInstall.test(name))).toEqual([]);
  });

  /** Runs the package without the checkout, with the demo. */
  const run = (argv: string, env: Record<string, string> = { WAYBILL_PROFILE: 'demo' }) => {
    writeFileSync(join(folder, 'order.json'), JSON.stringify(SHIPMENT));
    const words = [unpacked('bin/waybill.js'), ...argv.split(' ')];
    return start(process.execPath, words, { env: { ...bareEnvironment(folder), ...env }, cwd: folder }).ended;
  };

  test('runs without the checkout, and reads the font for what it draws only', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect((await run('ship -f order.json --key A --label --merge a.pdf --papers --yes')).code).toBe(0);
    const font = files.filter(path => /^dist\/font[-.]/.test(path));
    expect(font).toHaveLength(2);
    for (const file of font) rmSync(unpacked(file));
    expect((await run('label A --merge b.pdf')).code).toBe(0);
  });

  test('on a machine for which it has no SQLite it says so, and books nothing', async () => {
    for (const file of SQLITE_FILES) rmSync(unpacked(file));
    const env = { WAYBILL_BASE_URL: 'http://127.0.0.1:9', WAYBILL_TOKEN: 't' };
    const shipped = await run('ship -f order.json --yes', env);
    expect(shipped).toMatchObject({ code: 10, stdout: '' });
    expect(shipped.stderr).toMatch(
      /journal .* SQLite cannot be loaded on this machine, .*; nothing was sent\n$/,
    );
  });
});

interface Locked {
  version: string;
  dev?: boolean;
  /** Needed for development, and an optional peer of another package. */
  devOptional?: boolean;
  hasInstallScript?: boolean;
  integrity?: string;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};

test('npm installs no other package with the tool: what SQLite needs on each platform is in it', () => {
  const installed = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  );
  expect(installed).toEqual([]);
});

test('no package in the bundle has an install script, and each has the recorded checksum', () => {
  const known = bundled();
  const inBundle = Object.entries(packages).flatMap(([path, { version }]) =>
    known.includes(`${path.split('node_modules/').at(-1)} ${version}`) ? path : [],
  );
  expect(inBundle.length).toBeGreaterThan(30);
  for (const path of inBundle) {
    expect(packages[path], path).not.toHaveProperty('hasInstallScript');
    expect(packages[path]?.integrity, path).toMatch(/^sha512-/);
  }
});

test('each package is pinned to one version', () => {
  for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
