// The architecture, held by reading every import: who may know whom, and what is kept to one place.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

/** The rooms from top to bottom, and which of those below it each one may import. `ground` stands for the lowest ones. */
const ROOMS = `
bin → start
documents → commands shell batch session profile output emulator ground
start → errors host
main → shell session output pdf ground
shell → commands order session journal booking profile output emulator ground
commands → forms batch labels order session journal booking service profile output pdf emulator mask ground
batch → labels order session journal booking service output profile ground
forms → order session journal booking service profile output ground
labels → order journal booking profile output mask pdf ground
order → session journal booking service profile output ground
session → journal booking service profile output emulator ground
output → journal booking mask ground
service → journal booking profile mask ground
profile → mask ground
journal → booking ground
booking → contract errors json text
emulator → pdf contract host text
pdf → ground
mask → contract json
host → errors json text
errors → contract
contract → nearest text
`;
const GROUND = 'contract errors host json nearest text';

// A room without a row imports no other.
const BELOW = new Map(
  ROOMS.split('\n').map(row => {
    const [room = '', below = ''] = row.split(' → ');
    return [room, below.replace('ground', GROUND).split(' ')];
  }),
);

/** `service` for `src/service/service.ts`, `json` for `src/json.ts`. */
function roomOf(path: string): string {
  const [top = '', room = ''] = path.split('/');
  return top === 'src' ? room.replace(/\.ts$/, '') : top;
}

const CLOCKS = ['Date.now', 'performance', 'setTimeout', 'setInterval', 'setImmediate'];
const GLOBALS = ['process', 'console', 'globalThis', 'global', 'Math.random', 'crypto', 'fetch', 'WebSocket'];
const define = Object.fromEntries(
  [...CLOCKS, ...GLOBALS].map(name => [name, `FREE_${name.replace('.', '_')}`]),
);
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*(['"`])([^'"`\n]+)\1/g;

const files = ['src', 'bin'].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(ts|js)$/.test(name) && !name.endsWith('.d.ts'))
    .map(name => `${folder}/${name}`),
);

const SOURCES = files.map(path => {
  const text = readFileSync(path, 'utf8');
  // Without comments and types. A global that few may touch reads `FREE_process`, `FREE_Date_now`, …
  const { code } = transformSync(text, { loader: path.endsWith('.ts') ? 'ts' : 'js', define });
  // Files of ours as paths, packages by their specifier.
  const imports = [...text.matchAll(IMPORT)].flatMap(([, , name = '']) => {
    if (!name.startsWith('.')) return name;
    const wanted = posix.join(dirname(path), name);
    if (!wanted.includes('${')) return wanted;
    // The name of the file is a variable: any file of that folder, which may not be this file itself.
    return files.filter(file => posix.dirname(file) === posix.dirname(wanted) && file !== path);
  });
  return { path, room: roomOf(path), code, imports };
});

/** The sources of documents alone. */
const BUILT = /^src\/(documents\/|output\/(schemas|fields)\.ts$)/;

const isOurs = (name: string): boolean => name.startsWith('src/');

/** `what` of each source that is there, as lines for people. */
const offences = (what: (source: (typeof SOURCES)[number]) => readonly string[]): string[] =>
  SOURCES.flatMap(source => what(source).map(offence => `${source.path}: ${offence}`));

test('imports run down: a file imports only its own room and the rooms that its room may know', () => {
  const wrong = offences(({ room, imports }) =>
    imports.filter(name => isOurs(name) && roomOf(name) !== room && !BELOW.get(room)?.includes(roomOf(name))),
  );
  expect(wrong).toEqual([]);
  // The rule can see: most files import others of ours.
  expect(SOURCES.filter(({ imports }) => imports.some(isOurs)).length).toBeGreaterThan(SOURCES.length / 2);
});

/** What is loaded together with a file: values, not types, and not what it imports when it needs it. */
const loadedWith = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)]
    .map(([, name = '']) => posix.join(dirname(path), name))
    .filter(name => files.includes(name));

test('what the build writes as JSON is not in the command: nothing else imports more of it than types', () => {
  const wrong = SOURCES.filter(({ room }) => room !== 'documents').flatMap(({ path }) =>
    loadedWith(path)
      .filter(name => BUILT.test(name) && !BUILT.test(path))
      .map(name => `${path}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('no command loads the library of PDF with itself: it is large, and few runs make a PDF', () => {
  const closure = (path: string, seen = new Set<string>()): Set<string> => {
    if (!seen.has(path)) for (const next of loadedWith(path)) closure(next, seen.add(path));
    return seen.add(path);
  };
  const starts = files.filter(path => /^src\/(main|commands\/.*|emulator\/server)\.ts$/.test(path));
  expect(starts.length).toBeGreaterThan(20);
  expect(starts.filter(path => closure(path).has('src/pdf/pdf.ts'))).toEqual([]);
  // The font is loaded by what draws alone.
  expect(files.filter(path => loadedWith(path).includes('src/pdf/font.ts'))).toEqual([]);
});

test('no file leads back to itself', () => {
  const below = new Map(SOURCES.map(({ path, imports }) => [path, imports.filter(isOurs)]));
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) throw new Error([...trail, path].join(' → '));
    if (!done.has(path)) for (const next of below.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of below.keys()) walk(path, []);
});

test.each([
  ['service', 'undici: it alone decides what was sent', /^undici(\/|$)/],
  ['journal,emulator', 'SQLite', /^src\/host\/sqlite\.ts$/],
  ['pdf', 'the library of PDF and the font', /^@(cantoo|expo-google-fonts)\//],
])('only %s knows %s', (rooms, _, name) => {
  const knowing = SOURCES.filter(({ imports }) => imports.some(one => name.test(one)));
  expect(new Set(knowing.map(({ room }) => room))).toEqual(new Set(rooms.split(',')));
});

test('only bin, the start, the host and the server of the emulator touch the world outside', () => {
  const wrong = offences(({ path, room, code, imports }) =>
    ['bin', 'start', 'host'].includes(room) || path === 'src/emulator/server.ts'
      ? []
      : [
          ...(code.match(/\bFREE_\w+|\bnew Date\(\)/g) ?? []),
          ...imports.filter(name => /^(node:)?(process|console|timers.*|perf_hooks)$/.test(name)),
        ],
  );
  expect(wrong).toEqual([]);
  // The rule can see: the host does touch it.
  expect(SOURCES.find(({ path }) => path === 'src/host.ts')?.code).toContain('FREE_process');
});

test('no code ends the process: what is in flight is recorded, and what was shown is written', () => {
  expect(
    offences(({ code }) => code.match(/FREE_process\.(exit|abort|reallyExit)\b(?!Code)/g) ?? []),
  ).toEqual([]);
});

test('no code asks URL.canParse: once it is asked often, Node 20 answers false for an address with an umlaut', () => {
  expect(offences(({ code }) => code.match(/\bcanParse\b/g) ?? [])).toEqual([]);
});
