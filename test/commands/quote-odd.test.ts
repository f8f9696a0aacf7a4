// Proposals that are not as the service document says: what a decision needs is read strictly, all else may be anything.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { cannedService, errorOf, PROPOSALS, proposing } from '../rig/service.ts';

const QUOTE = 'quote --from TR --to DE --package 1@1x1x1';
const RATES = 'rates --from TR --to DE --package 1@1x1x1';

async function quoted(flags: string, ...proposals: Record<string, unknown>[]) {
  const rig = await createRig();
  const { env } = await proposing(...proposals);
  return rig.run(`${QUOTE} ${flags}`, { env });
}

describe('A proposal can be booked only if isValid is true:', () => {
  const good = { id: 'GOOD', price: 9 };

  test.each([[undefined], [null], [0], [1], ['true'], ['false'], [{}], [false]])(
    'not if it is %j',
    async isValid => {
      expect((await quoted('--cheapest -q', { id: 'BAD', price: 1, isValid }, good)).stdout).toBe('GOOD\n');
      expect((await quoted('-q', { id: 'BAD', price: 1, isValid }, good)).stdout).toBe('GOOD\n');
      const none = await quoted('--fastest --json', { id: 'BAD', price: 1, isValid });
      expect(errorOf(none)).toMatchObject({ code: 'not_found', exitCode: 4 });
      if (isValid !== false)
        expect(errorOf(none).message).toContain(
          `not valid: isValid is ${isValid === undefined ? 'missing' : JSON.stringify(isValid)}`,
        );
    },
  );

  test('not without an id that can be read', async () => {
    const bad = [{ id: null }, { id: ' ' }, { id: {} }, { id: 1.5 }].map(one => ({ ...one, price: 1 }));
    expect((await quoted('--cheapest -q', ...bad, { ...good, id: 17 })).stdout).toBe('17\n');
    const { exitCode, stderr } = await quoted('--cheapest', ...bad);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('not valid: its id is null');
  });
});

test.each([0, '0.00', -1])(
  'A price of 0 (%j) is chosen only if no other proposal has a price, with a warning',
  async price => {
    const free = { id: 'FREE', price };
    for (const flag of ['--cheapest', '--fastest']) {
      const { stdout, stderr } = await quoted(`${flag} -q --strict`, free, { id: 'B', price: 2 });
      expect([stdout, stderr]).toEqual(['B\n', '']);
    }
    const { stdout, stderr, exitCode } = await quoted('--cheapest', free, { id: 'N', price: null });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^FREE /m)]);
    expect(stderr).toMatch(/^warning: the price of FREE \(.*\) is probably missing/);
    expect((await quoted('--cheapest --strict', free, { id: 'N', price: null })).exitCode).toBe(2);
  },
);

describe('A list of proposals that is none', () => {
  test.each([
    [
      { proposals: { EXP: { price: 1 } } },
      'its proposals is {"EXP":{"price":1}}, which is not what the service document says',
    ],
    [{ proposals: 'none' }, 'its proposals is "none"'],
    [{ proposals: null }, 'there is no proposals in it'],
    [{}, 'there is no proposals in it'],
  ])('%j is exit 7', async (body, words) => {
    const rig = await createRig();
    const { env } = await cannedService({
      [PROPOSALS]: { status: 201, body },
      '/api/v1/shipping/rates': { status: 200, body },
    });
    for (const command of [QUOTE, RATES, `${QUOTE} --cheapest`]) {
      const ran = await rig.run(`${command} --json`, { env });
      expect(errorOf(ran)).toMatchObject({ code: 'unavailable', exitCode: 7, body });
      expect(errorOf(ran).message).toContain(words);
      expect(ran.stdout).toBe('');
    }
  });

  test('is not the same as one that holds something else: that is shown as received, and never chosen', async () => {
    const rig = await createRig();
    const { env } = await cannedService({
      [PROPOSALS]: { status: 201, body: { proposals: [null, 5, { id: 'A', isValid: true, price: 1 }] } },
    });
    expect(JSON.parse((await rig.run(`${QUOTE} --json`, { env })).stdout).proposals).toHaveLength(3);
    expect((await rig.run(`${QUOTE} --cheapest -q`, { env })).stdout).toBe('A\n');
    expect((await rig.run(QUOTE, { env })).stdout.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/^- .* no: isValid is missing$/),
      expect.stringMatching(/^- .* no: isValid is missing$/),
      expect.stringMatching(/^A .* yes$/),
    ]);
  });
});

describe('Words of the service', () => {
  const economy = 'EKONOM\u0130';

  test.each([economy, economy.normalize('NFD'), 'Ekonomi'])(
    '%j is the service ekonomi',
    async serviceType => {
      const proposals = [
        { id: 'E', price: 1, serviceType },
        { id: 'X', price: 2 },
      ];
      for (const wanted of ['ekonomi', economy, economy.normalize('NFD')])
        expect((await quoted(`--service ${wanted} -q`, ...proposals)).stdout).toBe('E\n');
    },
  );
});

test('several documents in one proposal are a warning', async () => {
  const rig = await createRig();
  const documents = 'quote --from TR --to DE --type document --package 1@1x1x1 --package 1@1x1x1';
  const ran = await rig.run(documents);
  expect([ran.exitCode, ran.stderr]).toEqual([
    0,
    'warning: packages has 2 documents, and a proposal may be for one only: ask for each on its own\n',
  ]);
  expect(await rig.run(`${documents} --strict`)).toMatchObject({ exitCode: 2, requests: [] });
  expect((await rig.run(documents.replace('document', 'package'))).stderr).toBe('');
});
