import { OPERATIONS, type Operation } from '../contract/operations.ts';
import type { World } from './wire.ts';

export interface Route {
  operation: Operation;
  /** The values of the path's placeholders. */
  parameters: Readonly<Record<string, string>>;
}

const SANDBOX = '/sandbox';

const PATTERNS = Object.values(OPERATIONS).map(operation => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** The world that a request is for, and the path there without its query. */
export function locate(path: string): { world: World; path: string } {
  const bare = path.replace(/[?#].*$/s, '');
  return bare.startsWith(`${SANDBOX}/`)
    ? { world: 'sandbox', path: bare.slice(SANDBOX.length) }
    : { world: 'production', path: bare };
}

/** The address of a world: {base_url} and {sandbox_base_url} of the document. */
export const baseOf = (origin: string, world: World): string =>
  world === 'sandbox' ? `${origin}${SANDBOX}` : origin;

/** The operation at a method and path of §4, if the world has it. */
export function findRoute(method: string, path: string, world: World): Route | undefined {
  for (const { operation, pattern } of PATTERNS) {
    if (operation.method !== method || (world === 'sandbox' && !operation.sandbox)) continue;
    const match = pattern.exec(path);
    const parameters = match && decoded(match.groups ?? {});
    if (parameters) return { operation, parameters };
  }
  return undefined;
}

function decoded(groups: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    return undefined;
  }
}
