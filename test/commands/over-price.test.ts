// A booking above --max-price: it exists, a person must know of it, and its bound is no part of what was booked.
import { describe, expect, test } from 'vitest';
import { bookingExitCode } from '../../src/journal/booking.ts';
import { type Reply, scriptedService } from '../rig/batch.ts';
import { createRig, type Rig, type RunOptions } from '../rig/command.ts';
import { bookingAt, elsewhere, fill, inJournal, UNKNOWN } from '../rig/journal.ts';
import { cannedService, DUAL, errorOf, SHIPMENT } from '../rig/service.ts';
import { doubtful, orderFor } from '../rig/settling.ts';

const stdin = JSON.stringify(SHIPMENT);

const at = (price: unknown, currency: string | undefined = 'EUR', id = 'S-1'): Reply => ({
  status: 201,
  body: { id, carrier: { id: 'EXP', name: 'Express', price, currency } },
});

/** A service that proposes 10 EUR and books at this price, and a rig that runs commands at it. */
async function charging(reply: Reply | (() => Reply)) {
  const rig = await createRig();
  const service = await scriptedService(() => (typeof reply === 'function' ? reply() : reply));
  const run = (argv: string, options: RunOptions = {}) =>
    rig.run(argv, { stdin, ...options, env: { ...service.env, ...options.env } });
  return { ...service, rig, run };
}

/** Answers with a price at another place, or at none. */
const MISSING = [
  { id: 'S-1' },
  { id: 'S-1', price: 500, currency: 'EUR' },
  { id: 'S-1', carrier: { totalPrice: 500, price: null, currency: 'EUR' } },
  { id: 'S-1', carrier: [{ price: 500, currency: 'EUR' }] },
  { id: 'S-1', data: { carrier: { price: 500, currency: 'EUR' } } },
];

const DOUBT =
  'warning: the answer has no price at carrier.price, so it cannot be compared with --max-price 60 EUR';

const recorded = (rig: Rig) => inJournal(rig, 'state', journal => journal.list({}));

const SHIP = 'ship -f - --max-price 60EUR';

