import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.mts';

// What `npm test` runs in part runs here in full: the crash and mutant tests, and each file that asks for its size.
const hasSizes = (name: string) => /torture\/size\.ts'/.test(readFileSync(join('test', name), 'utf8'));

// Another seed each time; a failure can be run again with it.
const seed = process.env.TORTURE_SEED || String(Date.now() % 1_000_000);
process.stdout.write(`TORTURE_SEED=${seed}\n`);

const all = mergeConfig(usual, defineConfig({ test: { env: { TORTURE: 'full', TORTURE_SEED: seed } } }));
all.test.include = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts') && (name.startsWith('torture') || hasSizes(name)))
  .map(name => `test/${name}`);

export default all;
