import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { getAt, parsePath, setAt } from '../../src/contract/paths.ts';
import { optional, part, strict, text } from '../../src/contract/shapes.ts';
import { buildRequest, gather } from '../../src/order/build.ts';
import type { Sources } from '../../src/order/order.ts';
import { DOCUMENT } from '../contract/document.ts';
import { createRig } from '../rig/command.ts';
import { DUAL, errorOf, refused, SHIPMENT, sent, switchable } from '../rig/service.ts';

const QUOTE = 'quote --from TR --to DE --package 1.5kg@30x20x10cm';

const sender = (firstName: string) => ({ ...(SHIPMENT.sender as object), firstName });

describe('A request is built of layers, the stronger ones above', () => {
  test('profile < file < flags < --set', async () => {
    const rig = await createRig();
    const saved = { category: 'gift', deliveryType: 'DDP', currency: 'USD', type: 'document' };
    rig.file('config/config.json', { profiles: { shop: { baseUrl: rig.address, ...saved } } });
    const { type, category, deliveryType, ...rest } = SHIPMENT;
    const file = rig.file('order.json', { ...rest, customs: { totalGoodsValue: 125 }, category: 'sales' });
    const options = '--profile shop --dry-run --type package --set deliveryType=DAP --delivery-type DDP';
    expect((await rig.json(`ship -f ${file} ${options}`)).body).toMatchObject({
      customs: { totalGoodsValue: 125, currency: 'USD' },
      category: 'sales',
      type: 'package',
      deliveryType: 'DAP',
    });
  });

  test('a flag of one field of a party sets that field: the rest stays, and a record without it has it', async () => {
    const body = strict({
      receiver: part('Who receives', {
        firstName: text('First name'),
        email: optional(text('E-mail', { flag: '--receiver-email <address>' })),
      }),
    });
    const operation = { ...OPERATIONS.createShipment, body, rules: [] };
    const profile = { receiver: { firstName: 'Saved' } };
    const rules = () => ({ economyCarriers: [], serviceOnLoopback: false });
    const printer = { note: async () => {}, warn: async () => {}, warnings: [] };
    const sources = { target: () => ({ profile }), rules, printer } as unknown as Sources;
    const options = { receiverEmail: 'eva@example.com', allowUnknown: false };
    const command = { operation, options: (given: Command) => given };
    const parts = await gather(sources, command, options);
    expect((await buildRequest(sources, parts)).body).toEqual({
      receiver: { firstName: 'Saved', email: 'eva@example.com' },
    });
    const record = { receiver: { firstName: 'Anna' } };
    expect((await buildRequest(sources, { ...parts, record })).body).toEqual({
      receiver: { firstName: 'Anna', email: 'eva@example.com' },
    });
  });

  test('a party and a list are replaced whole, and --set reaches inside', async () => {
    const rig = await createRig();
    const saved = { baseUrl: rig.address, sender: { ...sender('Saved'), companyName: 'Saved Ltd.' } };
    rig.file('config/config.json', { profiles: { shop: saved } });
    const file = rig.file('order.json', { ...SHIPMENT, sender: sender('File') });
    const flag = rig.file('sender.json', sender('Flag'));
    const command = `ship --profile shop --dry-run -f ${file} --package 2x1@10x10x10`;
    const plain = (await rig.json(command)).body;
    expect(plain.sender).toEqual(sender('File'));
    expect(plain.packages).toMatchObject([{ quantity: 2, weight: 1, dimensions: { length: 10 } }]);
    const set = `${command} --sender ${flag} --set sender.lastName=Set --set packages[0].weight=7`;
    const { body } = await rig.json(set);
    expect(body.sender).toEqual({ ...sender('Flag'), lastName: 'Set' });
    expect(body.packages[0]).toMatchObject({ quantity: 2, weight: 7 });
  });

  test('an empty text and null are stronger, too', async () => {
    const rig = await createRig();
    const saved = { category: 'sales', currency: 'EUR' };
    rig.file('config/config.json', { profiles: { shop: { baseUrl: rig.address, ...saved } } });
    const body = { ...SHIPMENT, category: null, customs: { totalGoodsValue: 0, currency: '' } };
    const ran = await rig.run('ship --profile shop -f - --json', { stdin: JSON.stringify(body) });
    expect(errorOf(ran).issues.map(({ path }) => path)).toEqual(['category', 'customs.currency']);
  });

  test('the parties of a profile are used if nothing stronger gives them', async () => {
    const rig = await createRig();
    const { createDualShipment, createShipment } = DOCUMENT;
    const onlyDual = Object.keys(createDualShipment.body)
      .filter(name => name.startsWith('invoice.') && !(name in createShipment.body))
      .map(name => name.replace('?', ''));
    const bill = { invoice: sender('Bill') };
    const whole = onlyDual.reduce<unknown>((body, path) => setAt(body, parsePath(path) ?? [], 'x'), bill);
    const invoice = getAt(whole, ['invoice']);
    const saved = { baseUrl: rig.address, invoice, parties: { berlin: SHIPMENT.receiver } };
    rig.file('config/config.json', { profiles: { shop: saved } });
    const { receiver, ...rest } = SHIPMENT;
    const file = rig.file('order.json', rest);
    const ran = await rig.run(`ship --profile shop --dry-run --json -f ${file} --receiver @berlin`);
    expect(JSON.parse(ran.stdout).body).toMatchObject({ receiver });
    expect(JSON.parse(ran.stdout).body.invoice).toEqual(sender('Bill'));
    expect(ran.stderr).toContain(`only dual shipments have it: ${onlyDual.join(', ')}`);
    const pair = rig.file('pair.json', { ...DUAL, receiver: undefined });
    const dual = await rig.run(`ship-dual --profile shop --dry-run --json -f ${pair} --receiver @berlin`);
    expect(JSON.parse(dual.stdout).body).toMatchObject({ receiver, invoice });
    expect(dual.stderr).not.toContain('only dual shipments');
    const wrong = await rig.run(`ship --profile shop -f ${file} --receiver @paris --json`);
    expect(errorOf(wrong)).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(errorOf(wrong).message).toContain('it has berlin');
  });

  test('DAP and cm are filled in where the operation has them, and countries become upper case', async () => {
    const rig = await createRig();
    const { deliveryType: _, ...rest } = SHIPMENT;
    const file = rig.file('order.json', rest);
    const bodyWith = async (argv: string) => (await rig.json(`${argv} --dry-run`)).body;
    const lower =
      '--set receiver.address.country.code=de --set receiver.lastName=de --set items[0].countryOfOrigin=tr';
    expect(await bodyWith(`ship -f ${file} --package 1@30x20x10 ${lower}`)).toMatchObject({
      deliveryType: 'DAP',
      packages: [{ dimensions: { unit: 'cm' } }],
      receiver: { lastName: 'de', address: { country: { code: 'DE' } } },
      items: [{ countryOfOrigin: 'tr' }],
    });
    expect(await bodyWith(`ship -f ${file} --delivery-type DDP`)).toMatchObject({ deliveryType: 'DDP' });
    const dimensions = { length: 30, width: 20, height: 10 };
    expect(await bodyWith('quote --from tr --to xk --package 2x1.5kg@30x20x10cm')).toEqual({
      originCountry: 'TR',
      destinationCountry: 'XK',
      packages: [{ quantity: 2, weight: 1.5, dimensions }],
    });
    expect(await bodyWith('rates --from tr --to gb --package 2x1.5kg@30x20x10cm')).toEqual({
      data: {
        countryFrom: 'TR',
        countryTo: 'GB',
        packages: [{ piece: 2, pieceWeight: 1.5, lengthCm: 30, width: 20, height: 10 }],
      },
    });
  });
});