describe('A booking above --max-price', () => {
  test('is exit 11: the id is on stdout, and what happened on stderr', async () => {
    const { run, rig } = await charging(at(499));
    const ran = await run(`${SHIP} --key K`);
    expect(ran.exitCode).toBe(11);
    expect(ran.stdout).toContain('S-1');
    const [booking] = await recorded(rig);
    expect(booking).toMatchObject({ state: 'created', overPrice: true, maxPrice: '60 EUR' });
    expect(booking && bookingExitCode(booking)).toBe(11);
    expect(ran.stderr).toContain('is booked as S-1 for 499 EUR, which is above --max-price 60 EUR');
    expect(ran.stderr).toContain(`waybill history accept ${booking?.id}`);
  });

  test.each([
    ['in another currency', at(1, 'USD'), 'for 1 USD, which cannot be compared with --max-price 60 EUR'],
    ['without a currency', at(1, ''), 'cannot be compared with --max-price 60 EUR'],
    ['with a price that is no number', at('on request'), 'for on request EUR, which cannot be compared'],
    ['with a price that may be 1234', at('1.234'), 'for 1.234 EUR, which cannot be compared'],
    ['with an object', at({ amount: 5 }, ''), 'for {"amount":5}, which cannot be compared'],
  ])('is also one %s', async (_, reply, words) => {
    const { run } = await charging(reply);
    const ran = await run(SHIP);
    expect(ran.exitCode).toBe(11);
    expect(ran.stderr).toContain(words);
  });

  test.each([
    ['within it', at('60.00'), false, ''],
    ['in the currency in small letters', at(59, 'eur'), false, ''],
    ['in the currency between blanks', at(59, ' EUR '), false, ''],
    ...MISSING.map(body => [`without a price: ${JSON.stringify(body)}`, { status: 201, body }, null, DOUBT]),
    [
      'at 0',
      at(0),
      null,
      'the answer has a price of 0.00 EUR, probably because it is missing, at carrier.price, so',
    ],
    ['below 0', at('-1'), null, 'a price of -1.00 EUR, probably because it is missing, at carrier.price, so'],
  ] as [string, Reply, boolean | null, string][])('is none %s', async (_, reply, overPrice, words) => {
    const { run, rig } = await charging(reply);
    const ran = await run(SHIP);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain(words);
    expect((await recorded(rig))[0]?.overPrice).toBe(overPrice);
    const quiet = await run(`${SHIP} --key K -q --set receiver.firstName=Eva`);
    expect([quiet.exitCode, quiet.stdout]).toEqual([0, 'S-1-2\n']);
    expect(quiet.stderr === '').toBe(words === '');
    expect(quiet.stderr).toContain(words);
  });

  test('is told again on each rerun, and sent once, until a person accepts it', async () => {
    const { run, arrivals } = await charging(at(499));
    await run(`${SHIP} --key K`);
    for (const bound of ['60EUR', '500EUR', '20EUR'])
      expect(await run(`ship -f - --key K -q --max-price ${bound}`)).toMatchObject({
        ...{ exitCode: 11, stdout: 'S-1\n' },
        stderr: expect.stringContaining('499 EUR, which is above --max-price 60 EUR'),
      });
    expect((await run('history accept K')).exitCode).toBe(0);
    expect(await run(`${SHIP} --key K -q`)).toMatchObject({ exitCode: 0, stdout: 'S-1\n', stderr: '' });
    expect(arrivals).toHaveLength(1);
  });

  test('gets its label when a person has accepted it', async () => {
    const { run, paths } = await charging(at(499));
    const ran = await run(`${SHIP} --key K --label`);
    expect([ran.exitCode, paths]).toEqual([11, ['/v1/carriers/proposal']]);
    expect(ran.stderr).toContain('Its label was not made: once the price is accepted');
    expect((await run('history accept K')).exitCode).toBe(0);
    expect((await run(`${SHIP} --key K --label`)).exitCode).toBe(0);
    expect(paths).toEqual(['/v1/carriers/proposal', '/v2/carriers/create']);
  });

  test('of which the answer says success: false too is told as a part, and no command promises its label', async () => {
    const { run, paths } = await charging({
      status: 201,
      body: { success: false, message: 'printer', id: 'S-1', carrier: { price: 499, currency: 'EUR' } },
    });
    const ran = await run(`${SHIP} --key K --label`);
    expect([ran.exitCode, ran.stderr.includes('waybill label')]).toEqual([11, false]);
    expect(ran.stderr).toMatch(/for 499 EUR, which is above .* Only a part was created: .*printer/);
    expect(ran.stderr).not.toContain('the same command makes it');
    expect((await run('history accept K')).exitCode).toBe(0);
    expect((await run(`${SHIP} --key K --label`)).exitCode).toBe(9);
    expect(paths).toEqual(['/v1/carriers/proposal']);
  });

  test('gets no label by another command before that, and a program is not told to accept it', async () => {
    const { run, paths } = await charging(at(499));
    const ran = await run(`${SHIP} --key K --json`);
    const { next, created } = errorOf(ran);
    expect([created, next.map(words => words.slice(0, 3))]).toEqual([true, [['waybill', 'history', 'show']]]);
    for (const label of ['label K', 'label S-1', 'label --international S-1', 'label K --allow-duplicate']) {
      const refusal = errorOf(await run(`${label} --json`));
      expect(refusal).toMatchObject({ code: 'over_price', operation: 'label', created: false });
      expect(refusal.message).toContain('for 499 EUR, which is above --max-price 60 EUR');
      expect(refusal.next.flat()).not.toContain('accept');
    }
    expect((await run('label K S-1 --json')).exitCode).toBe(9);
    expect(paths.filter(path => path.endsWith('/create'))).toEqual([]);
    await run('history accept K --reason ok');
    expect((await run('label K')).exitCode).toBe(0);
  });

  test('is one too when its answer comes after it was settled', async () => {
    let settle = async () => {};
    const rig = await createRig();
    const { env } = await scriptedService(async () => {
      await settle();
      return at(499);
    });
    settle = async () => {
      rig.clock.now += 2 * 60 * 60 * 1000;
      await rig.run('history resolve K --not-created --force --reason gone', { env });
    };
    const ran = await rig.run(`${SHIP} --key K -q`, { stdin, env });
    expect([ran.exitCode, ran.stdout]).toEqual([11, 'S-1\n']);
    expect(ran.stderr).toContain('above --max-price 60 EUR');
  });
});

