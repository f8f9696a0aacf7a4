// How the command is bundled: CommonJS, which starts faster on Node 20 than ES modules or the unbundled tree. esbuild splits the
// source into chunks, so that a command runs only what it needs. All chunks of the source are functions in one file, the core:
// to open a hundred files takes longer than to read one. A package that is large stays a file of its own. esbuild splits ES
// modules only, so each chunk is compiled a second time. Native binaries are picked at run time.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { licencesOf, packagesIn } from './licences.mjs';

const target = 'node20.19';

/** The package that has SQLite, and the name under which the bundle asks the start for the native part of it, which is all that is used. */
const SQLITE = '@photostructure/sqlite';
const DRIVER = 'waybill:driver';

/** The font of what we print, and the name under which the bundle asks the start for it. */
const FONT_PACKAGE = '@expo-google-fonts/noto-sans';
const FONT_FILE = `${FONT_PACKAGE}/400Regular/NotoSans_400Regular.ttf`;
const FONT = 'waybill:font';

/** The name under which the bundle asks the start for the thread that reads labels. */
const READER = 'waybill:reader';

/** What a command asks the start for by `waybill:NAME`: JSON that the function NAME of that file of src makes. A wing has its own. */
export const DOCUMENTS = Object.fromEntries(
  ['documents/commands', 'documents/schemas', 'documents/topics', ...documentsOfWings()].map(path => [
    basename(path),
    path,
  ]),
);

function documentsOfWings() {
  return readdirSync('src')
    .map(room => `${room}/documents`)
    .filter(folder => existsSync(`src/${folder}`))
    .flatMap(folder => readdirSync(`src/${folder}`).map(file => `${folder}/${basename(file, '.ts')}`));
}

/**
 * Texts of the library of fonts that read tables which nothing of ours asks for, each with a text in its place; its modules are one file,
 * so that none of them can be left out. A text that is gone is an error. Our font is asked for single letters, and not for what it says
 * of letters side by side, for which tables of all the letters there are would be read, nor for the names of letters. Without these
 * edits `ship --label` with the emulator takes 20 % more CPU time.
 */
const OF_FONTS = [
  ['return new LayoutEngine(this);', 'return undefined;'],
  ['new unicode_trie_default(decodeBase642(data_trie_default))', 'undefined'],
  ['new unicode_trie_default(decodeBase64(data_default2))', 'undefined'],
  ['new unicode_trie_default(decodeBase64(indic_default2))', 'undefined'],
  ['new unicode_trie_default(decodeBase64(use_default2))', 'undefined'],
  [
    'const category = getCategory(codePoint);\n  return category === "Mn" || category === "Me" || category === "Mc";',
    'return /\\p{M}/u.test(String.fromCodePoint(codePoint));',
  ],
  ['names: new r8.Array(new r8.String(r8.uint8))', ''],
];

const lettersAlone = {
  name: 'letters-alone',
  setup(build) {
    build.onLoad({ filter: /\/@cantoo\/fontkit\/dist\/module\.mjs$/ }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const [now, then] of OF_FONTS) {
        if (contents.split(now).length !== 2) throw new Error(`not found once in ${path}: ${now}`);
        contents = contents.replace(now, () => then);
      }
      return { contents };
    });
  },
};

/**
 * Modules that packages load and a usual run never needs: what stands in place of each, by the package that asks for it, or `src`. A package that
 * does not ask for it any more is an error. The figures say how much more CPU time a command takes without it: medians of 36 to 90
 * runs, in turns with the command as it is.
 */
