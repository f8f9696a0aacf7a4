// The shipped bundle with its source changed on the way: probes that end the process at a step, and mutants. Nothing
// of it is in production code, and a change whose place is gone fails the build.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/** A text of the source and what stands in its place. */
export interface Edit {
  /** A file, or the folder that the file is in. */
  within: string;
  /** Is there exactly once. */
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

export interface Built {
  /** To be run with Node. */
  command: string;
  remove(): void;
}

export interface BuildWith {
  /** Files whose exports stand for free names in the changed source. */
  inject?: string[];
}

interface BundleScript {
  bundle(outdir: string, more: BuildOptions): Promise<unknown>;
}

// Of no type of its own, so that it is imported by a name that the compiler does not follow.
const SCRIPT = '../../scripts/bundle.mjs';

/**
 * Builds the command as it is shipped (`bin`, `dist`, dependencies) into a folder of its own, with the edits made one
 * after the other.
 */
export async function build(edits: readonly Edit[] = [], { inject = [] }: BuildWith = {}): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-torture-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'bin'));
  cpSync('bin/waybill.js', join(folder, 'bin/waybill.js'));
  try {
    const { bundle } = (await import(SCRIPT)) as BundleScript;
    const found = new Map(edits.map(edit => [edit, 0]));
    await bundle(join(folder, 'dist'), {
      plugins: [editing(found)],
      // Nobody reads it, and it takes longer than the rest.
      sourcemap: false,
      ...(inject.length > 0 && { inject }),
    });
    for (const [{ within, find }, times] of found)
      if (times !== 1) throw new Error(`found ${times} times in ${within}, not once: ${find}`);
  } catch (error) {
    remove();
    throw error;
  }
  return { command: join(folder, 'bin/waybill.js'), remove };
}

/** Builds, and removes what was built when that is over which it was built for. */
export async function withBuilt<T>(
  act: (command: string) => Promise<T>,
  edits?: readonly Edit[],
  more?: BuildWith,
): Promise<T> {
  const { command, remove } = await build(edits, more);
  try {
    return await act(command);
  } finally {
    remove();
  }
}

/** Makes the edits in whatever is loaded, and counts how often each of them found its place. */
const editing = (found: Map<Edit, number>): Plugin => ({
  name: 'edits',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const name = relative(process.cwd(), path).replaceAll('\\', '/');
      let contents = readFileSync(path, 'utf8');
      for (const edit of found.keys()) {
        if (!name.startsWith(edit.within)) continue;
        const parts = contents.split(edit.find);
        found.set(edit, (found.get(edit) ?? 0) + parts.length - 1);
        contents = parts.join(edit.replace);
      }
      return { contents, loader: 'ts' };
    });
  },
});
