// What a dry run counts, what an estimate gives, and what a person is asked before anything is booked.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../../src/emulator/settings.ts';
import {
  bookedIn,
  ends,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import type { Rig } from '../../rig/command.ts';
import { asProduction, ELSEWHERE, production } from '../../rig/production.ts';
import { errorOf, sent } from '../../rig/service.ts';
import { event } from '../../rig/sockets.ts';

const SHIP = 'batch ship orders.jsonl';
const CHEAPEST = '--carrier cheapest --ioss-number IM0123456789';

/** It may be sent, and there is a warning. */
const ODD = { customs: { totalGoodsValue: 25, currency: 'EUR', iossNumber: 'IM1' } };

const hasResults = ({ folder }: Rig) => existsSync(join(folder, 'orders.results.jsonl'));

describe('--dry-run', () => {
  test('counts what would be sent, needs no credential, and asks, sends and writes nothing', async () => {
    const rig = await shop(orders(3));
    const ran = await rig.run(`${SHIP} --dry-run --json`);
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    expect(summaryOf(ran)).toMatchObject({
      ...{ records: 3, sent: 0, toSend: 3, already: 0, dryRun: true, results: null, states: {} },
    });
    expect([hasResults(rig), existsSync(join(rig.folder, 'state', 'journal.db'))]).toEqual([false, false]);
    const person = { terminal: true, env: { WAYBILL_TOKEN: '', NO_COLOR: '1' } };
    const shown = await rig.run(`${SHIP} --dry-run`, person);
    expect(shown).toMatchObject({ asked: [], stdout: expect.stringMatching(/Would be sent\s+3\n/) });
  });

  test('says how many of the orders that would be sent have a warning', async () => {
    const rig = await shop([...orders(2), order('ORDER-3', ODD)]);
    const dry = await rig.run(`${SHIP} --dry-run`);
    expect(dry.stderr).toContain('warning: line 3, ORDER-3: customs.iossNumber');
    expect(dry.stdout).toMatch(/Would be sent\s+3, 1 of them with a warning\n/);
    expect(summaryOf(await rig.run(`${SHIP} --dry-run --json`))).toMatchObject({ toSend: 3, warned: 1 });
  });

  test('counts what is booked, what is a duplicate and what is not valid', async () => {
    const rig = await shop(orders(2));
    await rig.run(SHIP);
    const before = readFileSync(join(rig.folder, 'orders.results.jsonl'), 'utf8');
    const duplicate = order('ORDER-2', { category: 'gift' });
    const invalid = order('BAD', { type: 'pack' });
    rig.file('orders.jsonl', jsonLines([order('ORDER-1'), duplicate, order('NEW'), invalid]));
    const states = { created: 1, duplicate: 1, invalid: 1 };
    const refused = await rig.run(`${SHIP} --dry-run --json`);
    expect(errorOf(refused)).toMatchObject({ code: 'invalid_request', issues: [{ path: 'line 4: type' }] });
    expect(summaryOf(refused)).toMatchObject({ records: 4, toSend: 1, already: 1, exitCode: 2, states });
    const ran = await rig.run(`${SHIP} --dry-run --skip-invalid --json`);
    expect(ran).toMatchObject({ exitCode: 9, requests: [] });
    expect(summaryOf(ran)).toMatchObject({ records: 4, sent: 0, toSend: 1, already: 1, states });
    expect(readFileSync(join(rig.folder, 'orders.results.jsonl'), 'utf8')).toBe(before);
  });
});

const undecided = orders(3).map(({ carrier, chargeableWeight, ...rest }) => rest);

test('--dry-run --estimate asks for the price of each record, sums them, and books nothing; the real run replaces its results', async () => {
  const rig = await shop(undecided);
  const ran = await rig.run(`${SHIP} --dry-run --estimate ${CHEAPEST} --json`);
  expect(ran.exitCode).toBe(0);
  expect(sent(ran)).toEqual(Array(3).fill('POST /v1/carriers/proposal'));
  const lines = linesIn(rig);
  expect(ends(lines)).toEqual(keys(3).map(key => `${key} estimated 0 false`));
  const estimate = {
    carrier: 'ECO',
    currency: 'EUR',
    price: 27.5,
    shipmentId: null,
    result: { id: 'ECO' },
  };
  expect(lines).toMatchObject([estimate, estimate, estimate]);
  expect(summaryOf(ran)).toMatchObject({ cost: { EUR: 82.5 }, toSend: 3, sent: 0 });
  expect(await rig.json('history list')).toEqual([]);
  expect((await rig.run(`${SHIP} ${CHEAPEST}`)).exitCode).toBe(0);
  expect(ends(linesIn(rig))).toEqual(keys(3).map(key => `${key} created 0 true`));
});

test('An estimate does not add up what it has no price for: a weight above that of the proposals', async () => {
  const rig = await shop([...undecided.slice(0, 1), { ...undecided[1], chargeableWeight: 40 }]);
  const ran = await rig.run(`${SHIP} --dry-run --estimate ${CHEAPEST} --json`);
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('the price will differ')]);
  expect(linesIn(rig).map(({ carrier, price }) => [carrier, price])).toEqual([
    ['ECO', 27.5],
    ['ECO', null],
  ]);
  expect(summaryOf(ran)).toMatchObject({ cost: { EUR: 27.5 }, withoutPrice: 1, shipments: 0 });
  const shown = await rig.run(`${SHIP} --dry-run --estimate ${CHEAPEST}`);
  expect(shown.stdout).toMatch(/Estimated cost\s+27\.50 EUR, 1 without a price\n/);
});

