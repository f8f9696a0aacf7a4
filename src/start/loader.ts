import { join } from 'node:path';
import { Script } from 'node:vm';
import type { CodeCache } from './code.ts';
import type { Parts } from './parts.ts';

declare const WAYBILL_DRIVER: string;

export interface Loader {
  /** The exports of a chunk. */
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

/**
 * Loads the chunks, which are CommonJS modules, like `require`, and compiles only those that are not in the cache. `folder`:
 * where they are, for a stack.
 */
export function createLoader(folder: string, parts: Parts, code: CodeCache): Loader {
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
    const script = new Script(BEFORE + parts.chunk(name) + AFTER, {
      filename,
      columnOffset: -BEFORE.length,
      ...(cachedData && { cachedData }),
    });
    isNew ||= script.cachedDataRejected !== false;
    scripts.set(name, script);
    const body: Body = script.runInThisContext();
    try {
      body.call(module.exports, module.exports, required, module, filename, folder);
    } catch (error) {
      // As with `require`, the next attempt runs it again: the driver may be found then.
      modules.delete(name);
      throw error;
    }
    return module.exports;
  }
  function required(id: string): unknown {
    if (id.startsWith('./')) return load(id.slice(2));
    return id === WAYBILL_DRIVER ? parts.driver() : require(id);
  }

  return {
    load,
    made: () =>
      isNew ? new Map([...scripts].map(([name, script]) => [name, script.createCachedData()])) : undefined,
  };
}
