import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill, labelAt, UNKNOWN } from '../rig/journal.ts';
import { bodyOf, DUAL, errorOf, sent } from '../rig/service.ts';

/** The ids of both legs of a pair that was just booked. */
async function booked(rig: Rig): Promise<[international: string, domestic: string]> {
  const { stdout } = await rig.run('ship-dual -f - -q', { stdin: JSON.stringify(DUAL) });
  const [international = '', domestic = ''] = stdout.split('\n');
  return [international, domestic];
}

const ONCE = ['POST /v2/carriers/create'];

test('label makes the labels of both legs with one call and shows them', async () => {
  const rig = await createRig();
  const [international, domestic] = await booked(rig);
  const ran = await rig.run(`label --international ${international} --domestic ${domestic}`);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '', asked: [] });
  expect(sent(ran)).toEqual(ONCE);
  expect(bodyOf(ran)).toEqual({ international, domestic });
  expect(
    ran.stdout
      .trimEnd()
      .split('\n')
      .map(line => line.split(/ {2,}/)),
  ).toEqual([
    ['LEG', 'CARRIER', 'TRACKING NUMBER', 'LABEL'],
    ['international', expect.any(String), expect.any(String), expect.stringMatching(/^http:.*\.pdf$/)],
    ['domestic', 'DOM', expect.any(String), '-'],
  ]);
});

test.each(['--international S-9', '--domestic S-9', '-f label.json', '--set domestic=S-9'])(
  'label refuses a name beside %s: one of the two would get no label',
  async flags => {
    const rig = await createRig({ files: { 'label.json': { international: 'S-9' } } });
    const ran = await rig.run(`label S-1 ${flags} --json`);
    const flag = flags.replace('-f', '--file').split(' ')[0];
    expect(errorOf(ran)).toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`${flag} does not go with "S-1"`),
    });
    expect(ran.requests).toEqual([]);
  },
);

describe('A label that fails', () => {
  test.each([
    ['international', 'domestic'],
    ['domestic', 'international'],
  ])(
    'on the %s leg alone is exit 9: the other is shown and the command for it named',
    async (failed, made) => {
      const rig = await createRig({ faults: [{ kind: `label-${failed}`, probability: 1 }] });
      const [international, domestic] = await booked(rig);
      const ran = await rig.run(`label --international ${international} --domestic ${domestic} --json`);
      expect(JSON.parse(ran.stdout)[made].success).toBe(true);
      expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'label' });
      const id = failed === 'international' ? international : domestic;
      expect(errorOf(ran).message).toMatch(new RegExp(`waybill label --${failed} ${id}$`));
      expect(sent(ran)).toEqual(ONCE);
    },
  );

  test('for an unknown shipment is exit 5, and names it', async () => {
    const rig = await createRig();
    const ran = await rig.run('label --international NONE --json');
    expect(errorOf(ran)).toMatchObject({ code: 'rejected', exitCode: 5, httpStatus: 400 });
    expect(errorOf(ran).issues).toEqual([
      { path: 'international', message: 'there is no international shipment "NONE"' },
    ]);
    expect(sent(ran)).toEqual(ONCE);
  });
});

test('a shipment of the sandbox is labelled in the sandbox alone', async () => {
  const rig = await createRig();
  const { stdout } = await rig.run('ship-dual -f - -q --sandbox', { stdin: JSON.stringify(DUAL) });
  const [id] = stdout.split('\n');
  expect((await rig.run(`label --international ${id}`)).exitCode).toBe(5);
  const ran = await rig.run(`label --international ${id} --sandbox`);
  expect(ran).toMatchObject({
    exitCode: 0,
    stderr: 'sandbox: the sandbox answered; nothing real was booked or moved\n',
  });
  expect(sent(ran)).toEqual(['POST /sandbox/v2/carriers/create']);
});

describe('label --dry-run', () => {
  const dry = async (rig: Rig, names: string) => {
    const ran = await rig.run(`label ${names} --dry-run --json`);
    expect(ran.requests).toEqual([]);
    return [ran.exitCode, JSON.parse(ran.stdout)] as const;
  };

  test('says what the journal knows: new, booked, unknown', async () => {
    const rig = await createRig();
    await fill(rig, 'state', [bookingAt(rig, 1), labelAt(rig, 2, 1, UNKNOWN)]);
    const [code, first] = await dry(rig, '--international S-9');
    expect([code, first.journal]).toEqual([0, { state: 'new', booking: null }]);
    const [exitCode, { journal }] = await dry(rig, 'S-1');
    expect([exitCode, journal.state]).toEqual([8, 'unknown']);
  });

  test('of a label that was made is booked, and of a price that nobody accepted it is exit 11', async () => {
    const rig = await createRig();
    await fill(rig, 'state', [
      bookingAt(rig, 1),
      labelAt(rig, 2, 1),
      bookingAt(rig, 3, { maxPrice: '5 EUR', overPrice: true }),
    ]);
    const [code, { journal }] = await dry(rig, 'K-1');
    expect([code, journal]).toEqual([0, { state: 'booked', booking: bookingAt(rig, 2).id }]);
    const [exitCode, dear] = await dry(rig, 'K-3');
    expect([exitCode, dear.journal.state]).toEqual([11, 'new']);
    const [several, list] = await dry(rig, 'K-1 K-3');
    expect([several, list.map(({ journal: one }: { journal: { state: string } }) => one.state)]).toEqual([
      9,
      ['booked', 'new'],
    ]);
  });
});