const STAND_INS = [
  // Subcommands that are programs, of which we have none: `history list` 8 %, `ship --help` 7 %, `quote` 3 %.
  {
    of: 'commander',
    module: 'node:child_process',
    text: "export const spawn = (...args) => require('node:child_process').spawn(...args);",
  },
  // HTTP/2, which we do not speak: `quote` and `track` 22 %.
  { of: 'undici', module: './client-h2.js', text: 'module.exports = undefined;' },
  // Only for Node's limit of a head, whose default this is, and for a body that is a request of Node: `quote` and `track` 6 %.
  {
    of: 'undici',
    module: 'node:http',
    text: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class IncomingMessage {}, STATUS_CODES: {} };',
  },
  // An assertion that holds needs none of it: `quote` 2 %, and four of the modules that test/built/start.test.ts counts.
  {
    of: 'undici',
    module: 'node:assert',
    text: `const load = () => require('node:assert');
      const assert = (holds, ...more) => holds || load()(holds, ...more);
      module.exports = Object.setPrototypeOf(assert, new Proxy({}, { get: (_, name) => load()[name] }));`,
  },
  // Reading the journal needs none of it: `history list` 7 %, `track` 5 %, `quote` 4 %.
  {
    of: 'src',
    module: 'node:crypto',
    text: `let crypto;
      const load = () => (crypto ??= require('node:crypto'));
      export const createHash = (...args) => load().createHash(...args);
      export const createPrivateKey = (...args) => load().createPrivateKey(...args);
      export const hash = (...args) => load().hash(...args);
      export const randomUUID = () => load().randomUUID();
      export const scryptSync = (...args) => load().scryptSync(...args);
      export class X509Certificate {
        constructor(...args) {
          return new (load().X509Certificate)(...args);
        }
      }`,
  },
  // It would check by JSON Schema what a person wrote into a form of an agent. Ours has no field. The checker is a third of the SDK:
  // `mcp` 4 %.
  {
    of: '@modelcontextprotocol/server',
    module: /^\.\/ajvProvider-/,
    text: 'export class n { getValidator = () => data => ({ valid: true, data }); }',
  },
  // Our font is no WOFF2, whose dictionary of Brotli is larger than all the rest. The packages brotli and dfa have no licence text, so
  // that they cannot be in the bundle.
  { of: '@cantoo/fontkit', module: 'brotli/decompress.js', text: 'export default undefined;' },
  { of: '@cantoo/fontkit', module: 'dfa', text: 'export default class StateMachine {}' },
  // For a user without a home folder it throws; conf gets its folder from us.
  { of: 'conf', module: 'env-paths', text: "export default () => ({ config: '/' });" },
  // What conf checks a schema with, and versions of a config, of which ours has neither: 120 kB of code.
  { of: 'conf', module: 'ajv/dist/2020.js', text: 'export const Ajv2020 = undefined;' },
  { of: 'conf', module: 'ajv-formats', text: 'export default undefined;' },
  { of: 'conf', module: 'semver', text: 'export default undefined;' },
];

/** `used` gets the place of each stand-in that a package asked for. */
const standIns = (used = new Set()) => ({
  name: 'stand-ins',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, importer }) => {
      const place = STAND_INS.findIndex(
        ({ of, module }) =>
          importer.includes(of === 'src' ? resolve('src') : `/node_modules/${of}/`) &&
          (typeof module === 'string' ? path === module : module.test(path)),
      );
      if (place < 0) return undefined;
      used.add(place);
      return { path: `${place}`, namespace: 'stand-in' };
    });
    build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
      contents: STAND_INS[Number(path)].text,
    }));
  },
});

// Tests bundle many times over, and most chunks are the same every time.
const known = new Map();

/** An ES module as CommonJS. */
function compiled(text) {
  if (!known.has(text))
    known.set(
      text,
      transform(text, {
        format: 'cjs',
        platform: 'node',
        target,
        supported: { 'dynamic-import': false },
      }),
    );
  return known.get(text);
}

/**
 * A file name that is a variable, as in import(`../commands/${name}.ts`), means the files of that folder. esbuild would
 * also take all files below it, and make a chunk of each: a fifth more chunks to read for `history list`.
 */
