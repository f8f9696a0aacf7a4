// The packages that are installed with the tool, or are in its bundle: each one is foreign code on a machine with a token.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagesInMaps } from '../rig/bundled.ts';
import { builtCommand } from '../rig/process.ts';

interface Locked {
  version: string;
  dev?: boolean;
  /** Needed for development, and an optional peer of another package. */
  devOptional?: boolean;
  hasInstallScript?: boolean;
  integrity?: string;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};
const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const command = builtCommand();

const installed = Object.entries(packages).flatMap(([path, { dev, devOptional }]) =>
  path !== '' && !dev && !devOptional ? path.replace('node_modules/', '') : [],
);
/** `name version` of each. */
const bundled = (): string[] => packagesInMaps(join(command(), '../../dist'));

test('the tool installs the driver of SQLite and nothing else, with one of nine native binaries', () => {
  const [binaries, others] = [true, false].map(native =>
    installed.filter(name => name.startsWith('@libsql/') === native),
  );
  expect(binaries?.length).toBe(9);
  expect(others).toEqual(['@neon-rs/load', 'detect-libc', 'libsql']);
});

test('no package has an install script, and each has the recorded checksum', () => {
  const known = bundled();
  const inBundle = Object.entries(packages).flatMap(([path, { version }]) =>
    known.includes(`${path.split('node_modules/').at(-1)} ${version}`) ? path : [],
  );
  expect(inBundle.length).toBeGreaterThan(30);
  for (const path of [...inBundle, ...installed.map(name => `node_modules/${name}`)]) {
    expect(packages[path], path).not.toHaveProperty('hasInstallScript');
    expect(packages[path]?.integrity, path).toMatch(/^sha512-/);
  }
});

test('each package is pinned to one version', () => {
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('npm lists all packages that are installed or in the bundle as a bill of materials', () => {
  const { components } = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    }),
  ) as { components: { name: string; version: string }[] };
  const listed = components.map(({ name, version }) => `${name} ${version}`);
  expect(listed).toEqual(expect.arrayContaining(bundled()));
  expect(listed.map(entry => entry.split(' ')[0])).toEqual(expect.arrayContaining(Object.keys(dependencies)));
});
