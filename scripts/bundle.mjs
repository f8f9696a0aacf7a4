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
  ['commands', 'schemas', 'topics', ...documentsOfWings()].map(path => [
    basename(path),
    path.includes('/') ? path : `documents/${path}`,
  ]),
);

function documentsOfWings() {
  return readdirSync('src')
    .map(room => `${room}/documents`)
    .filter(folder => existsSync(`src/${folder}`))
    .flatMap(folder => readdirSync(`src/${folder}`).map(file => `${folder}/${basename(file, '.ts')}`));
}

/**
 * Texts of dependencies that load what a usual run never needs, each with a text that loads it at its first use. A text
 * that is gone is an error. The figures say how much more CPU time a command takes without the change: medians of 36 to 90
 * runs, in turns with the command as it is. What saves less than 3 % is not changed, unless another reason stands here.
 */
const LATER = {
  // Subcommands that are programs, of which we have none: `history list` 8 %, `ship --help` 7 %, `quote` 3 %.
  'commander/lib/command.js': [
    [
      "const childProcess = require('node:child_process');",
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
    ],
  ],
  'undici/lib/dispatcher/client.js': [
    // HTTP/2, which we do not speak: `quote` and `track` 22 %.
    [
      "const connectH2 = require('./client-h2.js')",
      "const connectH2 = (...args) => require('./client-h2.js')(...args)",
    ],
    // Only for Node's limit of a head, whose default this is. Together with the two below: `quote` and `track` 6 %.
    ["const http = require('node:http')", 'const http = { maxHeaderSize: 16384 }'],
  ],
  'undici/lib/core/util.js': [
    ["const { IncomingMessage } = require('node:http')", ''],
    ['.constructor === IncomingMessage', ".constructor.name === 'IncomingMessage'"],
  ],
  // It would check by JSON Schema what a person wrote into a form of an agent. Ours has no field. The checker is a third of the SDK:
  // `mcp` 4 %.
  '@modelcontextprotocol/server/dist/shimsNode.mjs': [
    [
      'import { n as AjvJsonSchemaValidator } from "./ajvProvider-DyjnscPj.mjs";',
      'class AjvJsonSchemaValidator { getValidator = () => data => ({ valid: true, data }); }',
    ],
  ],
  // Our font is no WOFF2, whose dictionary of Brotli is larger than all the rest. It is asked for single letters, and not for what it
  // says of letters side by side, for which tables of all the letters there are would be read, nor for the names of letters:
  // `ship --label` with the emulator 22 %. The packages brotli and dfa have no licence text, so that they cannot be in the bundle.
  '@cantoo/fontkit/dist/module.mjs': [
    ['import brotli from "brotli/decompress.js";', 'const brotli = undefined;'],
    ['return new LayoutEngine(this);', 'return undefined;'],
    ['import StateMachine from "dfa";', 'class StateMachine {}'],
    ['import StateMachine2 from "dfa";', 'class StateMachine2 {}'],
    ['new unicode_trie_default(decodeBase642(data_trie_default))', 'undefined'],
    ['new unicode_trie_default(decodeBase64(data_default2))', 'undefined'],
    ['new unicode_trie_default(decodeBase64(indic_default2))', 'undefined'],
    ['new unicode_trie_default(decodeBase64(use_default2))', 'undefined'],
    [
      'const category = getCategory(codePoint);\n  return category === "Mn" || category === "Me" || category === "Mc";',
      'return /\\p{M}/u.test(String.fromCodePoint(codePoint));',
    ],
    ['names: new r8.Array(new r8.String(r8.uint8))', ''],
  ],
  // For a user without a home folder it throws; conf gets its folder from us.
  'env-paths/index.js': [['const homedir = os.homedir();', "const homedir = '/';"]],
};

const later = {
  name: 'later',
  setup(build) {
    for (const [file, edits] of Object.entries(LATER))
      build.onLoad({ filter: new RegExp(`/node_modules/${file}$`) }, ({ path }) => {
        let contents = readFileSync(path, 'utf8');
        for (const [now, then] of edits) {
          if (contents.split(now).length !== 2) throw new Error(`not found once in ${file}: ${now}`);
          contents = contents.replace(now, () => then);
        }
        return { contents };
      });
  },
};

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

/** Packages that `conf` checks a schema with, and versions of a config, of which ours has neither: 120 kB of code, each empty here. */
const UNUSED_OF_CONF = { 'ajv/dist/2020.js': 'Ajv2020', 'ajv-formats': 'default', semver: 'default' };

const withoutUnused = {
  name: 'without-unused',
  setup(build) {
    const names = Object.keys(UNUSED_OF_CONF).map(name => name.replaceAll('.', '\\.'));
    build.onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path, importer }) =>
      importer.includes('/node_modules/conf/') ? { path, namespace: 'unused' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `const unused = undefined; export { unused as ${UNUSED_OF_CONF[path]} };`,
    }));
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

/** The text of a chunk without modules of Node that few runs of it need, and that take long to load. */
const lazier = text =>
  text
    // esbuild exports a copy in which one getter for all names calls the getter of each: `history list` and `ship --help` 8 %.
    .replace('= __toCommonJS(stdin_exports);', '= __defProp(stdin_exports, "__esModule", { value: true });')
    // It asks `require` by a function of another chunk, which finds out whether there is one. The last change needs it as text.
    .replace(/\(0, import_chunk_\w+\.__require\)\(/g, 'require(')
    // Reading the journal needs none of it: `history list` 7 %, `track` 5 %, `quote` 4 %.
    .replace(
      /\b(import_node_crypto\d*) = require\("node:crypto"\)/g,
      '$1 = new Proxy({}, { get: (own, name) => (own[name] ??= require("node:crypto")[name]) })',
    )
    // An assertion of undici that holds needs none of it: `quote` 2 %, and four of the modules that test/built/start.test.ts counts.
    .replace(
      /\b(\w*assert\w*) = require\("node:assert"\)/g,
      '$1 = Object.setPrototypeOf((holds, ...more) => holds || require("node:assert")(holds, ...more), new Proxy({}, { get: (_, name) => require("node:assert")[name] }))',
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
    plugins: [later, oneFolder, pdfParts, withoutUnused, ...plugins],
    ...more,
  });
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
      write(name, await minified(lazier(code), { names: false }));
    else chunks.push(`${JSON.stringify(name)}(exports, require, module) {\n${lazier(code)}\n}`);
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
    plugins: [later, pdfParts],
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
