// Which orders are one: by keys that look the same, by the same input, and by addresses that are one in other spellings.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyIdentity } from '../../src/contract/key.ts';
import { created, jsonLines, linesIn, order, RUNS, scriptedService, shop } from '../rig/batch.ts';
import { createRig, type RigOptions } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { shopRig } from '../rig/profile.ts';
import { errorOf, posted, SHIPMENT } from '../rig/service.ts';

const BOOKED = ['POST /v1/shipments'];
const withOrders = (options: RigOptions = {}) =>
  createRig({
    ...options,
    files: { 'order.json': SHIPMENT, 'other.json': { ...SHIPMENT, category: 'gift' } },
  });
const ship = (key: string, more = '') => `ship -f order.json --json --key '${key}' ${more}`;

const ALIKE: readonly [string, string, string][] = [
  ['leading zeros, as Excel drops them', '00123', '123'],
  ['only zeros', '000', '0'],
  ['composed and decomposed letters', 'Müller-1'.normalize('NFC'), 'Müller-1'.normalize('NFD')],
  ['a zero-width space', 'ORDER-1', 'OR\u200bDER-1'],
  ['a variation selector', 'A\ufe0f1', 'A1'],
  ['a blank that does not break', 'ORDER 1', 'ORDER\u00a01'],
  ['two blanks', 'ORDER 1', 'ORDER  1'],
  ['blanks around it', 'ORDER-1', ' ORDER-1 '],
  ['full-width digits', '00123', '１２３'],
  ['a dash that does not break', 'ORDER-1', 'ORDER\u20111'],
  ['a sign of minus', 'ORDER-1', 'ORDER\u22121'],
  ['a blank of braille', 'ORDER 1', 'ORDER\u28001\u2800'],
];

const OTHERS: readonly [string, string, string][] = [
  ['case', 'order-1', 'ORDER-1'],
  ['zeros behind a letter', 'A-01', 'A-1'],
  ['a sign in front', '#5001', '5001'],
];

describeBoth('Two keys', journal => {
  test.each(ALIKE)(
    'that differ only by %s are one: booked once, and shown as first given',
    async (_, first, second) => {
      const { run } = await withOrders({ journal });
      const booked = await run(ship(first));
      expect([booked.exitCode, posted(booked)]).toEqual([0, BOOKED]);
      const again = await run(ship(second));
      expect([again.exitCode, posted(again), again.stdout]).toEqual([0, [], booked.stdout]);
      expect(JSON.parse((await run(['history', 'show', second, '--json'])).stdout).key).toBe(first);
      const listed = JSON.parse((await run(['history', 'list', '--key', second, '--json'])).stdout);
      expect(listed.map(({ key }: { key: string }) => key)).toEqual([first]);
      const other = await run(['ship', '-f', 'other.json', '--key', second, '--json']);
      expect([other.exitCode, errorOf(other).code, posted(other)]).toEqual([2, 'duplicate', []]);
      expect(errorOf(other).message).toContain(`It was booked as ${JSON.stringify(first)}`);
    },
  );

  test.each(OTHERS)('that differ by %s are two', async (_, first, second) => {
    const { run } = await withOrders({ journal });
    for (const [file, key] of [
      ['order.json', first],
      ['other.json', second],
    ] as const)
      expect((await run(['ship', '-f', file, '--key', key])).exitCode).toBe(0);
  });

  test('of two files that differ by zeros are one: the second file books nothing', async () => {
    const rig = await shop([order('00123'), order('00124')], { journal });
    expect((await rig.run('batch ship orders.jsonl')).exitCode).toBe(0);
    rig.file(
      'saved.jsonl',
      jsonLines([order('123'), order('124')].map((one, at) => ({ ...order(`0012${at + 3}`), key: one.key }))),
    );
    const ran = await rig.run('batch ship saved.jsonl');
    expect([ran.exitCode, posted(ran)]).toEqual([0, []]);
    expect(linesIn(rig, 'saved.results.jsonl').map(({ state, sent }) => [state, sent])).toEqual([
      ['created', false],
      ['created', false],
    ]);
  });
});

test('A REF without the sign of a shop finds the order with it, unless an order has that key itself', async () => {
  const { run } = await withOrders();
  await run(['ship', '-f', 'order.json', '--key', '#5001']);
  const shown = async () => JSON.parse((await run(['history', 'show', '5001', '--json'])).stdout).key;
  expect(await shown()).toBe('#5001');
  expect((await run(['label', '5001'])).exitCode).toBe(0);
  await run(['ship', '-f', 'other.json', '--key', '5001']);
  expect(await shown()).toBe('5001');
});

