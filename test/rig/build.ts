// Builds the command once for a run, as it is shipped or with edits of its source, such as probes and mutants.
// The build fails if the text of an edit is not found.
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

/** A text of the source and what replaces it. */
export interface Edit {
  /** A file, or the folder that the file is in. */
  within: string;
  /** Occurs exactly once. */
  find: string;
  replace: string;
}

/** Adds code before a text, or after it. */
export const before = (within: string, find: string, code: string): Edit => ({
  within,
  find,
  replace: `${code} ${find}`,
});
export const after = (within: string, find: string, code: string): Edit => ({
  within,
  find,
  replace: `${find} ${code}`,
});

interface BundleScript {
  bundle(outdir: string, more: BuildOptions): Promise<unknown>;
}

// It has no types, so it is imported by a name that the compiler does not follow.
const SCRIPT = '../../scripts/bundle.mjs';

// The functions that edits may call.
const PROBE = 'test/torture/probe.ts';

/** Builds the command (`bin`, `dist`, dependencies) with the edits made one after the other. Gives its path. */
export async function build(edits: readonly Edit[] = []): Promise<string> {
  const name = `command-${createHash('sha256').update(JSON.stringify(edits)).digest('hex').slice(0, 12)}`;
  const folder = await onceForTheRun(name, async folder => {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'bin'));
    cpSync('bin/waybill.js', join(folder, 'bin/waybill.js'));
    const { bundle } = (await import(SCRIPT)) as BundleScript;
    const sources = edited(edits);
    await bundle(join(folder, 'dist'), {
      plugins: [editing(sources)],
      // No test reads the source map of an edited source, and making it takes longer than the rest.
      ...(edits.length > 0 && { inject: [PROBE], sourcemap: false }),
    });
    if (sources.size > 0) throw new Error(`not a part of the command: ${[...sources.keys()].join()}`);
  });
  return join(folder, 'bin/waybill.js');
}

/** Builds a script of the tests that runs as a process. `external`: packages that it loads from `node_modules`. */
export async function buildScript(source: string, external: string[] = []): Promise<string> {
  const folder = await onceForTheRun(source.replaceAll('/', '-'), async folder => {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
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

/** The files of the source that the edits change, by path. It is an error if a place is not found exactly once. */
export function edited(edits: readonly Edit[]): Map<string, string> {
  const texts = new Map(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => [`src/${name}`.replaceAll('\\', '/'), readFileSync(join('src', name), 'utf8')]),
  );
  const changed = new Set<string>();
  for (const { within, find, replace } of edits) {
    let times = 0;
    for (const [name, text] of texts) {
      const parts = name.startsWith(within) ? text.split(find) : [];
      if (parts.length < 2) continue;
      times += parts.length - 1;
      texts.set(name, parts.join(replace));
      changed.add(name);
    }
    if (times !== 1) throw new Error(`found ${times} times in ${within}, not once: ${find}`);
  }
  return new Map([...texts].filter(([name]) => changed.has(name)));
}

/** Loads these files instead of those of the source, and takes each that was loaded out of the map. */
const editing = (sources: Map<string, string>): Plugin => ({
  name: 'edits',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const name = relative(process.cwd(), path).replaceAll('\\', '/');
      const contents = sources.get(name);
      sources.delete(name);
      return contents === undefined ? undefined : { contents, loader: 'ts' };
    });
  },
});
