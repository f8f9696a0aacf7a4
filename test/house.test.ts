// The architecture, held by reading every import: who may know whom, and what is kept to one place.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

/** The rooms from top to bottom, and which of those below it each one may import. `ground` stands for the lowest ones. */
const ROOMS = `
bin → start
documents → commands shell batch order session profile output emulator ground
start → system-errors host
main → shell session output pdf ground
shell → wings commands order session journal booking profile output emulator ground
commands → wings wing batch labels order session journal booking service profile output pdf emulator mask ground
wings → agents desk forms shops wing session
agents → wing commands labels order session journal booking service profile output mask documents ground
desk → wing batch labels order session journal booking profile output pdf ground
forms → wing order session journal booking service profile output ground
shops → wing batch order ground
wing → batch labels order session booking pdf ground
batch → wings labels order session journal booking service output profile ground
labels → wings wing order session journal booking profile output mask pdf ground
order → session journal booking service profile output ground
session → journal booking service profile output emulator ground
output → journal booking mask ground
service → journal booking profile mask ground
profile → mask ground
journal → booking ground
booking → contract exit-codes json text
emulator → pdf contract errors host text
pdf → ground
mask → contract json
host → errors json say system-errors text
errors → contract exit-codes say system-errors
say → booking contract nearest text
contract → nearest text
`;
const GROUND = 'contract errors exit-codes host json nearest paper say system-errors text';

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
const BUILT = /^src\/((\w+\/)?documents\/|output\/(schemas|fields)\.ts$)/;

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

test('what a wing adds is loaded when it is asked for', () => {
  const plugs = files.filter(path => PLUGS.test(path));
  expect(plugs.length).toBeGreaterThan(3);
  expect(plugs.flatMap(loadedWith)).toEqual([]);
});

