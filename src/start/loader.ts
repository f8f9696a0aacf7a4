import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type { CodeCache } from './code.ts';

export interface Loader {
  /** The exports of a module of the folder. */
  load(name: string): unknown;
  /** The code of every loaded module; `undefined` if all of it was in the cache. */
  made(): Map<string, Buffer> | undefined;
}

const BEFORE = '(function (exports, require, module, __filename, __dirname) {';
const AFTER = '\n})';

type Module = { exports: unknown };
type Body = (
  exports: unknown,
  require: (id: string) => unknown,
  module: Module,
  path: string,
  folder: string,
) => void;

/** Loads CommonJS modules of one folder like `require`, and compiles only those that are not in the cache. */
export function createLoader(folder: string, code: CodeCache): Loader {
  const modules = new Map<string, Module>();
  const scripts = new Map<string, Script>();
  let isNew = false;

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const filename = join(folder, name);
    const cachedData = code.of(name);
    // The bundle is ASCII, which V8 keeps in half the memory.
    const script = new Script(BEFORE + readFileSync(filename, 'latin1') + AFTER, {
      filename,
      columnOffset: -BEFORE.length,
      ...(cachedData && { cachedData }),
    });
    isNew ||= script.cachedDataRejected !== false;
    scripts.set(name, script);
    const body: Body = script.runInThisContext();
    body.call(module.exports, module.exports, required, module, filename, folder);
    return module.exports;
  }
  const required = Object.assign((id: string) => (id.startsWith('./') ? load(id.slice(2)) : require(id)), {
    resolve: require.resolve,
  });

  return {
    load,
    made: () =>
      isNew ? new Map([...scripts].map(([name, script]) => [name, script.createCachedData()])) : undefined,
  };
}
