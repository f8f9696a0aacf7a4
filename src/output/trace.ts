import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

// `at name (/path/chunk.cjs:1:2)` or `at /path/chunk.cjs:1:2`
const PLACE = /(?<=\(|at )([^()\n]+\.cjs):(\d+):(\d+)/g;

/**
 * A stack with the places in the source, if the bundle has maps. Node can do this by itself, but then reads every map at
 * every start.
 */
export function sourceTrace(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replace(PLACE, (place, path: string, line: string, column: string) => {
    if (!maps.has(path)) maps.set(path, mapOf(path));
    const found = maps.get(path)?.findEntry(Number(line) - 1, Number(column) - 1);
    return found && 'originalSource' in found
      ? `${found.originalSource.replace(/^(\.\.\/)+/, '')}:${found.originalLine + 1}:${found.originalColumn + 1}`
      : place;
  });
}

function mapOf(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
