// What a dry run counts, what an estimate gives, and what a person is asked before anything is booked.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../../src/emulator/faults.ts';
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
import { createRig, type Rig } from '../../rig/command.ts';
import { ELSEWHERE, production } from '../../rig/production.ts';
import { errorOf, sent } from '../../rig/service.ts';
import { event } from '../../rig/sockets.ts';

const SHIP = 'batch ship orders.jsonl';

/** It may be sent, and there is a warning. */
const ODD = { customs: { totalGoodsValue: 25, currency: 'EUR', iossNumber: 'IM1' } };

const resultsOf = ({ folder }: Rig) => existsSync(join(folder, 'orders.results.jsonl'));

describe('--dry-run', () => {
  test('counts what would be sent, and sends and writes nothing', async () => {
    const rig = await shop(orders(3));
    const ran = await rig.run(`${SHIP} --dry-run --json`);
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    expect(summaryOf(ran)).toMatchObject({
      ...{ records: 3, sent: 0, toSend: 3, already: 0, dryRun: true, results: null, states: {} },
    });
    expect([resultsOf(rig), existsSync(join(rig.folder, 'state', 'journal.db'))]).toEqual([false, false]);
    expect((await rig.run(`${SHIP} --dry-run`)).stdout).toMatch(/Would be sent\s+3\n/);
  });

  test('says how many of the orders that would be sent have a warning', async () => {
    const rig = await shop([...orders(2), order('ORDER-3', ODD)]);
    const dry = await rig.run(`${SHIP} --dry-run`);
    expect(dry.stderr).toContain('warning: line 3: customs.iossNumber');
    expect(dry.stdout).toMatch(/Would be sent\s+3, 1 of them with a warning\n/);
    expect(summaryOf(await rig.run(`${SHIP} --dry-run --json`))).toMatchObject({ toSend: 3, warned: 1 });
  });

  test('counts what is booked, what is a duplicate and what is not valid', async () => {
    const rig = await shop(orders(2));
    await rig.run(SHIP);
    const before = readFileSync(join(rig.folder, 'orders.results.jsonl'), 'utf8');
    rig.file(
      'orders.jsonl',
      jsonLines([
        order('ORDER-1'),
        order('ORDER-2', { category: 'gift' }),
        order('NEW'),
        order('BAD', { type: 'pack' }),
      ]),
    );
    const refused = await rig.run(`${SHIP} --dry-run --json`);
    expect(refused).toMatchObject({ exitCode: 2, requests: [] });
    expect(errorOf(refused)).toMatchObject({ code: 'invalid_request', issues: [{ path: 'line 4: type' }] });
    expect(summaryOf(refused)).toMatchObject({
      ...{ records: 4, toSend: 1, already: 1, exitCode: 2 },
      states: { created: 1, duplicate: 1, invalid: 1 },
    });
    const ran = await rig.run(`${SHIP} --dry-run --skip-invalid --json`);
    expect(ran).toMatchObject({ exitCode: 9, requests: [] });
    expect(summaryOf(ran)).toMatchObject({
      ...{ records: 4, sent: 0, toSend: 1, already: 1, states: { created: 1, duplicate: 1, invalid: 1 } },
    });
    expect(readFileSync(join(rig.folder, 'orders.results.jsonl'), 'utf8')).toBe(before);
  });

  test('asks nothing, and needs neither address nor credential', async () => {
    const rig = await shop(orders(1));
    const ran = await rig.run(`${SHIP} --dry-run`, { terminal: true, env: { WAYBILL_TOKEN: '' } });
    expect(ran).toMatchObject({ exitCode: 0, asked: [], requests: [] });
  });
});

describe('--dry-run --estimate', () => {
  const undecided = orders(3).map(({ carrier, chargeableWeight, ...rest }) => rest);

  test('asks for the price of each record, sums them by currency, and books nothing', async () => {
    const rig = await shop(undecided);
    const ran = await rig.run(
      `${SHIP} --dry-run --estimate --carrier cheapest --ioss-number IM0123456789 --json`,
    );
    expect(ran.exitCode).toBe(0);
    expect(sent(ran)).toEqual(Array(3).fill('POST /v1/carriers/proposal'));
    const lines = linesIn(rig);
    expect(ends(lines)).toEqual(keys(3).map(key => `${key} estimated 0 false`));
    for (const { carrier, currency, shipmentId, result } of lines)
      expect({ carrier, currency, shipmentId, result }).toEqual({
        ...{ carrier: 'ECO', currency: 'EUR', shipmentId: null },
        result: expect.objectContaining({ id: 'ECO' }),
      });
    const { cost, toSend, sent: sum } = summaryOf(ran);
    expect(Number(cost.EUR)).toBeCloseTo(
      lines.reduce((total, { price }) => total + Number(price), 0),
      2,
    );
    expect([toSend, sum]).toEqual([3, 0]);
    expect(JSON.parse((await rig.run('history list --json')).stdout)).toEqual([]);
  });

  test('is followed by the real run, which replaces its results', async () => {
    const rig = await shop(undecided);
    await rig.run(`${SHIP} --dry-run --estimate --carrier cheapest --set customs.iossNumber=IM0123456789`);
    const ran = await rig.run(`${SHIP} --carrier cheapest --set customs.iossNumber=IM0123456789`);
    expect([ran.exitCode, linesIn(rig).map(({ state }) => state)]).toEqual([0, Array(3).fill('created')]);
  });

  test('does not replace the results of another machine: those are the only record of what is booked', async () => {
    const rig = await shop(undecided);
    const line = { operation: 'ship', place: rig.address, key: 'ORDER-1', line: 1, state: 'created' };
    const theirs = jsonLines([{ ...line, shipmentId: 'S-1' }]);
    rig.file('orders.results.jsonl', theirs);
    const ran = await rig.run(`${SHIP} --dry-run --estimate --carrier cheapest`);
    expect(readFileSync(join(rig.folder, 'orders.results.jsonl'), 'utf8')).toBe(theirs);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(ran.stderr).toContain('history import');
  });

  test('alone is refused, because it could be taken for a booking', async () => {
    const rig = await shop(undecided);
    expect(await rig.run(`${SHIP} --estimate`)).toMatchObject({ exitCode: 2, requests: [] });
  });
});

