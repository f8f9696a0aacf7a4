import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { getAt } from '../../src/contract/paths.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { DUAL, errorOf, SHIPMENT, sent, switchable } from '../rig/service.ts';

const QUOTE = 'quote --from TR --to DE --package 1.5kg@30x20x10cm';

const sender = (firstName: string) => ({ ...(SHIPMENT.sender as object), firstName });

describe('A request is built of layers, the stronger ones above', () => {
  test('profile < file < flags < --set', async () => {
    const rig = await createRig();
    rig.file('config/config.json', {
      profiles: {
        shop: {
          baseUrl: rig.address,
          category: 'gift',
          deliveryType: 'DDP',
          currency: 'USD',
          type: 'document',
        },
      },
    });
    const { type, category, deliveryType, ...rest } = SHIPMENT;
    const file = rig.file('order.json', { ...rest, customs: { totalGoodsValue: 125 }, category: 'sales' });
    const options =
      '--profile shop --dry-run --json --type package --set deliveryType=DAP --delivery-type DDP';
    const { exitCode, stdout } = await rig.run(`ship -f ${file} ${options}`);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).body).toMatchObject({
      customs: { totalGoodsValue: 125, currency: 'USD' },
      category: 'sales',
      type: 'package',
      deliveryType: 'DAP',
    });
  });

  test('a party and a list are replaced whole, and --set reaches inside', async () => {
    const rig = await createRig();
    rig.file('config/config.json', {
      profiles: { shop: { baseUrl: rig.address, sender: { ...sender('Saved'), companyName: 'Saved Ltd.' } } },
    });
    const file = rig.file('order.json', { ...SHIPMENT, sender: sender('File') });
    const flag = rig.file('sender.json', sender('Flag'));
    const command = `ship --profile shop --dry-run --json -f ${file} --package 2x1@10x10x10`;
    const plain = JSON.parse((await rig.run(command)).stdout).body;
    expect(plain.sender).toEqual(sender('File'));
    expect(plain.packages).toEqual([
      { quantity: 2, weight: 1, dimensions: { length: 10, width: 10, height: 10, unit: 'cm' } },
    ]);
    const set = `${command} --sender ${flag} --set sender.lastName=Set --set packages[0].weight=7`;
    const { body } = JSON.parse((await rig.run(set)).stdout);
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
    const invoice = { ...sender('Bill'), taxOffice: 'Cankaya' };
    rig.file('config/config.json', {
      profiles: {
        shop: { baseUrl: rig.address, invoice, parties: { berlin: SHIPMENT.receiver } },
      },
    });
    const { receiver, ...rest } = SHIPMENT;
    const file = rig.file('order.json', rest);
    const ran = await rig.run(`ship --profile shop --dry-run --json -f ${file} --receiver @berlin`);
    expect(JSON.parse(ran.stdout).body).toMatchObject({ receiver, invoice: sender('Bill') });
    expect(JSON.parse(ran.stdout).body.invoice).not.toHaveProperty('taxOffice');
    expect(ran.stderr).toContain('only dual shipments have it: invoice.taxOffice');
    const pair = rig.file('pair.json', { ...DUAL, receiver: undefined });
    const dual = await rig.run(`ship-dual --profile shop --dry-run --json -f ${pair} --receiver @berlin`);
    expect(JSON.parse(dual.stdout).body).toMatchObject({ receiver, invoice });
    expect(dual.stderr).not.toContain('taxOffice');
    const wrong = await rig.run(`ship --profile shop -f ${file} --receiver @paris --json`);
    expect(errorOf(wrong)).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(errorOf(wrong).message).toContain('it has berlin');
  });

  test('DAP and cm are filled in where the operation has them, and countries become upper case', async () => {
    const rig = await createRig();
    const { deliveryType: _, ...rest } = SHIPMENT;
    const file = rig.file('order.json', rest);
    const bodyWith = async (argv: string) =>
      JSON.parse((await rig.run(`${argv} --dry-run --json`)).stdout).body;
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
  const bodyWith = async (rig: Rig, ...options: string[]) => {
    const argv = ['ship', '-f', '-', '--dry-run', '--json', ...options];
    const { exitCode, stdout, stderr } = await rig.run(argv, { stdin: JSON.stringify(SHIPMENT) });
    expect([options, exitCode], stderr).toEqual([options, 0]);
    return JSON.parse(stdout).body;
  };

  test.each<[string, unknown]>([
    ['receiver.address.zipCode=00123', '00123'],
    ['receiver.firstName=a=b', 'a=b'],
    ['receiver.lastName= kept ', ' kept '],
    ['receiver.address.city=📦 "$(x)" \\n', '📦 "$(x)" \\n'],
    ['items[0].hsCode=0610910', '0610910'],
    ['carrier.id=007', '007'],
    ['carrier.id=true', 'true'],
    ['customs.iossNumber=', ''],
    ['items[0].quantity=2', 2],
    ['items[0].unitPrice=12.50', 12.5],
    ['items[0].unitPrice=1e2', 100],
    ['items[0].unitPrice= .5 ', 0.5],
    ['items[0].unitPrice=+5', 5],
    ['items[0].unitPrice=5.', 5],
    ['items[0].unitPrice=007', 7],
    ['chargeableWeight=9007199254740992', 9007199254740992],
    ['receiver.phone={"code":"+49","number":"30111222"}', { code: '+49', number: '30111222' }],
  ])('of --set %s has the type of its field', async (set, value) => {
    const body = await bodyWith(await createRig(), '--set', 'chargeableWeight=1', '--set', set);
    expect(getAt(body, set.slice(0, set.indexOf('=')))).toEqual(value);
  });

  test('of a boolean field is true or false', async () => {
    const { run } = await createRig({ files: { 'dual.json': DUAL } });
    const ran = await run('ship-dual -f dual.json --set label=true --dry-run --json');
    expect(JSON.parse(ran.stdout).body.label).toBe(true);
  });

  test.each([
    ['2x1.5kg@30x20x10cm', [2, 1.5, 30, 20, 10]],
    ['1.5@30x20x10', [1, 1.5, 30, 20, 10]],
    [' 3 X .5 KG @ 30 x 20.5 x 10 CM ', [3, 0.5, 30, 20.5, 10]],
  ])('--package %j is pieces x weight of each @ length x width x height', async (spec, numbers) => {
    const [quantity, weight, length, width, height] = numbers;
    const dimensions = { length, width, height, unit: 'cm' };
    const { packages } = await bodyWith(await createRig(), '--package', spec);
    expect(packages).toEqual([{ quantity, weight, dimensions }]);
  });

  test.each([
    ['T-shirt, blue, 100% cotton', 3, 0.1, 0.3],
    ['a = b', 3, 1.1, 3.3],
    ['Mug', 7, 19.99, 139.93],
    ['Leaflet', 0, 12.5, 0],
    ['Bead', 1_000_000, 0.000001, 1],
  ])(
    '--item with the description %j, %d at %d, costs %d',
    async (description, quantity, unitPrice, totalPrice) => {
      const spec = `description=${description},hsCode=0610910,countryOfOrigin=TR, quantity=${quantity},unitPrice=${unitPrice}`;
      const { items } = await bodyWith(await createRig(), '--item', spec);
      expect(items).toEqual([
        { description, hsCode: '0610910', countryOfOrigin: 'TR', quantity, unitPrice, totalPrice },
      ]);
    },
  );
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
    'of %s prints the request as JSON, sends nothing and shows no credential',
    async (command, method, path, unresolved) => {
      const rig = await createRig({ env: { WAYBILL_TOKEN: 'very-secret' } });
      rig.file('ship.json', SHIPMENT);
      rig.file('dual.json', DUAL);
      for (const format of ['', ' --json']) {
        const ran = await rig.run(`${command} --dry-run --verbose${format}`);
        expect(ran).toMatchObject({ exitCode: 0, requests: [] });
        const shown = JSON.parse(ran.stdout);
        const books = command.startsWith('ship');
        expect(Object.keys(shown)).toEqual([
          'method',
          'url',
          'body',
          'unresolved',
          ...(books ? ['journal'] : []),
        ]);
        if (books) expect(shown.journal).toEqual({ state: 'new', booking: null });
        expect(existsSync(`${rig.folder}/state/journal.db`)).toBe(false);
        expect(shown).toMatchObject({ method, url: rig.address + path, unresolved });
        expect(ran.shown).not.toContain('secret');
      }
    },
  );

  test('lists the fields that a proposal would fill in, and leaves them out of the body', async () => {
    const rig = await createRig();
    const { chargeableWeight, ...rest } = SHIPMENT;
    const file = rig.file('order.json', rest);
    const { stdout, requests } = await rig.run(`ship -f ${file} --carrier fastest --dry-run --json`);
    const { body, unresolved } = JSON.parse(stdout);
    expect(unresolved).toEqual(['carrier.id', 'chargeableWeight']);
    expect(body).not.toHaveProperty('carrier');
    expect(body).not.toHaveProperty('chargeableWeight');
    expect(requests).toEqual([]);
  });

  test('validates all the same, and makes no folder', async () => {
    const rig = await createRig();
    const ran = await rig.run('label --dry-run --download labels --json');
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', operation: 'label' });
    await rig.run('label --international A --dry-run --download labels');
    expect(existsSync(`${rig.folder}/labels`)).toBe(false);
  });

  test('needs an address, but no credential', async () => {
    const rig = await createRig({ env: { WAYBILL_TOKEN: '' } });
    expect((await rig.run(`${QUOTE} --dry-run`)).exitCode).toBe(0);
    expect((await rig.run(QUOTE)).exitCode).toBe(3);
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
    const rates = 'rates --from TR --to DE --package 1@1x1x1 --json';
    for (const ran of [
      await rig.run(`${rates} --sandbox`),
      await rig.run(`${rates} --sandbox --dry-run`),
      await rig.run(rates, { env: { WAYBILL_SANDBOX: '1' } }),
    ]) {
      expect(errorOf(ran)).toMatchObject({ code: 'sandbox_unavailable', exitCode: 2, operation: 'rates' });
      expect(ran).toMatchObject({ stdout: '', requests: [] });
    }
    const ran = await rig.run(`${rates} --no-sandbox`, { env: { WAYBILL_SANDBOX: '1' } });
    expect(sent(ran)).toEqual(['POST /api/v1/shipping/rates']);
    // Nor without an address of the sandbox.
    const env = { WAYBILL_SANDBOX_BASE_URL: '' };
    const nowhere = await rig.run(`${QUOTE} --sandbox --json`, { env });
    expect(errorOf(nowhere)).toMatchObject({ code: 'sandbox_unavailable', exitCode: 2 });
  });
});

