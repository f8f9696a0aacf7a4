// The architecture, held by reading every import: who may know whom, and what is kept to a few places.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url).pathname;

interface Source {
  /** `src/http/client.ts` */
  path: string;
  room: string;
  text: string;
  /** Without comments and types; a global that few may touch reads `FREE_process`, `FREE_Date_now`, … */
  code: string;
  /** Files of ours as paths, packages by their specifier. */
  imports: string[];
}

const KEPT = [
  'process',
  'console',
  'Date.now',
  'Math.random',
  'performance',
  'crypto',
  'globalThis',
  'global',
]
  .concat(['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'queueMicrotask'])
  .concat(['fetch', 'WebSocket']);
const define = Object.fromEntries(KEPT.map(name => [name, `FREE_${name.replace('.', '_')}`]));

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*(['"`])([^'"`\n]+)\1/g;

// Folders within a room that have arrows of their own.
const INNER_ROOMS = ['completion/values'];

/** `contract` for a file of it, and the name for a file that lies in src itself. */
const roomOf = (path: string): string => {
  const [top = '', room = '', ...rest] = path.split('/');
  if (top !== 'src') return top;
  const inner = INNER_ROOMS.find(name => path.startsWith(`src/${name}/`));
  return inner ?? (rest.length > 0 ? room : room.replace(/\.ts$/, ''));
};

const files = ['src', 'bin'].flatMap(folder =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
    .filter(name => /\.(ts|js)$/.test(name) && !name.endsWith('.d.ts'))
    .map(name => `${folder}/${name}`),
);

const SOURCES: readonly Source[] = files.map(path => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { code } = transformSync(text, { loader: path.endsWith('.ts') ? 'ts' : 'js', define });
  const imports = [...text.matchAll(IMPORT)].flatMap(([, , name = '']) => {
    if (!name.startsWith('.')) return name;
    const wanted = posix.join(dirname(path), name);
    if (!wanted.includes('${')) return wanted;
    // The name of the file is a variable: any file of that folder, which may not be this file itself.
    const [folder, ending] = [posix.dirname(wanted), posix.extname(wanted)];
    return files.filter(file => posix.dirname(file) === folder && file.endsWith(ending) && file !== path);
  });
  return { path, room: roomOf(path), text, code, imports };
});

const ours = (name: string) => name.startsWith('src/');

/** `what` of each source that is there, as lines for people. */
const offences = (what: (source: Source) => Iterable<string>): string[] =>
  SOURCES.flatMap(source => [...what(source)].map(offence => `${source.path}: ${offence}`));

// The lowest rooms, which every room above them may import.
const GROUND = 'contract errors folder host json loopback nearest text';
// The rooms that each room may import, besides its own files; the highest rooms first.
const BELOW: Readonly<Record<string, string>> = {
  bin: '',
  start: 'errors folder',
  main: `program session output ${GROUND}`,
  program: `commands completion completion/values manual session output ${GROUND}`,
  commands: `settling forms batch labels carriers orders views session schemas completion booking journal http request output profile prompts emulator http-server mask ${GROUND}`,
  settling: `batch carriers orders views session booking journal output prompts ${GROUND}`,
  batch: `labels orders session booking journal http request schemas output sqlite ${GROUND}`,
  forms: `carriers orders session journal http request output profile prompts ${GROUND}`,
  labels: `orders session booking journal profile ${GROUND}`,
  carriers: `orders session http request output ${GROUND}`,
  orders: `field-option session booking journal http request profile ${GROUND}`,
  'completion/values': `completion field-option formats schemas session journal request profile emulator ${GROUND}`,
  completion: 'contract field-option',
  views: `booking journal http schemas output ${GROUND}`,
  session: `formats journal http request schemas output profile prompts emulator ${GROUND}`,
  booking: `journal http ${GROUND}`,
  schemas: `journal ${GROUND}`,
  journal: `sqlite ${GROUND}`,
  manual: `emulator formats profile ${GROUND}`,
  http: `mask ${GROUND}`,
  request: GROUND,
  output: `formats schemas ${GROUND}`,
  profile: `formats mask ${GROUND}`,
  emulator: 'contract http-server loopback sqlite',
  'field-option': 'contract',
  errors: 'contract',
  folder: 'errors',
  formats: '',
  mask: 'contract',
  host: 'errors folder prompts',
  contract: 'loopback',
  'http-server': '',
  json: '',
  loopback: '',
  nearest: '',
  prompts: 'text',
  sqlite: 'folder',
  text: '',
};

test('every file lies in a room of the house', () => {
  expect(offences(({ room }) => (Object.hasOwn(BELOW, room) ? [] : [`there is no room ${room}`]))).toEqual(
    [],
  );
});

test('a room imports only the rooms below it', () => {
  const wrong = offences(({ room, imports }) =>
    imports.filter(
      name => ours(name) && roomOf(name) !== room && !BELOW[room]?.split(' ').includes(roomOf(name)),
    ),
  );
  expect(wrong).toEqual([]);
});

test('every room that a room may import is imported', () => {
  const unused = Object.entries(BELOW).flatMap(([room, below]) => {
    const used = new Set(
      SOURCES.filter(source => source.room === room).flatMap(({ imports }) => imports.map(roomOf)),
    );
    return below
      .split(' ')
      .filter(other => !GROUND.split(' ').includes(other) && other !== '' && !used.has(other))
      .map(other => `${room} → ${other}`);
  });
  expect(unused).toEqual([]);
});

test('every import of ours is a file that exists', () => {
  const known = new Set(files);
  const wrong = offences(({ imports }) => imports.filter(name => ours(name) && !known.has(name)));
  expect(wrong.filter(offence => !offence.endsWith('.d.ts'))).toEqual([]);
  expect(SOURCES.filter(({ imports }) => imports.some(ours)).length).toBeGreaterThan(50);
});

test('contract needs zod alone, and emulator nothing but Node, libsql and any-ascii', () => {
  const allowed: Readonly<Record<string, RegExp>> = {
    contract: /^zod\/mini$/,
    emulator: /^(node:.+|libsql|any-ascii)$/,
  };
  const wrong = offences(({ room, imports }) =>
    imports.filter(name => !ours(name) && allowed[room]?.test(name) === false),
  );
  expect(wrong).toEqual([]);
});

test('no file leads back to itself', () => {
  const graph = new Map(SOURCES.map(({ path, imports }) => [path, imports.filter(ours)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  expect(circles).toEqual([]);
});

test('the world outside is touched by bin, the start, the host and the server of the emulator alone', () => {
  const MAY = [
    'bin/waybill.js',
    ...['start', 'code', 'parts'].map(name => `src/start/${name}.ts`),
    'src/emulator/server.ts',
  ];
  const wrong = offences(({ path, room, code, imports }) =>
    room === 'host' || MAY.includes(path)
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

test('no code ends the process', () => {
  expect(
    offences(({ code }) => code.match(/FREE_process\.(exit|abort|reallyExit)\b(?!Code)/g) ?? []),
  ).toEqual([]);
});

test('only the transport and its connections know undici', () => {
  const wrong = offences(({ path, imports }) =>
    ['src/http/transport.ts', 'src/http/connections.ts'].includes(path)
      ? []
      : imports.filter(name => name === 'undici' || name.startsWith('undici/')),
  );
  expect(wrong).toEqual([]);
});

test('there are no barrels', () => {
  expect(files.filter(path => /\/index\.\w+$/.test(path))).toEqual([]);
});

const linesOf = ({ text }: Source): number => text.trimEnd().split('\n').length;

test('no file has more than 300 lines, and half of the files have at most 100', () => {
  expect(offences(source => (linesOf(source) > 300 ? [`${linesOf(source)} lines`] : []))).toEqual([]);
  const lengths = SOURCES.map(linesOf).sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(100);
});

test('no room has more than 15 % of the source', () => {
  const lines = new Map<string, number>();
  for (const source of SOURCES) lines.set(source.room, (lines.get(source.room) ?? 0) + linesOf(source));
  const all = [...lines.values()].reduce((sum, count) => sum + count, 0);
  const tooLarge = [...lines].filter(([, count]) => count > 0.15 * all);
  expect(tooLarge.map(([room, count]) => `${room}: ${count} of ${all} lines`)).toEqual([]);
});