test('what the build writes as JSON is not in the command: nothing else imports more of it than types', () => {
  const wrong = SOURCES.filter(({ room }) => room !== 'documents').flatMap(({ path }) =>
    loadedWith(path)
      .filter(name => BUILT.test(name) && !BUILT.test(path))
      .map(name => `${path}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('no pattern has letters that are not ASCII: the build cannot write them in ASCII, and the package is read as that', () => {
  const withoutComments = (code: string) => transformSync(code, { minifyWhitespace: true }).code;
  const wrong = SOURCES.filter(({ code }) => NOT_ASCII.test(code) && NOT_ASCII.test(withoutComments(code)));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

const NOT_ASCII = /[^\0-\x7f]/;

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

test('no command loads with itself what reads and decides rules: most profiles have none', () => {
  const loading = (name: string) => files.filter(path => loadedWith(path).includes(name));
  expect(loading('src/order/ruling.ts')).toEqual(['src/commands/profile/rules.ts']);
  expect(loading('src/order/rules.ts').sort()).toEqual([
    'src/commands/profile/rules.ts',
    'src/documents/rules.ts',
    'src/order/ruling.ts',
  ]);
});

/** What a wing may add, as types; and what it adds, each loaded when it is asked for. */
const PLUGS = /^src\/(\w+\/)?wing\.ts$/;

/** `| order | 6,400 |` */
const BUDGET = /^\| (\S+) \| ([\d,]+) \|$/gm;

test('no room is larger than its number of lines in CONTRIBUTING.md', () => {
  const lines = new Map<string, number>();
  for (const path of files.filter(path => path.startsWith('src/'))) {
    const [, room = ''] = path.split('/');
    const name = room.endsWith('.ts') ? 'src' : room;
    lines.set(name, (lines.get(name) ?? 0) + readFileSync(path, 'utf8').split('\n').length - 1);
  }
  const rows = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(BUDGET)];
  const budget = new Map(rows.map(([, room = '', most = '']) => [room, Number(most.replaceAll(',', ''))]));
  expect([...budget.keys()].toSorted()).toEqual([...lines.keys()].toSorted());
  const over = [...lines].filter(([room, count]) => count > (budget.get(room) ?? 0));
  expect(over).toEqual([]);
});

test('no file leads back to itself, but for what a wing adds to the room that asks for it', () => {
  const below = new Map(
    SOURCES.filter(({ path }) => !PLUGS.test(path)).map(({ path, imports }) => [
      path,
      imports.filter(isOurs),
    ]),
  );
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

/** The members of classes in code as esbuild writes it, but for private ones, which the linter sees. */
const membersIn = (code: string): string[] =>
  [...code.matchAll(/^(?:export )?class [^\n]*\{\n(.*?)^\}/gms)].flatMap(([, body = '']) =>
    [...body.matchAll(/^ {2}(?:async )?(?:get |set )?\*?(\w+)(?: = |;|\()/gm)]
      .map(([, member = '']) => member)
      .filter(member => member !== 'constructor'),
  );

/** Names that are asked of something, or taken out of it. */
const namesAsked = (code: string): string[] =>
  [...code.matchAll(/\.(\w+)|(?<=[{,]\s*)(\w+)(?=\s*[,:}])/g)].map(
    ([, asked, taken]) => asked ?? taken ?? '',
  );

test('no class has a member that nothing uses, which no linter sees', () => {
  const asked = new Set(SOURCES.flatMap(({ code }) => namesAsked(code)));
  const members = SOURCES.flatMap(({ code }) => membersIn(code));
  expect(members.length).toBeGreaterThan(100);
  expect(members.filter(member => !asked.has(member))).toEqual([]);
  expect(membersIn('class Desk {\n  #drawer;\n  papers = 1;\n  async *pages() {\n  }\n}\n')).toEqual([
    'papers',
    'pages',
  ]);
});

test('no code asks URL.canParse: once it is asked often, Node 20 answers false for an address with an umlaut', () => {
  expect(offences(({ code }) => code.match(/\bcanParse\b/g) ?? [])).toEqual([]);
});

/**
 * Where code asks words what they say, each with its reason. The words of others stay in the list. Ours go, because a failure, a
 * warning and a note have their kind and their data: this list only becomes shorter.
 */
const WORDS_ASKED: Readonly<Record<string, string>> = {
  'src/batch/shop.ts: /\\bcod\\b|cash on delivery|pay on deliver': 'how a shop calls a method of payment',
  // Words of others: libraries, the system, people.
  'src/host/plain-prompts.ts: test(message)': 'a question that ends with a mark gets no colon',
  'src/host/sqlite.ts: "JSON cannot hold BLOB values"': 'SQLite has no code for it',
  'src/system-errors.ts: exec(message)':
    'a fault of the system has its call and its path in its message alone',
  'src/journal/postgres/open.ts: "SELECT ON waybill_schema"': 'the name of a right',
  'src/order/doubts.ts: /\\b(?:p\\.? ?o\\.? ?box|post office box|po': 'the address of a receiver',
  'src/output/query.ts: /^Invalid type: (\\w+)\\(\\) expected argum': 'the library of queries has no codes',
  'src/output/query.ts: messageOf(error).includes': 'the same',
  'src/output/query.ts: message.startsWith': 'the same',
  'src/service/transport.ts: /SSL alert number (?:4[2-689]|116)\\b/': 'OpenSSL has one code for all alerts',
  'src/service/transport.ts: /SSL alert number 120\\b/': 'the same',
  'src/service/transport.ts: /^ERR_SSL_UNSUPPORTED_PROTOCOL|SSL alert': 'the same',
  'src/service/transport.ts: /^UND_ERR_SOCKET bad response$/': 'undici has one code for all breaks',
  'src/service/transport.ts: test(messageOf': 'OpenSSL, again',
  'src/service/tls.ts: messageOf(error).replace': 'the error of OpenSSL without its numbers',
  'src/start/loader.ts: messageOf(error).split': 'the first line of what Node says of a missing module',
  'src/shell/usage.ts: exec(error.message)': 'commander has the command only in its message',
  // What a file of ours says, not what it says to people.
  'src/desk/handover.ts: "Handover list by waybill; it replaces t': 'the mark of our own lists',
  // Names of a union that the compiler holds.
  'src/booking/booking.ts: "shipment of another"': 'what a late answer was refused for',
  'src/booking/standing.ts: "shipment of another"': 'the same',
  // Ours: they go when their room has its sentences in src/say.
  'src/batch/parse-record.ts: message.replace': 'the option in the message of a parcel',
  'src/batch/run/figures.ts: exec(warning)': 'the field of a warning',
  'src/order/created-as.ts: message.replace': 'the command in the message of a read',
  'src/contract/addresses.ts: /\\b(?:box|postfach|postbus|postboks|boit': 'the address of a receiver',
  'src/forms/form.ts: sentence.replace': 'paths of fields in the message of an issue',
  'src/forms/form.ts: sentence.split': 'the same',
};

const REGEX = /(?<=[(,=:[!&|?{};\n]\s*|return\s)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/g;
const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"|`(?:[^`\\\\]|\\\\.)*`';
const NAMED_STRING = new RegExp(`(?:const|let) (\\w+) = (${STRING})`, 'g');
const METHOD = 'includes|startsWith|endsWith|match|matchAll|test|indexOf|search|split|replace|replaceAll';
/** A text, or the name of one, that something is compared with. */
const ASKED_FOR = new RegExp(`(?:\\.(?:${METHOD})\\(\\s*|[!=]== )(${STRING}|\\w+)`, 'g');
/** A sentence by what it is called here. */
const SENTENCE = '(?:message|what|why|hint|warning|sentence)';
const SENTENCE_ASKED = new RegExp(
  `\\b(?:${SENTENCE}|messageOf\\(\\w+\\))\\??\\.(?:${METHOD})\\b|\\b(?:test|exec)\\((?:messageOf|(?:\\w+\\.)?${SENTENCE}\\b\\)?)`,
  'g',
);

/** At least three words of English behind one another. */
const isProse = (text: string): boolean =>
  /[a-z]{2,} (?:[a-z]+ )+[a-z]{2,}/i.test(text.replace(/\\[bdnswBDSW]/g, ' '));

function wordsAsked(code: string): string[] {
  const named = new Map([...code.matchAll(NAMED_STRING)].map(([, name, text = '']) => [name, text]));
  const texts = [
    ...(code.match(REGEX) ?? []),
    ...[...code.matchAll(ASKED_FOR)].map(([, asked = '']) => named.get(asked) ?? asked),
  ];
  return [
    ...texts.filter(isProse).map(text => (text.length > 42 ? text.slice(0, 40) : text)),
    ...(code.match(SENTENCE_ASKED) ?? []),
  ];
}

test('no code asks our own words what they say: a failure, a warning and a note have a kind', () => {
  const asked = SOURCES.flatMap(({ path, code }) => wordsAsked(code).map(words => `${path}: ${words}`));
  expect([...new Set(asked)].toSorted()).toEqual(Object.keys(WORDS_ASKED).toSorted());
});

test.each([
  ['if (/the order is booked/.test(text)) stop();', '/the order is booked/'],
  ['return /^the order is (\\w+)/i.exec(text);', '/^the order is (\\w+)/i'],
  ['return text.includes("so it is booked");', '"so it is booked"'],
  ['const BOOKED = "so it is booked";\nreturn text.replace(BOOKED, "");', '"so it is booked"'],
  ['return failure.message.startsWith("ship");', 'message.startsWith'],
  ['return BOOKED.test(failure.message);', 'test(failure.message)'],
])('that rule sees %s', (code, words) => {
  expect(wordsAsked(code)).toEqual([words]);
});
