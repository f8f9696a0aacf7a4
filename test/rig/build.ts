// Builds the command once for a run, as it is shipped or with code put into it, such as probes and mutants.
//
// A marker is a comment in the source, alone on its line: `// step: claim committed`. Its name says what is true when a
// process comes to that line, and no other marker has it. The build puts code in the place of a marker. The code sees the
// names that are in scope there. The build fails if a marker is missing or there twice. As shipped, markers are comments.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuildOptions, build as esbuild, type Plugin } from 'esbuild';
import { inject } from 'vitest';

/** Code, and the name of the marker in whose place it is put. Code for the same marker runs in the order given. */
export interface Insertion {
  at: string;
  code: string;
}

/** The text of files, by path. */
type Source = ReadonlyMap<string, string>;

const MARKER = /^ *\/\/ step: (.+)$/gm;

interface BundleScript {
  bundle(outdir: string, more: BuildOptions): Promise<unknown>;
}

// It has no types, so it is imported by a name that the compiler does not follow.
const SCRIPT = '../../scripts/bundle.mjs';

// The functions that the code may call.
const PROBE = 'test/torture/probe.ts';

/** Builds the command (`bin`, `dist`, dependencies) with this code. Gives its path. */
export async function build(insertions: readonly Insertion[] = []): Promise<string> {
  const name = `command-${createHash('sha256').update(JSON.stringify(insertions)).digest('hex').slice(0, 12)}`;
  const folder = await onceForTheRun(name, async folder => {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    symlinkSync(resolve('skills'), join(folder, 'skills'));
    mkdirSync(join(folder, 'bin'));
    cpSync('bin/waybill.js', join(folder, 'bin/waybill.js'));
    const { bundle } = (await import(SCRIPT)) as BundleScript;
    const changed = withCode(readSource(), insertions);
    await bundle(join(folder, 'dist'), {
      plugins: [loading(changed)],
      // Tests read in the source maps which packages are in it.
      ...(insertions.length > 0 ? { inject: [PROBE] } : { sourcemap: 'external' }),
    });
    if (changed.size > 0) throw new Error(`not a part of the command: ${[...changed.keys()].join()}`);
  });
  return join(folder, 'bin/waybill.js');
}

/** Builds a file of the tests with that code in the source, as a module. Gives its path. */
export async function buildModule(entry: string, insertions: readonly Insertion[]): Promise<string> {
  const name = createHash('sha256')
    .update(JSON.stringify([entry, insertions]))
    .digest('hex')
    .slice(0, 12);
  const folder = await onceForTheRun(`module-${name}`, async folder => {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    symlinkSync(resolve('skills'), join(folder, 'skills'));
    await esbuild({
      entryPoints: [resolve(entry)],
      outfile: join(folder, 'module.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      plugins: [loading(withCode(readSource(), insertions))],
      logLevel: 'error',
    });
  });
  return join(folder, 'module.mjs');
}

/** Builds a script of the tests that runs as a process. `external`: packages that it loads from `node_modules`. */
export async function buildScript(source: string, external: string[] = []): Promise<string> {
  const folder = await onceForTheRun(source.replaceAll('/', '-'), async folder => {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    symlinkSync(resolve('skills'), join(folder, 'skills'));
    await esbuild({
      entryPoints: [resolve(source)],
      outfile: join(folder, 'script.cjs'),
      bundle: true,
      platform: 'node',
      external,
      logLevel: 'error',
    });
  });
  return join(folder, 'script.cjs');
}

/** The folder of compiled code of that command, which tests share as the runs of a user do. */
export const cacheOf = (command: string): string => join(dirname(command), '../cache');

/**
 * A folder that the first test that asks for it fills, in any worker. The others wait without a limit of their own: the
 * limit of their hook or test ends the wait.
 */
async function onceForTheRun(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('scratch'), name);
  const done = `${folder}.done`;
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    while (!existsSync(done)) await sleep(20);
    const failure = readFileSync(done, 'utf8');
    if (failure) throw new Error(failure);
    return folder;
  }
  let failure = '';
  try {
    await fill(folder);
  } catch (error) {
    failure = String(error);
    throw error;
  } finally {
    // With a rename, so that no worker reads an incomplete file.
    writeFileSync(`${done}.new`, failure);
    renameSync(`${done}.new`, done);
  }
  return folder;
}

export const readSource = (): Source =>
  new Map(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => [`src/${name}`.replaceAll('\\', '/'), readFileSync(join('src', name), 'utf8')]),
  );

export const markersIn = (source: Source): string[] =>
  [...source.values()].flatMap(text => [...text.matchAll(MARKER)].map(([, name = '']) => name));

/** The files that have code in them now. Throws if one of the markers is missing or there twice. */
export function withCode(source: Source, insertions: readonly Insertion[]): Map<string, string> {
  const markers = markersIn(source);
  for (const { at } of insertions) {
    const times = markers.filter(name => name === at).length;
    if (times !== 1) throw new Error(`the source has the marker "// step: ${at}" ${times} times, not once`);
  }
  const changed = new Map<string, string>();
  for (const [path, text] of source) {
    const contents = text.replace(MARKER, (marker, name) => {
      const codes = insertions.filter(({ at }) => at === name).map(({ code }) => code);
      return codes.length > 0 ? codes.join('\n') : marker;
    });
    if (contents !== text) changed.set(path, contents);
  }
  return changed;
}

/** Loads these files instead of those on the disk, and takes each that was loaded out of the map. */
const loading = (changed: Map<string, string>): Plugin => ({
  name: 'insertions',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const name = relative(process.cwd(), path).replaceAll('\\', '/');
      const contents = changed.get(name);
      changed.delete(name);
      return contents === undefined ? undefined : { contents, loader: 'ts' };
    });
  },
});