const oneFolder = {
  name: 'one-folder',
  setup(build) {
    build.onLoad({ filter: /\/src\/(shell|commands)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(/import\(`(\.[^`$]*)\/\$\{(\w+)\}\.ts`\)/g, (_, folder, name) => {
        const files = readdirSync(join(dirname(path), folder)).filter(file => file.endsWith('.ts'));
        const loaders = files.map(file => `'${basename(file, '.ts')}': () => import('${folder}/${file}')`);
        return `({ ${loaders.join(', ')} })[${name}]()`;
      });
      return contents === text ? undefined : { contents, loader: 'ts' };
    });
  },
};

/**
 * The PDF library does not say that its files do nothing when they are loaded. So esbuild keeps all of them: fonts, forms and
 * SVG are two thirds of it, and merging labels needs none of them: `label --merge` 16 %.
 */
const pdfParts = {
  name: 'pdf-parts',
  setup(build) {
    build.onResolve({ filter: /^\.|^@cantoo\/pdf-lib$/ }, async ({ path, importer, pluginData, ...rest }) => {
      const isPart = path === '@cantoo/pdf-lib' || importer.includes('/@cantoo/pdf-lib/');
      if (!isPart || pluginData === pdfParts) return undefined;
      const found = await build.resolve(path, { ...rest, importer, pluginData: pdfParts });
      return { ...found, sideEffects: false };
    });
  },
};

/** A text without what only readers need; of packages also without their names. A quote takes 4 % less CPU time. */
async function minified(text, { names }) {
  const { code } = await transform(text, {
    platform: 'node',
    target,
    minifyWhitespace: true,
    // Ours stay, for the stack of an internal error.
    minifyIdentifiers: !names,
  });
  // The core is an expression.
  return code.replace(/;\s*$/, '\n');
}

let builtIn;

/** What the sources make once for all: the list of commands, because help needs no contract for that, and the documents. */
async function makeBuiltIn(version) {
  const wanted = {
    listCommands: 'shell/commands',
    ...DOCUMENTS,
  };
  const { outputFiles } = await build({
    stdin: {
      contents: Object.entries(wanted)
        .map(([name, file]) => `export { ${name} } from './src/${file}.ts';`)
        .join('\n'),
      resolveDir: '.',
    },
    bundle: true,
    external: [FONT_FILE, SQLITE, 'waybill:*'],
    write: false,
    platform: 'node',
    format: 'cjs',
    target,
    define: { WAYBILL_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  });
  const module = { exports: {} };
  const load = new Function('module', 'exports', 'require', outputFiles[0].text);
  load(module, module.exports, createRequire(resolve('package.json')));
  const { listCommands, ...makers } = module.exports;
  const made = async name => [name, documentText({ [name]: await makers[name]() })];
  return {
    commands: JSON.stringify(await listCommands()),
    documents: Object.fromEntries(await Promise.all(Object.keys(DOCUMENTS).map(made))),
  };
}

/** A part of a document that is shorter, as JSON, stands in it as often as it is there. */
const SHORT = 40;

/**
 * A document as the start reads it: ASCII, and what it has more than once stands once, in a list in front of it. `{"": 3}` is
 * the fourth of that list. It is half as long.
 */
function documentText(document) {
  const isSeen = new Map();
  const look = part => {
    if (typeof part !== 'object' || part === null) return;
    const text = JSON.stringify(part);
    isSeen.set(text, isSeen.has(text));
    Object.values(part).forEach(look);
  };
  look(document);
  const places = new Map();
  const shared = [];
  const folded = part => {
    if (typeof part !== 'object' || part === null) return part;
    const text = JSON.stringify(part);
    const short = () =>
      Array.isArray(part)
        ? part.map(folded)
        : Object.fromEntries(Object.entries(part).map(([name, value]) => [name, folded(value)]));
    if (text.length < SHORT || !isSeen.get(text)) return short();
    if (!places.has(text)) places.set(text, shared.push(short()) - 1);
    return { '': places.get(text) };
  };
  const whole = folded(document);
  return JSON.stringify([shared, whole]).replace(
    /[^ -~]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A chunk of packages that is as large as this is read by itself, when it is first needed. */
const LARGE = 20_000;

/** Is a chunk large, and most of it code of packages? */
function isApart({ inputs }) {
  const parts = Object.entries(inputs);
  const sizeOf = list => list.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
  const ofPackages = sizeOf(parts.filter(([path]) => path.includes('node_modules/')));
  return ofPackages >= LARGE && ofPackages > sizeOf(parts) / 2;
}

/** esbuild exports a copy in which one getter for all names calls the getter of each: `history list` and `ship --help` 8 %. */
const withPlainExports = text =>
  text.replace(
    '= __toCommonJS(stdin_exports);',
    '= __defProp(stdin_exports, "__esModule", { value: true });',
  );

/**
 * Fills a folder with the files of the command and `start.cjs`, which loads them; options of esbuild come on top. The
 * licences of what is in them come along. Gives what the start must know.
 */
export async function bundle(outdir, { plugins = [], ...more } = {}) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  // Tests bundle many times over.
  builtIn ??= makeBuiltIn(version);
  const { commands, documents } = await builtIn;
  const used = new Set();
  const { outputFiles, metafile } = await build({
    entryPoints: { waybill: 'src/main.ts' },
    outdir,
    outExtension: { '.js': '.cjs' },
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    alias: { [SQLITE]: DRIVER, [FONT_FILE]: FONT },
    external: ['waybill:*'],
    platform: 'node',
    format: 'esm',
    target,
    // The list as text: what is defined as an object goes into every chunk.
    define: { WAYBILL_VERSION: JSON.stringify(version), WAYBILL_COMMANDS: JSON.stringify(commands) },
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [lettersAlone, standIns(used), oneFolder, pdfParts, ...plugins],
    ...more,
  });
  const idle = STAND_INS.filter((_, place) => !used.has(place));
  if (idle.length > 0)
    throw new Error(`nothing asks for ${idle.map(({ of, module }) => `${module} of ${of}`).join(', ')}`);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const write = (name, text) => writeFileSync(join(outdir, name), text);
  const chunks = [];
  for (const { path, text } of outputFiles) {
    const name = basename(path);
    if (path.endsWith('.map')) {
      write(name, text);
      continue;
    }
    const { code } = await compiled(text);
    if (isApart(metafile.outputs[relative('.', path)]))
      write(name, await minified(withPlainExports(code), { names: false }));
    else chunks.push(`${JSON.stringify(name)}(exports, require, module) {\n${withPlainExports(code)}\n}`);
  }
  const core = await minified(`({\n${chunks.join(',\n')}\n})`, { names: true });
  // What was compiled of it in an earlier run is found by its name, which knows the names of the other files.
  const entry = `waybill-${createHash('sha256').update(core).digest('hex').slice(0, 12)}.cjs`;
  write(entry, core);
  for (const [name, text] of Object.entries(documents)) write(`${name}.json`, text);
  const names = JSON.parse(commands).map(({ name }) => name);
  const started = { entry, names, texts: { '--version': `${version}\n` } };
  started.texts['--help'] = await helpOf(resolve(outdir), started);
  await bundleStart({ entryPoints: ['src/start/start.ts'], outfile: join(outdir, 'start.cjs') }, started);
  await bundleReaderStart(outdir, started);
  for (const [name, path] of Object.entries(sqliteFiles())) linkOrCopy(path, join(outdir, name));
  linkOrCopy(fontFile(), join(outdir, 'font.ttf'));
  const copied = [SQLITE, FONT_PACKAGE].map(name => `node_modules/${name}`);
  write('THIRD-PARTY-LICENSES', licencesOf([...packagesIn(metafile), ...copied]));
  return started;
}

/** By the name that it gets beside the bundle: the native part of SQLite for each platform. */
export function sqliteFiles() {
  const prebuilds = join(
    dirname(createRequire(import.meta.url).resolve(`${SQLITE}/package.json`)),
    'prebuilds',
  );
  const files = {};
  for (const platform of readdirSync(prebuilds))
    for (const file of readdirSync(join(prebuilds, platform))) {
      const library = platform.startsWith('linux') ? `-${file.split('.').at(-2)}` : '';
      files[`sqlite-${platform}${library}.node`] = join(prebuilds, platform, file);
    }
  return files;
}

export const fontFile = () => createRequire(import.meta.url).resolve(FONT_FILE);

/** Tests bundle many times over, and the files of all platforms are 18 MB. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** The text of `waybill --help`, as the files of that folder print it. */
async function helpOf(folder, started) {
  const start = join(folder, 'start.cjs');
  await bundleStart({ entryPoints: ['src/start/start.ts'], outfile: start }, started);
  const script = `const { main, processHost } = require(${JSON.stringify(start)}).start(); main(['--help'], processHost());`;
  return execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', env: {} });
}

/** Bundles what begins the thread that reads labels. */
export const bundleReaderStart = (outdir, started, isExecutable = false) =>
  bundleStart(
    { entryPoints: ['src/start/reader-start.ts'], outfile: join(outdir, 'reader-start.cjs') },
    started,
    isExecutable,
  );

/** The same thread for tests, which have no bundle: all of its code. */
export async function readerCode() {
  const { outputFiles } = await build({
    stdin: { contents: "import { readEach } from './src/pdf/reader.ts'; readEach();", resolveDir: '.' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target,
    alias: { [FONT_FILE]: FONT },
    external: ['waybill:*'],
    logLevel: 'warning',
    // Each worker of the tests reads all of it.
    minify: true,
    plugins: [lettersAlone, standIns(), pdfParts],
  });
  return outputFiles[0].text;
}

/**
 * Bundles what starts the command. `isExecutable`: its files are parts of the running file. It has no sentences of ours: no file of src
 * does anything when it is loaded, as package.json says (`sideEffects`), so that what nothing uses is left out.
 */
export const bundleStart = (place, { entry, names, texts }, isExecutable = false) =>
  build({
    ...place,
    bundle: true,
    platform: 'node',
    target,
    define: {
      WAYBILL_ENTRY: JSON.stringify(entry),
      WAYBILL_DRIVER: JSON.stringify(DRIVER),
      WAYBILL_FONT: JSON.stringify(FONT),
      WAYBILL_READER: JSON.stringify(READER),
      WAYBILL_IS_EXECUTABLE: String(isExecutable),
      WAYBILL_NAMES: JSON.stringify(names),
      WAYBILL_TEXTS: JSON.stringify(texts),
    },
    minifySyntax: true,
    logLevel: 'warning',
  });
