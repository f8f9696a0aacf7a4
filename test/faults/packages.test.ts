// What is installed with the tool: each package is somebody else's code on a machine that holds a token.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  version: string;
  dev?: boolean;
  /** Needed for development, and an optional peer of something else. */
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

test('no more packages are installed with the tool than these, one native binary of nine among them', () => {
  expect(runtime.length).toBe(88);
  expect(runtime.filter(([path]) => path.includes('/@libsql/')).length).toBe(9);
});

test('none of them runs anything when it is installed, and each is what it was when it was chosen', () => {
  expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  expect(runtime.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
});

test('each is pinned to one version', () => {
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('npm can list them all as a bill of materials', () => {
  const listed = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const names = listed.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
});