describe('On a terminal, against production', () => {
  const HASTY = `${SHIP} --retries 0 --concurrency 1`;

  test('it asks once, with the count; without a yes nothing is sent and no results are written', async () => {
    const rig = await shop(orders(7));
    const { env, tries } = await production();
    const ran = await rig.run(HASTY, { terminal: true, env });
    expect(ran.asked).toEqual([`Book this? ship for 7 records (${ELSEWHERE}) [y/N, e: estimate first]`]);
    expect(ran).toMatchObject({ exitCode: 130, stdout: '' });
    expect([tries(), resultsOf(rig)]).toEqual([0, false]);
    await rig.run(HASTY, { terminal: true, env, answer: true });
    expect(tries()).toBe(5);
  });

  test('it counts only the records to be sent, and asks nothing if there are none', async () => {
    const rig = await shop(orders(2));
    const { env } = await production();
    await rig.run(`${SHIP} --sandbox --results sandbox.jsonl`);
    expect((await rig.run(HASTY, { terminal: true, env })).asked).toEqual([
      `Book this? ship for 2 records (${ELSEWHERE}) [y/N, e: estimate first]`,
    ]);
    rig.file('orders.jsonl', '');
    expect((await rig.run(HASTY, { terminal: true, env })).asked).toEqual([]);
  });

  test('it says how many of them have a warning', async () => {
    const rig = await shop([...orders(2), order('ORDER-3', ODD)]);
    const { env } = await production();
    expect((await rig.run(HASTY, { terminal: true, env })).asked).toEqual([
      `Book this? ship for 3 records, 1 of them with a warning (${ELSEWHERE}) [y/N, e: estimate first]`,
    ]);
  });

  test('it does not ask with --yes, or without a terminal', async () => {
    const rig = await shop(orders(2));
    const { env, tries } = await production();
    expect(await rig.run(`${HASTY} --yes`, { terminal: true, env })).toMatchObject({ asked: [] });
    expect(await rig.run(HASTY, { env })).toMatchObject({ asked: [] });
    expect(tries()).toBe(4);
  });

  test('it needs --yes if prompts are off: exit 2', async () => {
    const rig = await shop(orders(2));
    const { env, tries } = await production();
    const ran = await rig.run(`${HASTY} --no-input`, { terminal: true, env });
    expect(ran).toMatchObject({ exitCode: 2, asked: [], stdout: '' });
    expect(ran.stderr).toContain('--yes');
    expect(tries()).toBe(0);
  });

  test('it does not ask for quotes', async () => {
    const rig = await createRig();
    rig.file(
      'orders.jsonl',
      jsonLines([{ originCountry: 'TR', destinationCountry: 'DE', package: '1x1kg@10x10x10' }]),
    );
    const { env, tries } = await production();
    const ran = await rig.run('batch quote orders.jsonl --retries 0', { terminal: true, env });
    expect([ran.asked, tries()]).toEqual([[], 1]);
  });

  test('in CI it needs a journal that persists: exit 10, and nothing is sent', async () => {
    const rig = await shop(orders(2));
    const { env, tries } = await production();
    const ran = await rig.run(HASTY, { env: { ...env, CI: 'true' } });
    expect(ran).toMatchObject({ exitCode: 10, stdout: '' });
    expect([tries(), resultsOf(rig)]).toEqual([0, false]);
    await rig.run(`${HASTY} --new-journal`, { env: { ...env, CI: 'true' } });
    expect(tries()).toBe(2);
  });
});

describe('Progress', () => {
  test('is a bar on a terminal, which is removed at the end', async () => {
    const rig = await shop(orders(6));
    const ran = await rig.run(`${SHIP} --rate 2`, { terminal: true, env: { NO_COLOR: '1' } });
    expect(ran.stderr).toMatch(/\[#+-+\] \d\/6 done, \d in flight, [\d.]+\/s, .* left, [\d.]+ EUR/);
    expect(ran.stdout).not.toContain('[#');
  });

  test('counts the records to be sent, not those booked before', async () => {
    const rig = await shop(orders(2));
    await rig.run(SHIP);
    rig.file('orders.jsonl', jsonLines(orders(4)));
    const flags = '--rate 2 --concurrency 1';
    const { stderr } = await rig.run(`${SHIP} ${flags}`, { terminal: true, env: { NO_COLOR: '1' } });
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

  test('shows failures and unknowns', async () => {
    const rig = await createRig({ faults: [parseFault('500:1')] });
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const ran = await rig.run(`${SHIP} --concurrency 1 --rate 1`, { terminal: true, env: { NO_COLOR: '1' } });
    expect(ran.stderr).toContain('1/2 done, 1 failed, 1 unknown');
    expect(bookedIn(ran)).toEqual(keys(2));
    expect(errorOf(await rig.run(`${SHIP} --json`)).exitCode).toBe(8);
  });
});