describe('A key that a spreadsheet has rounded', () => {
  const MANGLED = ['1.23457E+17', '1,23457E+17', '1E+20', '12345678901234000'];

  test.each(MANGLED)('(%s) is refused for a new order', async key => {
    const { run } = await withOrders();
    const ran = await run(ship(key));
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(errorOf(ran).message).toMatch(/a spreadsheet has rounded.*nothing was sent/);
  });

  test.each(['12345678901234567', '1234567890123000', 'E+17', '1E17-A'])('is not %s', async key => {
    const { run } = await withOrders();
    expect((await run(ship(key))).exitCode).toBe(0);
  });
});

test.each(['\u200b', '\u2060\ufeff', '\u2800'])('A key that nobody can see is refused (%j)', async key => {
  const { run } = await withOrders();
  const ran = await run(ship(key));
  expect([ran.exitCode, ran.requests]).toEqual([2, []]);
});

test('What is compared of a key has itself as what is compared, and does not depend on blanks and invisible characters around it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(' ', '\u200b', '\u00a0', '\ufeff', '\u2800'),
      (key, around) => {
        const identity = keyIdentity(key);
        expect(keyIdentity(identity)).toBe(identity);
        expect(keyIdentity(around + key + around)).toBe(identity);
        expect(keyIdentity(key.normalize('NFD'))).toBe(identity);
      },
    ),
    RUNS,
  );
});

describeBoth('The same input', journal => {
  test('under another key is warned of, and refused with --strict', async () => {
    const { run } = await withOrders({ journal });
    await run(ship('A'));
    const refused = await run(ship('B', '--strict'));
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    const ran = await run(ship('B'));
    expect([ran.exitCode, posted(ran)]).toEqual([0, BOOKED]);
    expect(ran.stderr).toMatch(
      /an order with the same receiver, goods and parcels was booked at .* with the key .*A.* is booked once more/,
    );
    const again = await run(ship('B', '--strict'));
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
    const quiet = await run(ship('C', '-q'));
    expect([quiet.exitCode, quiet.stderr]).toEqual([0, expect.stringContaining('is booked once more')]);
  });

  test('under another key in a batch is warned of with its line, and not valid with --strict', async () => {
    const rig = await shop([order('A')], { journal });
    await rig.run('batch ship orders.jsonl');
    rig.file('again.jsonl', jsonLines([order('C'), { ...order('A'), key: 'B' }]));
    const refused = await rig.run('batch ship again.jsonl --strict --json');
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(errorOf(refused).issues?.[0]).toMatchObject({
      path: 'line 2',
      message: expect.stringMatching(/ with the key "A" .*\. Without --strict it is a warning$/),
    });
    const ran = await rig.run('batch ship again.jsonl -q');
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 2]);
    expect(ran.stderr).toContain(
      'line 2, B: an order with the same receiver, goods and parcels was booked at',
    );
  });

  test('of several records of one file is one warning with their lines, and not valid with --strict', async () => {
    const rig = await shop(
      ['sales', 'gift', 'sample'].map(category => ({ ...order('WAREHOUSE', { category }), key: category })),
      { journal },
    );
    const refused = await rig.run('batch ship orders.jsonl --strict');
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(refused.stderr).toMatch(/line 2 and line 3 +has receiver, goods and parcels of line 1/);
    const ran = await rig.run('batch ship orders.jsonl');
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 3]);
    expect(ran.stderr.match(/has the same receiver, goods and parcels as an earlier record/g)).toHaveLength(
      1,
    );
    expect(ran.stderr).toContain('line 2 and line 3 (gift, sample): has the same receiver');
  });

  describe('under another key, in a batch whose record was rejected before,', () => {
    /** K1 was rejected, K2 is booked, and now K1 has the content of K2. */
    async function rejectedFirst(policy: Record<string, unknown> = {}) {
      let isRejecting = true;
      const { env, arrivals } = await scriptedService(key =>
        isRejecting ? { status: 422, body: { message: 'no such name' } } : created(key),
      );
      const rig = await createRig({ journal, env: { ...env, WAYBILL_PROFILE: 'live' } });
      rig.file('config/config.json', { profiles: { live: { policy } } });
      rig.file('a.jsonl', jsonLines([order('K1')]));
      rig.file('b.jsonl', jsonLines([{ ...order('OTHER'), key: 'K2' }]));
      expect((await rig.run('batch ship a.jsonl')).exitCode).toBe(9);
      isRejecting = false;
      expect((await rig.run('batch ship b.jsonl')).exitCode).toBe(0);
      rig.file('a.jsonl', jsonLines([{ ...order('OTHER'), key: 'K1' }]));
      const sent = arrivals.length;
      const run = async (argv: string) => {
        const ran = await rig.run(`batch ship a.jsonl ${argv}`);
        return { ...ran, sent: arrivals.length - sent };
      };
      return { run };
    }

    test('is not valid with --strict, and else warned of', async () => {
      const { run } = await rejectedFirst();
      const refused = await run('--strict');
      expect([refused.exitCode, refused.sent]).toEqual([2, 0]);
      expect(refused.stderr).toMatch(
        /an order with the same receiver, goods and parcels was booked at .* with the key "K2"/,
      );
      const ran = await run('-q');
      expect([ran.exitCode, ran.sent]).toEqual([0, 1]);
      expect(ran.stderr).toContain(
        'line 1, K1: an order with the same receiver, goods and parcels was booked at',
      );
    });

    test('is refused where the profile keeps that for a terminal', async () => {
      const { run } = await rejectedFirst({ allowDuplicate: 'terminal' });
      const refused = await run('');
      expect([refused.exitCode, refused.sent]).toEqual([2, 0]);
      expect(refused.stderr).toContain('policy.allowDuplicate=terminal');
    });
  });

  test('without a key is found by the order of the journal, where the clock was behind', async () => {
    const rig = await withOrders({ journal });
    await rig.run(['ship', '-f', 'other.json', '--key', 'A']);
    // Only the clock of this machine can be put back.
    if (journal === 'shared') return;
    const now = rig.clock.now;
    rig.clock.now = now - 3 * 86_400_000;
    expect((await rig.run('ship -f order.json')).exitCode).toBe(0);
    rig.clock.now = now + 60_000;
    const again = await rig.run('ship -f order.json --json');
    expect([again.exitCode, errorOf(again).code, again.requests]).toEqual([2, 'duplicate', []]);
    rig.clock.now = now + 86_400_001;
    expect((await rig.run('ship -f order.json')).exitCode).toBe(0);
  });
});

