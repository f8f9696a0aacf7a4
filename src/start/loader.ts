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

const BEFORE = '(function (exports, require, module) {';
const AFTER = '\n})';

type Module = { exports: unknown };
type Body = (exports: unknown, require: (id: string) => unknown, module: Module) => void;

/**
 * Loads the chunks, which are CommonJS modules, like `require`, and compiles only files that are not in the cache. `core`: the
 * file of which most chunks are functions. `folder`: where the files are, for a stack.
 */
export function createLoader(core: string, folder: string, parts: Parts, code: CodeCache): Loader {
  const modules = new Map<string, Module>();
  const scripts = new Map<string, Script>();
  let isNew = false;

  /** The value of the text of a file. */
  function run<T>(name: string, before = '', after = ''): T {
    const cachedData = code.of(name);
    const script = new Script(before + parts.chunk(name) + after, {
      filename: join(folder, name),
      columnOffset: -before.length,
      ...(cachedData && { cachedData }),
    });
    isNew ||= script.cachedDataRejected !== false;
    scripts.set(name, script);
    return script.runInThisContext();
  }

  const chunks = run<Record<string, Body>>(core);

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const body = chunks[name] ?? run<Body>(name, BEFORE, AFTER);
    try {
      body.call(module.exports, module.exports, required, module);
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
