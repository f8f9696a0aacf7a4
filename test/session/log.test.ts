// `--log`: what a command tells for machines.
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LogLine } from '../../src/output/schemas.ts';
import { orders, shop } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { titled } from '../rig/needs.ts';
import { valuesIn } from '../rig/outputs.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --log log.jsonl';

const logOf = (rig: Pick<Rig, 'folder'>, name = 'log.jsonl'): LogLine[] =>
  valuesIn(readFileSync(join(rig.folder, name), 'utf8')) as LogLine[];

describe('the log', () => {
  test('is no file of the journal or the config, also by a link to it: exit 2, and no byte of it changes', async () => {
    const rig = await createRig();
    const refused = async (name: string) => {
      const ran = await rig.run(['ship', '-f', '-', '--json', '--log', name], { stdin });
      expect([name, ran.exitCode, ran.requests, ran.stdout]).toEqual([name, 2, [], '']);
      expect(errorOf(ran).message).toContain(`--log cannot be "${name}"`);
    };
    mkdirSync(join(rig.folder, 'state'));
    symlinkSync('state/journal.db', join(rig.folder, 'to-come.log'));
    symlinkSync('state', join(rig.folder, 'elsewhere'));
    for (const name of ['state/journal.db', 'to-come.log', 'elsewhere/journal.db-wal']) await refused(name);
    expect(readdirSync(join(rig.folder, 'state'))).toEqual([]);
    await rig.run('ship -f - --key K', { stdin });
    await rig.run('profile add live --base-url https://a.example --token-stdin', { stdin: 'T' });
    linkSync(join(rig.folder, 'state/journal.db-count'), join(rig.folder, 'hard.log'));
    const kept = ['state', 'config'].flatMap(folder =>
      readdirSync(join(rig.folder, folder)).map(name => `${folder}/${name}`),
    );
    const contents = () => kept.map(name => readFileSync(join(rig.folder, name)).toString('base64'));
    const before = contents();
    for (const name of [...kept, 'state/journal.db-wal', 'state/journal.db-shm', 'to-come.log'])
      await refused(name);
    // It has another name, but its content is that of no log.
    expect((await rig.run('ship -f - --log hard.log', { stdin })).exitCode).toBe(10);
    expect(contents()).toEqual(before);
    expect((await rig.run('ship -f - --key K --log state/waybill.log', { stdin })).exitCode).toBe(0);
  });

  const noFull = !existsSync('/dev/full') && 'there is no /dev/full';
  test.skipIf(noFull)(
    titled(
      'that cannot be written any more is one warning of a batch, and no line of it goes elsewhere',
      noFull,
    ),
    async () => {
      const rig = await shop(orders(5));
      const ran = await rig.run('batch ship orders.jsonl --log /dev/full --carrier EXP');
      expect(ran.exitCode).toBe(0);
      expect(ran.stderr.match(/the log .dev.full cannot be written: .*no space/g)).toHaveLength(1);
      // What could not be written does not go into the next file, to which the system gives the same number.
      const next = join(rig.folder, 'next');
      const file = openSync(next, 'w');
      await setImmediate();
      closeSync(file);
      expect(readFileSync(next, 'utf8')).toBe('');
    },
  );
});

describe('requestIdHeader of a profile', () => {
  const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

  test('is written before a booking is sent, and may be named by the environment', async () => {
    const env = { WAYBILL_REQUEST_ID_HEADER: 'X-Request-Id' };
    const rig = await createRig({ env });
    let before: LogLine[] = [];
    const { requests } = await rig.run(`${SHIP} --key K`, {
      stdin,
      onRequest: () => {
        before = logOf(rig);
      },
    });
    const requestId = requests[0]?.headers['x-request-id'];
    expect(requestId).toMatch(UUID);
    const { booking } = before[0] ?? {};
    expect(before).toMatchObject([
      { event: 'claim' },
      { event: 'sending', requestId, booking, key: 'K', attempt: 1 },
    ]);
    const wrong = await rig.run(`${SHIP} --json`, {
      stdin,
      env: { WAYBILL_REQUEST_ID_HEADER: 'Authorization' },
    });
    expect([errorOf(wrong).exitCode, wrong.requests]).toEqual([2, []]);
  });
});