describe('On a terminal, against production', () => {
  const HASTY = `${SHIP} --retries 0 --concurrency 1`;

  test('it asks once, with the count; without a yes nothing is sent and no results are written', async () => {
    const rig = await shop(orders(7));
    const { env, tries } = await production();
    const ran = await rig.run(HASTY, { terminal: true, env });
    expect(ran.asked).toEqual([`Book this? ship for 7 records (${ELSEWHERE}) [y/N, e: estimate first]`]);
    expect(ran).toMatchObject({ exitCode: 130, stdout: '' });
    expect([tries(), hasResults(rig)]).toEqual([0, false]);
    await rig.run(HASTY, { terminal: true, env, answer: true });
    expect(tries()).toBe(5);
  });

  test('it counts the records with a warning, and asks nothing if there are no records', async () => {
    const rig = await shop([...orders(2), order('ORDER-3', ODD)]);
    const { env } = await production();
    expect((await rig.run(HASTY, { terminal: true, env })).asked).toEqual([
      `Book this? ship for 3 records, 1 of them with a warning (${ELSEWHERE}) [y/N, e: estimate first]`,
    ]);
    rig.file('orders.jsonl', '');
    expect((await rig.run(HASTY, { terminal: true, env })).asked).toEqual([]);
  });

  test('it does not ask with --yes, without a terminal, and for quotes', async () => {
    const rig = await shop(orders(2));
    const { env, tries } = await production();
    expect(await rig.run(`${HASTY} --yes`, { terminal: true, env })).toMatchObject({ asked: [] });
    expect(await rig.run(HASTY, { env })).toMatchObject({ asked: [] });
    const quote = { originCountry: 'TR', destinationCountry: 'DE', package: '1x1kg@10x10x10' };
    rig.file('quotes.jsonl', jsonLines([quote]));
    const ran = await rig.run('batch quote quotes.jsonl --retries 0', { terminal: true, env });
    expect([ran.asked, tries()]).toEqual([[], 5]);
  });
});

describe('The question of a batch', () => {
  const answering = async (rig: Rig, ...given: string[]) => {
    const left = [...given];
    return { terminal: true, env: await asProduction(rig), answers: async () => left.shift() };
  };
  const own = (key: string, change: Record<string, unknown>) =>
    order(key, { chargeableWeight: undefined, ...change });

  test('offers to estimate first: total, carriers, and what falls out; then it asks again', async () => {
    const cheapest = { carrier: 'cheapest' };
    const dear = { ...cheapest, maxPrice: '1EUR' };
    const rig = await shop([own('A', cheapest), own('B', { carrier: 'fastest' }), own('C', dear)]);
    const ran = await rig.run(SHIP, await answering(rig, 'e', 'no'));
    expect(ran.exitCode).toBe(130);
    expect(ran.asked.at(-1)).toContain('Book this? ship for 3 records');
    expect(sent(ran)).toEqual(Array(3).fill('POST /v1/carriers/proposal'));
    expect(ran.stderr).toMatch(/estimate of 2 of 3 records: [\d.]+ EUR\. By carrier: EXP 2/);
    expect(ran.stderr).toMatch(/1 record falls out:\n {2}line \d, C: .*1 EUR/);
  });

  test('books all of them after the estimate, which leaves out what lacks only its label', async () => {
    const rig = await shop([own('A', {})]);
    expect(bookedIn(await rig.run(SHIP, await answering(rig, 'E', 'yes')))).toEqual(['A']);
    rig.file('orders.jsonl', jsonLines([own('A', {}), own('B', {})]));
    const ran = await rig.run(`${SHIP} --label`, await answering(rig, 'e', 'no'));
    expect(ran.stderr).toContain('estimate of 1 of 2 records');
  });
});

describe('Progress', () => {
  const terminal = { terminal: true, env: { NO_COLOR: '1' } };

  test('is a bar on a terminal, with what failed and what is unknown', async () => {
    const rig = await shop(orders(6));
    const { stderr } = await rig.run(`${SHIP} --rate 2`, terminal);
    expect(stderr).toMatch(/\[#+-+\] \d\/6 done, \d in flight, [\d.]+\/s, .* left, [\d.]+ EUR/);
    const failing = await shop(orders(2), { faults: [parseFault('500:1')] });
    const failed = await failing.run(`${SHIP} --concurrency 1 --rate 1`, terminal);
    expect(failed.stderr).toContain('1/2 done, 1 failed, 1 unknown');
  });

  test('counts the records to be sent, not those booked before', async () => {
    const rig = await shop(orders(2));
    await rig.run(SHIP);
    rig.file('orders.jsonl', jsonLines(orders(4)));
    const { stderr } = await rig.run(`${SHIP} --rate 2 --concurrency 1`, terminal);
    expect(stderr).toContain(' 1/2 done');
    expect(stderr).not.toContain(' 3/2 done');
  });

  test('is a line now and then elsewhere', async () => {
    const rig = await shop(orders(3));
    const [patience, allArrived] = event();
    let arrived = 0;
    const { env } = await scriptedService(() => {
      arrived += 1;
      if (arrived === 3) allArrived();
      return new Promise(() => {});
    });
    const ran = await rig.run(SHIP, { env, patience, afterwards: 20 });
    expect(ran.stderr).toMatch(/^\[[#-]+\] \d\/3 done, .*\d in flight, /m);
    expect(ran.exitCode).toBe(8);
  });

  test('is not shown for a short run, or with --quiet', async () => {
    const rig = await shop(orders(3));
    expect((await rig.run(SHIP)).stderr).toBe('');
    rig.file('more.jsonl', jsonLines([order('X')]));
    expect((await rig.run('batch ship more.jsonl -q', { terminal: true })).stderr).toBe('');
  });
});
