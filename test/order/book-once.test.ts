// A key is booked once, whoever asks, and so is the same order without one; a shipment is labelled once.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const KEYED = 'ship -f - --key ORDER-1 --json';
const posts = (requests: readonly { method: string }[]) =>
  requests.filter(({ method }) => method === 'POST').length;

describeBoth('--key', journal => {
  test('with other input is a duplicate, exit 2, for ship-dual too: they share their keys', async () => {
    const rig = await createRig({ journal });
    await rig.run(KEYED, { stdin });
    const dual = '--international EXP --domestic DOM --set carrier= --allow-unknown';
    for (const argv of [`${KEYED} --category gift`, `ship-dual -f - --key ORDER-1 --json ${dual}`]) {
      const ran = await rig.run(argv, { stdin });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
      expect(errorOf(ran)).toMatchObject({ code: 'duplicate', booking: expect.stringMatching(/^bk_/) });
    }
  });

  test('two at the same time: one sends, the other waits and prints the same answer', async () => {
    const rig = await createRig({ journal });
    const [one, other] = await Promise.all([rig.run(KEYED, { stdin }), rig.run(KEYED, { stdin })]);
    expect([one.exitCode, other.exitCode]).toEqual([0, 0]);
    expect(JSON.parse(one.stdout)).toEqual(JSON.parse(other.stdout));
    expect(new Set([...one.requests, ...other.requests].filter(({ method }) => method === 'POST')).size).toBe(
      1,
    );
  });
});

describeBoth('Without a key the same input', journal => {
  test('of the last day is a duplicate if prompts are off; --yes does not allow it', async () => {
    const rig = await createRig({ journal });
    await rig.run('ship -f -', { stdin });
    await rig.later(23 * 60 * 60 * 1000);
    const ran = await rig.run('ship -f - --yes --json', { stdin });
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(errorOf(ran)).toMatchObject({ code: 'duplicate' });
    expect(posts((await rig.run('ship -f - --allow-duplicate', { stdin })).requests)).toBe(1);
    await rig.later(25 * 60 * 60 * 1000);
    expect(posts((await rig.run('ship -f -', { stdin })).requests)).toBe(1);
  });

  test('that is still unknown is a duplicate however old', async () => {
    const rig = await createRig({ journal, faults: [{ kind: 500, probability: 1 }] });
    expect((await rig.run('ship -f -', { stdin })).exitCode).toBe(8);
    await rig.later(1000 * 24 * 60 * 60 * 1000);
    expect(await rig.run('ship -f -', { stdin })).toMatchObject({ exitCode: 2, requests: [] });
  });
});

describeBoth('A shipment is labelled once', journal => {
  test('its label is shown again, and only a missing one is asked for', async () => {
    const rig = await createRig({ journal });
    const dual = JSON.stringify({ ...SHIPMENT, carrier: undefined, chargeableWeight: undefined });
    const argv = 'ship-dual -f - --international EXP --domestic DOM --key PAIR';
    const [international, domestic] = (await rig.run(`${argv} -q`, { stdin: dual })).stdout
      .trim()
      .split('\n');
    const one = await rig.run(`label --international ${international} --json`);
    expect(one.requests.map(({ body }) => JSON.parse(body))).toEqual([{ international }]);
    const both = await rig.run('label --key PAIR --json');
    expect(both.requests.map(({ body }) => JSON.parse(body))).toEqual([{ domestic }]);
    expect(JSON.parse(both.stdout).international).toEqual(JSON.parse(one.stdout).international);
    expect((await rig.run('label --key PAIR --json')).requests).toEqual([]);
    const tracked = await rig.run('track --key PAIR -q');
    expect(tracked.requests.map(({ path }) => path)).toEqual([
      `/v1/shipments/${international}`,
      `/v1/shipments/domestic/${domestic}`,
    ]);
  });
});
