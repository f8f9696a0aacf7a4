// Makes one file that runs without Node on this platform: a copy of the Node that runs this script, with the bundle and the
// native part of SQLite in it, by Node's own support for that (`--build-sea`, since Node 25.5; an older Node fetches a newer
// one). The folder `executable` then has it, and the licences that go with it.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { bundle, bundleReaderStart, bundleStart, fontFile, sqliteFiles } from './bundle.mjs';
import { section } from './licences.mjs';

const { arch, execPath, platform, version } = process;
const target = 'executable';

/** The Node in the executable, if the one that runs this cannot make one. */
const NODE = '26.9.0';

const [major, minor] = version.slice(1).split('.').map(Number);
if (major < 25 || (major === 25 && minor < 5)) {
  const newer = ['--yes', `--package=node@npm:node-${platform}-${arch}@${NODE}`, '--'];
  const { status } = spawnSync('npx', [...newer, 'node', import.meta.filename], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const work = mkdtempSync(join(tmpdir(), 'waybill-executable-'));
try {
  const chunks = join(work, 'chunks');
  const started = await bundle(chunks);
  await bundleMain(join(work, 'main.cjs'), started);
  await bundleReaderStart(chunks, started, true);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const output = resolve(target, 'waybill');
  const names = readdirSync(chunks).filter(name => /\.(cjs|json)$/.test(name) && name !== 'start.cjs');
  const assets = Object.fromEntries(names.map(name => [name, join(chunks, name)]));
  const config = {
    // Relative: a stack shows it.
    main: 'main.cjs',
    output,
    disableExperimentalSEAWarning: true,
    assets: { ...assets, 'sqlite.node': sqlite(), 'font.ttf': fontFile() },
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  execFileSync(execPath, ['--build-sea', 'config.json'], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // macOS runs only what is signed; this signature names nobody.
  if (platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', output]);
  writeFileSync(join(target, 'LICENSE'), readFileSync('LICENSE'));
  cpSync('skills', join(target, 'skills'), { recursive: true });
  const licences = readFileSync(join(chunks, 'THIRD-PARTY-LICENSES'), 'utf8');
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES'), `${licences}\n${licenceOfNode()}`);
  process.stdout.write(`${output}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The whole of the command that runs first: what starts it, and the start. */
function bundleMain(outfile, started) {
  const start = {
    name: 'start',
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/dist\/start\.cjs$/ }, () => ({ path: resolve('src/start/start.ts') })),
  };
  const stdin = { contents: "require('./bin/waybill.js')", resolveDir: '.' };
  return bundleStart({ stdin, outfile, plugins: [start] }, started, true);
}

/** The native part of SQLite for this platform. */
function sqlite() {
  const isMusl = platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  const library = platform === 'linux' ? (isMusl ? '-musl' : '-glibc') : '';
  return sqliteFiles()[`sqlite-${platform}-${arch}${library}.node`];
}

/** Of the Node in the executable, and of everything in it. It lies above its `bin` in every download of Node. */
function licenceOfNode() {
  const path = join(dirname(execPath), '../LICENSE');
  if (!existsSync(path))
    throw new Error(`${path} is missing: the executable may not be given away without the licence of Node`);
  return section(`Node ${version}`, [readFileSync(path, 'utf8')]);
}
