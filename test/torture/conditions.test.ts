// Some of the conditions of the source, drawn by the seed, are forced to be true, and to be false: tests notice most of them.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { notFull, SEED } from './size.ts';

/** Of so many changes one is tried: some hundred, in a quarter of an hour. `npm run conditions` tries all. */
const OF = 240;
/** The others are about words, or about what no test in this process can see. */
const NOTICED = 0.8;

test.skipIf(notFull)(titled('Of the conditions of the source most are noticed', notFull), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-conditions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const report = join(folder, 'report.json');
  const words = ['scripts/conditions.mjs', '--part', `${SEED % OF}/${OF}`, '--report', report];
  await promisify(execFile)(process.execPath, words, { maxBuffer: Number.POSITIVE_INFINITY });
  const { noticed, missed } = JSON.parse(readFileSync(report, 'utf8'));
  const share = Object.keys(noticed).length / (Object.keys(noticed).length + missed.length);
  expect(share, missed.join('\n')).toBeGreaterThan(NOTICED);
});
