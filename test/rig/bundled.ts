// The packages whose code is in a bundle, as its source maps say: they know nothing of what the build counted.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `name version` of each package, sorted. */
export function packagesInMaps(folder: string): string[] {
  const sources = readdirSync(folder)
    .filter(name => name.endsWith('.map'))
    .flatMap(name => JSON.parse(readFileSync(join(folder, name), 'utf8')).sources as string[]);
  const places = sources.flatMap(source => /.*(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  // A package may have files of another in its own, which its maps name and which was never published.
  return [...new Set(places)]
    .filter(place => existsSync(join(place, 'package.json')))
    .map(nameAndVersion)
    .sort();
}

function nameAndVersion(place: string): string {
  const { name, version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}