test('A path with the code of a letter, and an account in decomposed letters, are the same place', async () => {
  const rig = await withOrders();
  const profile = (path: string, account: string) => ({
    profiles: {
      live: { baseUrl: `${rig.address}${path}`, account, credentials: { kind: 'token', token: 'demo' } },
    },
    current: 'live',
  });
  const env = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
  rig.file('config/config.json', profile('/sandbox', 'Müller'.normalize('NFC')));
  const booked = await rig.run(ship('A'), { env });
  expect([booked.exitCode, posted(booked)]).toEqual([0, ['POST /sandbox/v1/shipments']]);
  rig.file('config/config.json', profile('//%73andbox/', 'Müller'.normalize('NFD')));
  const again = await rig.run(ship('A'), { env });
  expect([again.exitCode, posted(again)]).toEqual([0, []]);
});

test('What is said of another order names its command with the profile of this one, whose journal may be another', async () => {
  const rig = await shopRig();
  rig.file('order.json', JSON.stringify(SHIPMENT));
  await rig.run(ship('A', '--profile shop'));
  const twin = await rig.run(ship('B', '--profile shop'));
  expect(twin.stderr).toMatch(/`waybill history show bk_\w+ --profile shop` shows that order/);
  const like = await rig.run('ship --like A --key C --dry-run --profile shop');
  expect(like.stderr).toMatch(/`waybill history cancelled bk_\w+ --profile shop --reason TEXT`/);
});

test('Results whose keys lost their zeros in a spreadsheet are known to the journal that booked them', async () => {
  const rig = await shop([order('00123')]);
  await rig.run('batch ship orders.jsonl');
  const lines = linesIn(rig).map(line => ({ ...line, key: '123', shipmentId: null }));
  rig.file('orders.results.jsonl', jsonLines(lines));
  const ran = await rig.run('batch ship orders.jsonl');
  expect([ran.exitCode, posted(ran)]).toEqual([0, []]);
});
