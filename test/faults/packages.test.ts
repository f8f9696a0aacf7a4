// The packages that are installed with the tool: each one is foreign code on a machine with a token.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

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
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};
const runtime = Object.entries(packages).filter(
  ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
);

test('the tool installs only these packages, with one of nine native binaries', () => {
  expect(runtime.length).toBe(88);
  expect(runtime.filter(([path]) => path.includes('/@libsql/')).length).toBe(9);
});

test('no package has an install script, and each has the recorded checksum', () => {
  expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  expect(runtime.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
});

test('each package is pinned to one version', () => {
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('npm can list all packages as a bill of materials', () => {
  const listed = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const names = listed.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
});
