// How the command is bundled: CommonJS, which starts faster on Node 20 than ES modules or the unbundled tree. All of the
// source and the small packages are one file, the core, of which a module runs when it is first needed. A package that is large, or
// that few commands need, is a file of its own. Native binaries are picked at run time.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { licencesOf, packagesIn } from './licences.mjs';

const target = 'node20.19';

/** The name under which the bundle asks the start for the native part of SQLite. */
const DRIVER = 'waybill:driver';

/**
 * Texts of dependencies that load what a usual run never needs, each with a text that loads it at its first use. A text
 * that is gone is an error. The figures say how much more CPU time a command takes without the change: medians of 30 to 50
 * runs, in turns with the command as it is. What saves less than 5 % of every command is not changed.
 */
const LATER = {
  // Subcommands that are programs, of which we have none. Together with libsql's below, which loads child processes too:
  // `history list` 8 %, `quote` and `track` 3 %.
  'commander/lib/command.js': [
    [
      "const childProcess = require('node:child_process');",
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
    ],
    // It is the global one.
    ["const process = require('node:process');", ''],
  ],
  'undici/lib/dispatcher/client.js': [
    // HTTP/2, which we do not speak: `quote` 23 %, `track` 18 %, `history list` 25 %.
    [
      "const connectH2 = require('./client-h2.js')",
      "const connectH2 = (...args) => require('./client-h2.js')(...args)",
    ],
    // Only for Node's limit of a head, whose default this is. Together with the two below: `history list` 5 %, `track` 4 %.
    ["const http = require('node:http')", 'const http = { maxHeaderSize: 16384 }'],
  ],
  'undici/lib/core/util.js': [
    ["const { IncomingMessage } = require('node:http')", ''],
    ['.constructor === IncomingMessage', ".constructor.name === 'IncomingMessage'"],
  ],
  // For a user without a home folder it throws; conf gets its folder from us.
  'env-paths/index.js': [['const homedir = os.homedir();', "const homedir = '/';"]],
  // The start knows where the driver is (src/start/driver.ts). libsql would ask for a report of the whole process, and load
  // child processes, to learn which C library there is.
  'libsql/index.js': [
    ['const { load, currentTarget } = require("@neon-rs/load");', ''],
    ['const { familySync, GLIBC, MUSL } = require("detect-libc");', ''],
    ['function requireNative() {', `function requireNative() { return require('${DRIVER}');`],
  ],
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

/** The packages that are files of their own, and the pages of the documents, which only help reads. */
const APART = {
  undici: 'undici',
  '@cantoo/pdf-lib': 'pdf-lib',
  '@inquirer/prompts': 'prompts',
  '@jmespath-community/jmespath': 'jmespath',
  'cli-table3': 'cli-table3',
  conf: 'conf',
  'csv-parse': 'csv-parse',
  'ipaddr.js': 'ipaddr',
  'libphonenumber-js': 'libphonenumber',
  pg: 'pg',
};
const PAGES = 'pages';

const packageOf = specifier => /^(@[^/]+\/)?[^/]+/.exec(specifier)[0];

/**
 * Leaves the packages that are apart out of the core: it asks their file, when it first needs it, for what it would import.
 * `wanted` gets, for each such file, what is imported.
 */
const apart = wanted => ({
  name: 'apart',
  setup(build) {
    const fromFile = (file, id) => {
      wanted.set(file, (wanted.get(file) ?? new Set()).add(id));
      return { path: `${file}.cjs:${id}`, namespace: 'apart' };
    };
    build.onResolve({ filter: /^[@a-z]/ }, ({ path, importer }) => {
      const file = APART[packageOf(path)];
      return file && !importer.includes('/node_modules/') ? fromFile(file, path) : undefined;
    });
    build.onResolve({ filter: /\/docs\/[\w-]+\.md$/ }, ({ path }) => fromFile(PAGES, basename(path)));
    build.onLoad({ filter: /.*/, namespace: 'apart' }, ({ path }) => {
      const [file, id] = path.split(':');
      return { contents: `module.exports = require('./${file}')['${id}'];` };
    });
    build.onResolve({ filter: /^\.\//, namespace: 'apart' }, ({ path }) => ({ path, external: true }));
  },
});

/**
 * A file name that is a variable, as in import(`../commands/${name}.ts`), means the files of that folder. esbuild would
 * also take all files below it, and make a chunk of each: a fifth more chunks to read for `history list`.
 */
const oneFolder = {
  name: 'one-folder',
  setup(build) {
    build.onLoad({ filter: /\/src\/(program|commands)\/.*\.ts$/ }, ({ path }) => {
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
 * SVG are two thirds of it, and merging labels needs none of them.
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

let builtIn;

/** The list of commands as the sources have it: help needs no contract for that. */
async function readBuiltIn() {
  const { outputFiles } = await build({
    stdin: { contents: "export { listCommands } from './src/program/commands.ts'", resolveDir: '.' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target,
    logLevel: 'warning',
  });
  const module = { exports: {} };
  const load = new Function('module', 'exports', 'require', outputFiles[0].text);
  load(module, module.exports, createRequire(resolve('package.json')));
  const { listCommands } = module.exports;
  // As text: what is defined as an object goes into every chunk.
  const asText = value => JSON.stringify(JSON.stringify(value));
  return { WAYBILL_COMMANDS: asText(await listCommands()) };
}

/**
 * The names that the source imports of a package: its file needs nothing else, and esbuild leaves out the rest. `undefined` if the
 * source imports the whole of it.
 */
function namesOf(specifier) {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  );
  const text = files.map(file => readFileSync(join('src', file), 'utf8')).join('\n');
  const imports = [...text.matchAll(/^import (?!type\b)([^;]*?) from '([^']*)';$/gm)];
  const clauses = imports.flatMap(([, clause, from]) => (from === specifier ? clause : []));
  const isWhole = text.includes(`import('${specifier}')`) || clauses.some(clause => !clause.startsWith('{'));
  if (isWhole) return undefined;
  const names = clauses.flatMap(clause => clause.replace(/[{}]/g, '').split(','));
  return names.map(name => name.trim()).filter(name => name !== '' && !name.startsWith('type '));
}

/** The text of a file that is apart: what it has is made when it is asked for. */
function textOf(file, ids) {
  if (file === PAGES) {
    const pages = ids.map(id => [id, readFileSync(join('docs', id), 'utf8')]);
    return `module.exports = ${JSON.stringify(Object.fromEntries(pages))};`;
  }
  const parts = ids.map(id => `get '${id}'() { return require('${namesOf(id) ? NAMES : ''}${id}'); }`);
  return `module.exports = { ${parts.join(', ')} };`;
}

const NAMES = 'waybill:names:';

/** A module that has of a package only what the source imports. */
const onlyNames = {
  name: 'only-names',
  setup(build) {
    build.onResolve({ filter: /^waybill:names:/ }, ({ path }) => ({
      path: path.slice(NAMES.length),
      namespace: 'names',
    }));
    build.onLoad({ filter: /.*/, namespace: 'names' }, ({ path }) => ({
      contents: `export { ${namesOf(path).join(', ')} } from '${path}';`,
      resolveDir: resolve('src'),
    }));
  },
};

// Tests bundle many times over, and these files are the same every time.
const builtApart = new Map();

/** Builds a file that is apart. */
function buildApart(file, ids, settings) {
  const key = JSON.stringify([file, ids, settings.sourcemap]);
  const made =
    builtApart.get(key) ??
    build({
      ...settings,
      stdin: { contents: textOf(file, ids), resolveDir: resolve('src') },
      outfile: `${file}.cjs`,
      plugins: [later, pdfParts, onlyNames],
    });
  builtApart.set(key, made);
  return made;
}

/** The text of a file without modules of Node that few runs of it need, and that take long to load. */
const lazier = text =>
  text
    // Reading the journal needs none of it. Without this `history list` takes 7 % more CPU time, `track` 5 %.
    .replace(
      /\b(import_node_crypto\d*) = require\("node:crypto"\)/g,
      '$1 = new Proxy({}, { get: (own, name) => (own[name] ??= require("node:crypto")[name]) })',
    )
    // An assertion of undici that holds needs none of it.
    .replace(
      /\b(\w*assert\w*) = require\("node:assert"\)/g,
      '$1 = Object.setPrototypeOf((holds, ...more) => holds || require("node:assert")(holds, ...more), new Proxy({}, { get: (_, name) => require("node:assert")[name] }))',
    );

/**
 * Fills a folder with the files of the command and `start.cjs`, which loads them; options of esbuild come on top. The
 * licences of what is in them come along. Gives what the start must know. `sourcemap`: with maps beside them.
 */
export async function bundle(outdir, { sourcemap = false, plugins = [], ...more } = {}) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  // Tests bundle many times over.
  builtIn ??= readBuiltIn();
  const settings = {
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target,
    charset: 'ascii',
    // The start loads the files, and `require` with them.
    supported: { 'dynamic-import': false },
    minifySyntax: true,
    sourcemap: sourcemap && 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  };
  const wanted = new Map();
  const core = await build({
    ...settings,
    entryPoints: ['src/main.ts'],
    outfile: 'waybill.cjs',
    external: [DRIVER],
    define: { WAYBILL_VERSION: JSON.stringify(version), ...(await builtIn) },
    plugins: [apart(wanted), later, oneFolder, ...plugins],
    ...more,
  });
  const others = await Promise.all(
    [...wanted].map(([file, ids]) => buildApart(file, [...ids].sort(), settings)),
  );
  const files = new Map(
    [core, ...others].flatMap(({ outputFiles }) =>
      outputFiles.map(({ path, text }) => [basename(path), path.endsWith('.cjs') ? lazier(text) : text]),
    ),
  );
  // What was compiled of these files in an earlier run is found by the name of the core.
  const hash = createHash('sha256');
  for (const [name, text] of files) if (name.endsWith('.cjs')) hash.update(text);
  const entry = `waybill-${hash.digest('hex').slice(0, 12)}.cjs`;
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(outdir, name.replace(/^waybill\.cjs/, entry)), text);
  const names = JSON.parse(JSON.parse((await builtIn).WAYBILL_COMMANDS)).map(({ name }) => name);
  const texts = { '--version': `${version}\n`, '--help': helpOf(resolve(outdir, entry)) };
  const started = { entry, names, texts };
  await bundleStart({ entryPoints: ['src/start/start.ts'], outfile: join(outdir, 'start.cjs') }, started);
  const inputs = { outputs: Object.assign({}, ...[core, ...others].map(({ metafile }) => metafile.outputs)) };
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES'), licencesOf(packagesIn(inputs)));
  return started;
}

/** The text of `waybill --help`, as the core prints it. */
const helpOf = core =>
  execFileSync(
    process.execPath,
    [
      '-e',
      `const { main, processHost } = require(${JSON.stringify(core)}); main(['--help'], processHost());`,
    ],
    { encoding: 'utf8', env: {} },
  );

/** Bundles what starts the command. `isExecutable`: its files are parts of the running file. */
export const bundleStart = (place, { entry, names, texts }, isExecutable = false) =>
  build({
    ...place,
    bundle: true,
    platform: 'node',
    target,
    external: ['libsql'],
    define: {
      WAYBILL_ENTRY: JSON.stringify(entry),
      WAYBILL_DRIVER: JSON.stringify(DRIVER),
      WAYBILL_IS_EXECUTABLE: String(isExecutable),
      WAYBILL_NAMES: JSON.stringify(names),
      WAYBILL_TEXTS: JSON.stringify(texts),
    },
    minifySyntax: true,
    logLevel: 'warning',
  });