describe('A value on the command line', () => {
  /** The body that is shown with these options. */
  const bodyWith = async (...options: string[]) => {
    const rig = await createRig();
    const { body } = await rig.json(['ship', '-f', '-', '--dry-run', ...options], {
      stdin: JSON.stringify(SHIPMENT),
    });
    return body;
  };

  test.each<[string, unknown]>([
    ['receiver.address.zipCode=00123', '00123'],
    ['receiver.firstName= a=b ', ' a=b '],
    ['receiver.address.city=📦 "$(x)" \\n', '📦 "$(x)" \\n'],
    ['carrier.id=true', 'true'],
    ['customs.iossNumber=', ''],
    ['items[0].quantity=2', 2],
    ['items[0].unitPrice=12.50', 12.5],
    ['items[0].unitPrice=1e2', 100],
    ['items[0].unitPrice= .5 ', 0.5],
    ['items[0].unitPrice=007', 7],
    ['chargeableWeight=9007199254740992', 9007199254740992],
    ['receiver.phone={"code":"+49","number":"30111222"}', { code: '+49', number: '30111222' }],
  ])('of --set %s has the type of its field', async (set, value) => {
    const body = await bodyWith('--set', 'chargeableWeight=1', '--set', set);
    expect(getAt(body, set.slice(0, set.indexOf('=')))).toEqual(value);
  });

  test('of --package may be written with other blanks and letters', async () => {
    const { packages } = await bodyWith('--package', ' 3 X .5 KG @ 30 x 20.5 x 10 CM ');
    const dimensions = { length: 30, width: 20.5, height: 10, unit: 'cm' };
    expect(packages).toEqual([{ quantity: 3, weight: 0.5, dimensions }]);
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

describe('--dry-run', () => {
  const dry: [string, string, string, unknown][] = [
    [QUOTE, 'POST', '/v1/carriers/proposal', []],
    ['rates --from tr --to de --package 1@1x1x1', 'POST', '/api/v1/shipping/rates', []],
    ['ship -f ship.json', 'POST', '/v1/shipments', []],
    ['ship -f ship.json --carrier cheapest', 'POST', '/v1/shipments', ['carrier.id']],
    ['ship-dual -f dual.json', 'POST', '/v2/shipments', []],
    ['label --international A', 'POST', '/v2/carriers/create', []],
  ];
  test.each(dry)(
    'of %s prints the request as JSON, and sends nothing',
    async (command, method, path, unresolved) => {
      const rig = await createRig({ files: { 'ship.json': SHIPMENT, 'dual.json': DUAL } });
      for (const format of ['', ' --json']) {
        const ran = await rig.run(`${command} --dry-run --verbose${format}`);
        expect(ran).toMatchObject({ exitCode: 0, requests: [] });
        const shown = JSON.parse(ran.stdout);
        expect(shown).toEqual({
          ...{ method, url: rig.address + path, body: expect.anything(), unresolved },
          ...(/^(ship|label)/.test(command) && { journal: { state: 'new', booking: null } }),
        });
        expect(existsSync(`${rig.folder}/state/journal.db`)).toBe(false);
      }
    },
  );

  test('validates all the same, and makes no folder', async () => {
    const rig = await createRig();
    const ran = await rig.run('label --dry-run --download labels --json');
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', operation: 'label' });
    await rig.run('label --international A --dry-run --download labels');
    expect(existsSync(`${rig.folder}/labels`)).toBe(false);
  });
});

describe('--sandbox', () => {
  test('sends to the sandbox and nowhere else, and says so', async () => {
    const rig = await createRig({ files: { 'ship.json': SHIPMENT, 'dual.json': DUAL } });
    for (const [command, path] of [
      [QUOTE, '/sandbox/v1/carriers/proposal'],
      ['ship -f ship.json --carrier fastest', '/sandbox/v1/shipments'],
      ['ship-dual -f dual.json', '/sandbox/v2/shipments'],
    ] as const) {
      const ran = await rig.run(`${command} --sandbox`);
      expect(ran.exitCode).toBe(0);
      expect(ran.stderr).toMatch(/^sandbox: /m);
      expect(sent(ran).at(-1)).toBe(`POST ${path}`);
      for (const { path: arrived } of ran.requests) expect(arrived).toMatch(/^\/sandbox\//);
    }
  });

  test('of rates is refused, by flag and by environment, and never sent to production instead', async () => {
    const rig = await createRig();
    const rates = 'rates --from TR --to DE --package 1@1x1x1';
    const unavailable = { code: 'sandbox_unavailable', operation: 'rates' };
    expect(await refused(rig, `${rates} --sandbox`)).toMatchObject(unavailable);
    expect(await refused(rig, `${rates} --sandbox --dry-run`)).toMatchObject(unavailable);
    expect(await refused(rig, rates, { env: { WAYBILL_SANDBOX: '1' } })).toMatchObject(unavailable);
    const ran = await rig.run(`${rates} --no-sandbox`, { env: { WAYBILL_SANDBOX: '1' } });
    expect(sent(ran)).toEqual(['POST /api/v1/shipping/rates']);
    // Nor without an address of the sandbox.
    const nowhere = await refused(rig, `${QUOTE} --sandbox`, { env: { WAYBILL_SANDBOX_BASE_URL: '' } });
    expect(nowhere.code).toBe('sandbox_unavailable');
  });
});

describe('Warnings', () => {
  const ITEMS = [{ ...(SHIPMENT.items as object[])[0], totalPrice: 130 }];
  const DOUBTFUL = { ...SHIPMENT, items: ITEMS };
  const TOTAL = 'items[0].totalPrice is 130, but quantity × unitPrice is 125';
  const SUM = 'customs.totalGoodsValue is 125, but the items add up to 130';

  test('are errors with --strict, and nothing is sent; -q shows none', async () => {
    const rig = await createRig();
    const file = rig.file('order.json', DOUBTFUL);
    const { code, issues } = await refused(rig, `ship -f ${file} --carrier fastest --strict`);
    expect([code, ...issues.map(issue => issue.message)]).toEqual(['invalid_request', TOTAL, SUM]);
    expect(existsSync(join(rig.folder, 'state/journal.db'))).toBe(false);
    expect(await rig.run(`ship -f ${file} -q`)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('with --strict do not hide that an order with this key may exist, or exists', async () => {
    const fault = switchable('reset-after');
    const rig = await createRig({ ...fault });
    const file = rig.file('order.json', DOUBTFUL);
    fault.turn('on');
    expect((await rig.run(`ship -f ${file} --key LOST`)).exitCode).toBe(8);
    fault.turn('off');
    expect((await rig.run(`ship -f ${file} --key BOOKED`)).exitCode).toBe(0);
    for (const [key, exitCode] of Object.entries({ LOST: 8, BOOKED: 0, NEW: 2 })) {
      const ran = await rig.run(`ship -f ${file} --key ${key} --strict`);
      expect(ran).toMatchObject({ exitCode, requests: [] });
    }
  });
});

describe('The orders of fixtures/', () => {
  const order = (name: string) => `-f ${resolve('fixtures/orders', name)} --dry-run --json`;

  test.each([
    ['document.json', 'ship'],
    ['dual.json', 'ship-dual'],
    ['saudi.json', 'ship'],
    ['shirt.json', 'ship'],
    ['uk.json', 'ship'],
    ['webhook.json', 'webhook create'],
  ])('%s is a whole request of %s', async (name, command) => {
    const { run } = await createRig();
    const { exitCode, stdout } = await run(`${command} ${order(name)}`);
    expect([exitCode, JSON.parse(stdout).unresolved]).toEqual([0, []]);
  });
});

test('A result that cannot be shown is exit 10, and it says that the work was done', async () => {
  const rig = await createRig();
  const options = { stdin: JSON.stringify(SHIPMENT), stdoutFault: new Error('ENOSPC: no space left') };
  const { code, message } = errorOf(await rig.run('ship -f - --json', options));
  expect([code, message]).toEqual(['storage', expect.stringContaining('did its work')]);
  for (const argv of ['--help', '--version', 'schema --openapi'])
    expect((await rig.run(argv, options)).exitCode).toBe(10);
});

test('--set of one field of a party keeps the rest of it: of the profile, of a file, and of a saved party', async () => {
  const { receiver, ...rest } = SHIPMENT;
  const rig = await createRig();
  rig.file('config/config.json', {
    profiles: { shop: { receiver, parties: { anna: receiver } } },
    current: 'shop',
  });
  const changed = setAt(receiver, ['address', 'city'], 'Bonn');
  for (const [flags, body] of [
    [[], rest],
    [[], SHIPMENT],
    [['--receiver', '@anna'], rest],
  ] as const) {
    const line = ['ship', '-f', '-', ...flags, '--set', 'receiver.address.city=Bonn', '--dry-run'];
    const ran = await rig.run(line, { stdin: JSON.stringify(body) });
    expect(JSON.parse(ran.stdout).body.receiver).toEqual(changed);
  }
});
