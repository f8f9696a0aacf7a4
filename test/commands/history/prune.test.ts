import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { SHIPMENT } from '../../rig/service.ts';

const PRUNE = 'history prune --older-than';

test('A prune on a terminal says before which moment it deletes, and deletes nothing without a yes', async () => {
  const rig = await createRig();
  await rig.run('ship -f - --key K-1 -q', { stdin: JSON.stringify(SHIPMENT) });
  const asked: string[] = [];
  const answers = (answer: 'yes' | 'no') => ({
    terminal: true,
    answers({ message }: { message: string }) {
      asked.push(message);
      return answer;
    },
  });
  const refused = await rig.run(`${PRUNE} 2030-01-01`, answers('no'));
  expect([refused.exitCode, refused.stdout]).toEqual([130, '']);
  expect(refused.stderr.replace(/\s+/g, ' ')).toContain('nothing was deleted');
  const request = async () => JSON.parse((await rig.run('history show K-1 --json')).stdout).request;
  expect(await request()).toMatchObject({ type: SHIPMENT.type });
  expect((await rig.run(`${PRUNE} 2030-01-01`, answers('yes'))).exitCode).toBe(0);
  expect(await request()).toBeNull();
  expect(asked).toEqual([0, 1].map(() => expect.stringMatching(/ before \d+ \w{3} (?:\d{4} )?[\d:]+\? /)));
});

test('A prune of a script, or with --yes, asks nothing, and a length without a unit is in seconds', async () => {
  const rig = await createRig();
  await rig.run('ship -f - --key K-1 -q', { stdin: JSON.stringify(SHIPMENT) });
  expect(await rig.run(`${PRUNE} 90 -q`)).toMatchObject({ exitCode: 0, stdout: '0\n' });
  expect(await rig.run(`${PRUNE} 2030-01-01 -q --yes`, { terminal: true })).toMatchObject({
    exitCode: 0,
    stdout: '1\n',
  });
  // The key is kept.
  const again = await rig.run('ship -f - --key K-1 -q', { stdin: JSON.stringify(SHIPMENT) });
  expect(again).toMatchObject({ exitCode: 0, requests: [] });
});