test('Only history accept ends exit 11, and not that a booking is reopened and resolved without a look at its price', async () => {
  const rig = await doubtful();
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...UNKNOWN, maxPrice: '20 EUR', request: JSON.parse(orderFor()) }),
  ]);
  const shipment = await rig.shipment();
  const resolve = (options: string) => rig.run(`history resolve K-1 ${options}`);
  const { stdout } = await resolve(`--created ${shipment}`);
  expect(stdout).toMatch(/Its price is above --max-price.*`waybill history accept bk_\d+`/);
  for (const between of ['', '--not-created --reason gone --force']) {
    await resolve('--reopen');
    if (between) await resolve(between);
    if (between) await resolve('--reopen');
    expect((await resolve(`--created ${shipment} --unchecked`)).exitCode).toBe(0);
    expect(await rig.shown('K-1')).toMatchObject({ state: 'created', exitCode: 11, overPrice: true });
  }
  await rig.run('history accept K-1');
  expect(await rig.shown('K-1')).toMatchObject({ state: 'created', exitCode: 0 });
});

test('A pair that a person resolved as created names the command for its labels once its price is accepted', async () => {
  const rig = await doubtful();
  const pair = JSON.stringify(DUAL);
  const book = 'ship-dual -f - --label --key P --max-price 0.01EUR';
  await rig.failing(book, { stdin: pair });
  const { stdout } = await rig.run('ship-dual -f - -q', { stdin: pair, env: elsewhere(rig) });
  const [international, domestic] = stdout.trim().split('\n');
  await rig.later(15 * 60_000);
  await rig.run(`history resolve P --created ${international} --domestic ${domestic}`);
  const ran = await rig.run(book, { stdin: pair });
  expect([ran.exitCode, ran.stderr.includes('waybill label')]).toEqual([11, false]);
  await rig.run('history accept P');
  expect(await rig.run(book, { stdin: pair })).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('`waybill label --international'),
  });
});

test('Without a price, what a person says was created is warned of', async () => {
  const rig = await createRig();
  const { env } = await cannedService({ '/v1/shipments/S-1': { status: 200, body: { id: 'S-1' } } });
  const address = env.WAYBILL_BASE_URL ?? '';
  await fill(rig, 'state', [bookingAt(rig, 1, { ...UNKNOWN, maxPrice: '60 EUR', address })]);
  const ran = await rig.run('history resolve K-1 --created S-1', { env });
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stderr).toMatch(
    /^warning: booking bk_\d+: the answer has no price at carrier\.price, .* 60 EUR$/m,
  );
});

describe('A bound is no part of what is booked', () => {
  test.each([
    ['--max-price 60EUR', '--max-price 600EUR'],
    ['--max-price 60EUR --max-days 3', ''],
    ['', '--max-price 60EUR'],
    ['--max-days 3', '--max-days 9'],
  ])('with a key, after %s, %s shows the recorded answer', async (one, other) => {
    const { run, arrivals } = await charging(at(12));
    expect((await run(`ship -f - --key K ${one}`)).exitCode).toBe(0);
    expect(await run(`ship -f - --key K -q ${other}`)).toMatchObject({ exitCode: 0, stdout: 'S-1\n' });
    expect(arrivals).toHaveLength(1);
  });

  test('without a key, another bound is the same order: nothing is booked again', async () => {
    const { run, arrivals } = await charging(at(12));
    await run('ship -f - --max-price 60EUR');
    const ran = await run('ship -f - --max-price 600EUR --json');
    expect(errorOf(ran)).toMatchObject({ exitCode: 2, code: 'duplicate' });
    expect(arrivals).toHaveLength(1);
  });
});