describe('Warnings', () => {
  const ITEMS = [{ ...(SHIPMENT.items as object[])[0], totalPrice: 130 }];
  const DOUBTFUL = { ...SHIPMENT, items: ITEMS };
  const TOTAL = 'items[0].totalPrice is 130, but quantity × unitPrice is 125';
  const SUM = 'customs.totalGoodsValue is 125, but the items add up to 130';

  test('are shown once each, and the booking goes ahead', async () => {
    const rig = await createRig();
    const file = rig.file('order.json', { ...DOUBTFUL, sender: { ...sender('A'), taxNumber: '1.2E+11' } });
    const ran = await rig.run(`ship -f ${file} --carrier fastest --json`);
    const told = ran.stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).warning)
      .filter(Boolean);
    expect(told).toEqual([
      TOTAL,
      SUM,
      'sender.taxNumber is "1.2E+11": a spreadsheet seems to have rounded a long number',
    ]);
    expect(ran.exitCode).toBe(0);
    expect(sent(ran)).toEqual(['POST /v1/carriers/proposal', 'POST /v1/shipments']);
    expect(await rig.run(`ship -f ${file} --key Q -q`)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('are errors with --strict, and nothing is sent', async () => {
    const rig = await createRig();
    const file = rig.file('order.json', DOUBTFUL);
    const ran = await rig.run(`ship -f ${file} --carrier fastest --json --strict`);
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', operation: 'ship' });
    expect(errorOf(ran).issues.map(issue => issue.message)).toEqual([TOTAL, SUM]);
    expect(ran).toMatchObject({ stdout: '', requests: [] });
    expect(existsSync(join(rig.folder, 'state/journal.db'))).toBe(false);
  });

  test('with --strict do not hide that an order with this key may exist, or exists', async () => {
    const fault = switchable('reset-after');
    const rig = await createRig({ ...fault });
    const file = rig.file('order.json', DOUBTFUL);
    fault.turn('on');
    expect((await rig.run(`ship -f ${file} --key LOST`)).exitCode).toBe(8);
    fault.turn('off');
    expect((await rig.run(`ship -f ${file} --key BOOKED`)).exitCode).toBe(0);
    for (const [key, exitCode] of [
      ['LOST', 8],
      ['BOOKED', 0],
      ['NEW', 2],
    ] as const)
      expect(await rig.run(`ship -f ${file} --key ${key} --strict`)).toMatchObject({
        exitCode,
        requests: [],
      });
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
