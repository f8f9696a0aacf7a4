// Starts the command with the code that V8 compiled in an earlier run, because compiling is a third of the time of a short
// command: a quote takes 4.6 times as long as `node -e 0` without that code, and 3.1 with it. A failure of the cache only costs time.
import { fstatSync, statSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../host/folder.ts';
import {
  type CodeCache,
  createLoader,
  type Loader,
  NO_CODE,
  partsOfExecutable,
  partsOfPackage,
  readCode,
  writeCode,
} from './loader.ts';

declare const WAYBILL_ENTRY: string;
declare const WAYBILL_IS_EXECUTABLE: boolean;
/** The names of the commands of the first level. */
declare const WAYBILL_NAMES: readonly string[];
/** The exact texts that some options print, by option. */
declare const WAYBILL_TEXTS: Readonly<Record<string, string>>;

const { arch, env, execArgv, getuid, platform, version } = process;
const words = process.argv.slice(2);
// V8 accepts only code from the same V8 with the same flags, and the code contains the paths of its sources.
const STAMP = [WAYBILL_ENTRY, __dirname, version, arch, env.NODE_OPTIONS, ...execArgv].join(' ');

/** The commands that send nothing to the service. */
const READING = ['help', 'history', 'schema', 'completion', '__complete'];
const isHelp = ['help', '--help', '-h', '--version'].some(word => words.includes(word));
/** Each command has its own file of compiled code, because it needs few functions of the other commands. */
const command = isHelp
  ? 'help'
  : (words.find(word => WAYBILL_NAMES.includes(word) || word === '__complete') ?? 'help');

/**
 * At the first answer V8 would optimise the HTTP parser of undici: that takes 25 MiB, and at its end a short command waits 60 ms for it.
 * With these flags a quote takes half of the CPU time. V8 does not accept code that was compiled with other flags.
 */
const PARSER_AS_IT_IS = '--no-wasm-dynamic-tiering --no-wasm-tier-up';
const flags = READING.includes(command) ? '' : PARSER_AS_IT_IS;

const home = homeFolder();
const folder = cacheFolder();
const path = folder && join(folder, command);
// NODE_DISABLE_COMPILE_CACHE turns off Node's own cache of compiled code, and this cache, too.
const isKept = path !== undefined && !env.NODE_DISABLE_COMPILE_CACHE;
let started: { loader: Loader; code: CodeCache } | undefined;

/** The exports of `main.ts`. */
export function start(): unknown {
  if (isAnswered()) return { main: async () => 0, processHost() {}, closeInputs() {} };
  if (flags) require('node:v8').setFlagsFromString(flags);
  const code = isKept ? readCode(path, STAMP) : NO_CODE;
  const parts = WAYBILL_IS_EXECUTABLE ? partsOfExecutable() : partsOfPackage(__dirname);
  started = { loader: createLoader(WAYBILL_ENTRY, __dirname, parts, code), code };
  return started.loader.load('waybill.cjs');
}

/**
 * Prints the text of `--version` or `--help` without loading the rest of the command. If the text cannot be written, or depends on
 * the width of a terminal, the command prints it.
 */
function isAnswered(): boolean {
  const text = words.length === 1 ? WAYBILL_TEXTS[words[0] ?? ''] : undefined;
  try {
    return text !== undefined && !fstatSync(1).isCharacterDevice() && writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}

/** Stores the code that this run compiled. */
export function keep(): void {
  try {
    const fresh = isKept ? started?.loader.made() : undefined;
    if (started === undefined || fresh === undefined || path === undefined) return;
    // In the home of another user, root would leave files that the user cannot replace.
    if (getuid && home !== undefined && statSync(home).uid !== getuid()) return;
    const { code } = started;
    const old = code.names.flatMap(name => {
      const known = code.of(name);
      return known ? [[name, known] as const] : [];
    });
    writeCode(path, STAMP, new Map([...old, ...fresh]));
  } catch {
    // The disk is full or read-only: the next run compiles again.
  }
}

function cacheFolder(): string | undefined {
  const { LOCALAPPDATA: local, XDG_CACHE_HOME: xdg } = env;
  if (platform === 'win32' && local && isAbsolute(local)) return join(local, 'waybill', 'Cache');
  if (platform !== 'win32' && platform !== 'darwin' && xdg && isAbsolute(xdg)) return join(xdg, 'waybill');
  if (home === undefined) return undefined;
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'waybill');
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'waybill', 'Cache');
  return join(home, '.cache', 'waybill');
}
