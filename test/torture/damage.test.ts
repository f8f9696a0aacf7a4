// Commands on a damaged journal end with a sentence and an exit code, and do not send again what is booked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FAILURES } from '../../src/exit-codes.ts';
import { build, buildScript } from '../rig/build.ts';
import { start } from '../rig/process.ts';
import { SHIPMENT } from '../rig/service.ts';
import { DAMAGED, SEED } from './size.ts';

interface Line {
  number: number;
  kind: string;
  /** Does the damage touch a page with the text of the key? */
  touched: boolean;
  ends: { argv: string; exitCode: number; stderr: string; sent: number; shown: number }[];
}

// Damage to the key in all of its indexes: nothing can tell it from a key that was never booked.
const MANY = '64 bits';

const CODES = [0, ...Object.values(FAILURES).map(({ exit }) => exit)].filter(
  code => code !== FAILURES.internal.exit,
);

test(`${DAMAGED} damaged journals: each command ends as documented, and no key is sent again, seed ${SEED}`, async () => {
  const command = await build();
  const script = await buildScript('test/torture/damage-runner.ts', ['@photostructure/sqlite']);
  const folder = mkdtempSync(join(tmpdir(), 'waybill-damage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const words = [join(dirname(command), '../dist'), folder, JSON.stringify(SHIPMENT), SEED, 0, DAMAGED];
  const env = { PATH: process.env.PATH ?? '' };
  const { code, signal, stdout, stderr } = await start(process.execPath, [script, ...words.map(String)], {
    env,
  }).ended;
  const lines = stdout.split('\n').filter(Boolean);
  // The last line names the copy that ended the process, if one did.
  expect({ code, signal, stderr, last: lines.at(-1)?.slice(0, 200) }).toMatchObject({
    code: 0,
    signal: null,
    stderr: '',
  });
  const copies: Line[] = lines.map(line => JSON.parse(line)).filter(({ ends }) => ends);
  expect(copies).toHaveLength(DAMAGED);
  const wrong = copies.flatMap(({ number, kind, touched, ends }) =>
    ends
      .filter(({ exitCode, stderr, sent, shown }) => {
        const said =
          exitCode === 0 ? shown > 0 : JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.message;
        return !CODES.includes(exitCode) || !said || (sent > 0 && !(touched && kind === MANY));
      })
      .map(end => ({ number, kind, ...end })),
  );
  expect(wrong).toEqual([]);
  // Otherwise the damage was none.
  expect(
    copies.filter(({ ends }) => ends.some(({ exitCode }) => exitCode === FAILURES.storage.exit)).length,
  ).toBeGreaterThan(0);
});
