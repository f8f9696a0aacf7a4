// What holds for every record is weaker than what the record says.
import { expect, test } from 'vitest';
import { ends, linesIn, order, shop } from '../../rig/batch.ts';
import type { Ran } from '../../rig/command.ts';
import { bodyOf, SHIPMENT } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';

const without = (record: Record<string, unknown>, ...fields: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));

const { receiver } = SHIPMENT as { receiver: Record<string, unknown> };
const bodies = (ran: Ran) => ran.requests.map((_, index) => bodyOf(ran, index) as Record<string, unknown>);

test('A receiver of a record replaces that of --receiver whole', async () => {
  const rig = await shop([
    without(order('A'), 'receiver'),
    order('B', { receiver: without(receiver, 'companyName') }),
  ]);
  rig.file('office.json', { ...receiver, firstName: 'Office', companyName: 'Beispiel GmbH' });
  const ran = await rig.run(`${SHIP} --receiver office.json --concurrency 1`);
  expect(ran.exitCode).toBe(0);
  expect(bodies(ran).map(body => body.receiver)).toEqual([
    expect.objectContaining({ firstName: 'Office', companyName: 'Beispiel GmbH' }),
    receiver,
  ]);
  const partly = await shop([order('C', { receiver: { firstName: 'Only' } })]);
  partly.file('office.json', receiver);
  expect(await partly.run(`${SHIP} --receiver office.json`)).toMatchObject({ exitCode: 2, requests: [] });
});

test('--set gives what a record leaves out of its own party and of its items, and replaces nothing', async () => {
  const { phone, ...rest } = receiver as { phone: object };
  const { items } = SHIPMENT as { items: { hsCode: string }[] };
  const bare = items.map(({ hsCode: _, ...item }) => item);
  const open = order('A', { receiver: { ...rest, phone: { number: '1' } }, items: bare });
  const rig = await shop([open, order('B')]);
  const ran = await rig.run([
    ...`${SHIP} --concurrency 1 --set receiver.phone.code=+99`.split(' '),
    ...['--set', 'items[0].hsCode=999999', '--set', 'items[7].hsCode=999999'],
  ]);
  expect(ran.exitCode).toBe(0);
  expect(bodies(ran).map(body => (body.receiver as { phone: object }).phone)).toEqual([
    { code: '+99', number: '1' },
    phone,
  ]);
  const codes = bodies(ran).map(body => (body.items as { hsCode: string }[]).map(item => item.hsCode));
  expect(codes).toEqual([['999999'], [items[0]?.hsCode]]);
});

test('The defaults of the profile are the weakest layer', async () => {
  const rig = await shop([without(order('A'), 'sender'), order('B')]);
  rig.file('sender.json', { ...(SHIPMENT.sender as object), firstName: 'Profile' });
  await rig.run(`profile add shop --base-url ${rig.address} --token-stdin`, { stdin: 'demo' });
  await rig.run('profile party add shop-sender --profile shop --file sender.json');
  await rig.run('profile set shop sender=@shop-sender');
  const env = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
  const ran = await rig.run(`${SHIP} --profile shop --concurrency 1`, { env });
  expect([ran.stderr, ran.exitCode]).toEqual(['', 0]);
  expect(bodies(ran).map(({ sender }) => (sender as { firstName: string }).firstName)).toEqual([
    'Profile',
    'Deniz',
  ]);
});

test('A file that a flag names is a part of what was booked: another sender is other input', async () => {
  const rig = await shop([without(order('A'), 'sender')]);
  const { sender } = SHIPMENT as { sender: object };
  rig.file('sender.json', sender);
  await rig.run(`${SHIP} --sender sender.json`);
  rig.file('sender.json', { ...sender, firstName: 'Another' });
  const single = await rig.run('ship -f - --sender sender.json --key A', {
    stdin: JSON.stringify(without(order('A'), 'sender', 'key')),
  });
  expect([single.exitCode, single.requests]).toEqual([2, []]);
  expect(await rig.run(`${SHIP} --sender sender.json`)).toMatchObject({ exitCode: 9, requests: [] });
  expect(ends(linesIn(rig))).toEqual(['A duplicate 2 false']);
});

test('A warning names its line, and --strict makes it an error', async () => {
  const doubtful = order('B', { customs: { totalGoodsValue: 1, currency: 'EUR' } });
  const rig = await shop([order('A'), doubtful]);
  const strict = await rig.run(`${SHIP} --strict`);
  expect(strict).toMatchObject({ exitCode: 2, requests: [] });
  expect(strict.stderr).toContain('line 2');
  const ran = await rig.run(SHIP);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toMatch(/^warning: line 2: .*totalGoodsValue/m);
});
