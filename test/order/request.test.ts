// How a request is built and refused, where test/promises/{request,validation,specs}.test.ts do not show it: values of many
// forms, and what is said of a field that is missing.
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { getAt } from '../../src/contract/paths.ts';
import { changed } from '../contract/rig.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { errorOf, SHIPMENT, switchable } from '../rig/service.ts';

describe('A value on the command line', () => {
  /** The body that is shown with these options. */
  const bodyWith = async (...options: string[]) => {
    const rig = await createRig();
    const stdin = JSON.stringify(SHIPMENT);
    return (await rig.json(['ship', '-f', '-', '--dry-run', ...options], { stdin })).body;
  };

  test.each<[string, unknown]>([
    ['receiver.firstName= a=b ', ' a=b '],
    ['receiver.address.city=📦 "$(x)" \\n', '📦 "$(x)" \\n'],
    ['customs.iossNumber=', ''],
    ['items[0].unitPrice=12.50', 12.5],
    ['items[0].unitPrice=1e2', 100],
    ['items[0].unitPrice= .5 ', 0.5],
    ['items[0].unitPrice=007', 7],
    ['chargeableWeight=9007199254740992', 9007199254740992],
  ])('of --set %s has the type of its field', async (set, value) => {
    const body = await bodyWith('--set', 'chargeableWeight=1', '--set', set);
    expect(getAt(body, set.slice(0, set.indexOf('=')))).toEqual(value);
  });

  test.each([
    ['T-shirt, blue, 100% cotton', 3, 0.1, 0.3],
    ['a = b', 7, 19.99, 139.93],
    ['Bead', 1_000_000, 0.000001, 1],
  ])('of --item, %j, %d at %d, costs %d', async (description, quantity, unitPrice, totalPrice) => {
    const spec = `description=${description},hsCode=0610910,countryOfOrigin=TR, quantity=${quantity},unitPrice=${unitPrice}`;
    const { items } = await bodyWith('--item', spec);
    const item = { description, hsCode: '0610910', countryOfOrigin: 'TR' };
    expect(items).toEqual([{ ...item, quantity, unitPrice, totalPrice }]);
  });
});

/** The faults of a refusal as `path: flag`, or its message without one; it was refused before a byte was sent. */
function faultsOf(ran: Ran): string[] {
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  return errorOf(ran).issues.map(
    ({ path, message }) => `${path}: ${/\((--[^()]*)\)$/.exec(message)?.[1] ?? message}`,
  );
}

describe('A field that is missing is named by what gives it:', () => {
  const GOODS = ['--type', '--category', '--package', '--item', '--total-goods-value', '--currency'];
  test.each([
    ['ship', [...GOODS, '--sender', '--receiver', '--carrier']],
    ['ship-dual', [...GOODS, '--sender', '--receiver', '--international', '--domestic']],
    ['quote', ['--from', '--to', '--package']],
    ['rates', ['--package', '--from', '--to']],
  ])('all of %s', async (command, flags) => {
    const ran = await (await createRig()).run(`${command} -f - --json`, { stdin: '{}' });
    expect(faultsOf(ran).map(fault => fault.replace(/.*: /, ''))).toEqual(flags);
  });

  test('a record of a batch, of which no --set for all records is suggested', async () => {
    const rig = await createRig();
    rig.file('orders.jsonl', changed(SHIPMENT, { key: 'A', type: undefined, 'receiver.email': undefined }));
    expect(faultsOf(await rig.run('batch ship orders.jsonl --json'))).toEqual([
      'line 1: type: --type',
      'line 1: receiver.email: is required',
    ]);
  });
});

test.each([
  ['quote', '--from UK --to DE --package 2kg', '--package "2kg" is not of the form', 'did you mean GB?'],
  ['ship', '--category sale --package 2kg', '--package "2kg" is not of the form', 'did you mean sales?'],
  ['ship-dual', '--category sale --item T-shirt', '--item "T-shirt" is not of', 'did you mean sales?'],
])(
  '%s %s shows a SPEC that cannot be read together with the other problems',
  async (command, flags, ...told) => {
    const { exitCode, stderr } = await (await createRig()).run(`${command} ${flags}`);
    expect(exitCode).toBe(2);
    for (const words of told) expect(stderr).toContain(words);
    // What is missing may be just what could not be read.
    expect(stderr).not.toContain('is required');
  },
);

test('warnings with --strict do not hide that an order with this key may exist, or exists', async () => {
  const fault = switchable('reset-after');
  const doubtful = changed(SHIPMENT, { 'customs.totalGoodsValue': 7 });
  const rig = await createRig({ ...fault, files: { 'order.json': doubtful } });
  fault.turn('on');
  expect((await rig.run('ship order.json --key LOST')).exitCode).toBe(8);
  fault.turn('off');
  expect((await rig.run('ship order.json --key BOOKED')).exitCode).toBe(0);
  for (const [key, exitCode] of Object.entries({ LOST: 8, BOOKED: 0, NEW: 2 })) {
    const ran = await rig.run(`ship order.json --key ${key} --strict`);
    expect(ran).toMatchObject({ exitCode, requests: [] });
  }
});

test.each([
  ['document.json', 'ship'],
  ['dual.json', 'ship-dual'],
  ['saudi.json', 'ship'],
  ['shirt.json', 'ship'],
  ['uk.json', 'ship'],
  ['webhook.json', 'webhook create'],
])('%s of fixtures/orders is a whole request of %s', async (name, command) => {
  const { run } = await createRig();
  const { exitCode, stdout } = await run(
    `${command} -f ${resolve('fixtures/orders', name)} --dry-run --json`,
  );
  expect([exitCode, JSON.parse(stdout).unresolved]).toEqual([0, []]);
});

test('a result that cannot be shown is exit 10, and it says that the work was done', async () => {
  const rig = await createRig();
  const options = { stdin: JSON.stringify(SHIPMENT), stdoutFault: new Error('ENOSPC: no space left') };
  const { code, message } = errorOf(await rig.run('ship -f - --json', options));
  expect([code, message]).toEqual(['storage', expect.stringContaining('did its work')]);
  for (const argv of ['--help', '--version', 'schema --openapi'])
    expect((await rig.run(argv, options)).exitCode).toBe(10);
});
