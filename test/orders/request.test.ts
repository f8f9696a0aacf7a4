import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { bodyOf, DUAL, errorOf, SHIPMENT, sent, switchable } from '../rig/service.ts';

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
    const wrong = await rig.run(`ship --profile shop -f ${file} --receiver @paris --json`);
    expect(errorOf(wrong)).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(errorOf(wrong).message).toContain('it has berlin');
  });

  test('-f - is stdin, with or without a byte order mark', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - -q', { stdin: `\ufeff${JSON.stringify(SHIPMENT)}` });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^\S+\n$/);
    expect(bodyOf(ran)).toEqual(SHIPMENT);
  });

  test('a file that is not a JSON object is refused, and nothing is sent', async () => {
    const rig = await createRig();
    for (const [stdin, words] of [
      ['{"type":', 'stdin is not JSON'],
      ['[]', 'holds a list'],
      ['3', 'holds a bare value'],
    ] as const) {
      const ran = await rig.run('ship -f - --json', { stdin });
      expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', exitCode: 2 });
      expect(ran).toMatchObject({ stdout: '', requests: [] });
      expect(ran.stderr).toContain(words);
    }
    const missing = await rig.run('ship -f nowhere.json --json');
    expect(errorOf(missing)).toMatchObject({ code: 'storage', exitCode: 10 });
    expect(missing.stderr).toContain('nothing was sent');
  });

  test('a zip code given with --set stays text, a weight becomes a number', async () => {
    const rig = await createRig();
    const file = rig.file('order.json', SHIPMENT);
    const sets = '--set receiver.address.zipCode=00123 --set chargeableWeight=5.50';
    const { stdout } = await rig.run(`ship -f ${file} --dry-run --json ${sets}`);
    expect(JSON.parse(stdout).body).toMatchObject({
      receiver: { address: { zipCode: '00123' } },
      chargeableWeight: 5.5,
    });
  });

  test('DAP, cm and a total are filled in, and countries become upper case', async () => {
    const rig = await createRig();
    const { deliveryType, packages, items, ...rest } = SHIPMENT;
    const file = rig.file('order.json', rest);
    const item = 'description=T-shirt, blue,hsCode=0610910,countryOfOrigin=TR,quantity=3,unitPrice=0.1';
    const { stdout } = await rig.run([
      ...`ship -f ${file} --dry-run --json --package 1@30x20x10 --set receiver.address.country.code=de`.split(
        ' ',
      ),
      ...['--total-goods-value', '0.3', '--item', item],
    ]);
    const { body } = JSON.parse(stdout);
    expect(body).toMatchObject({
      deliveryType: 'DAP',
      packages: [{ dimensions: { unit: 'cm' } }],
      items: [{ description: 'T-shirt, blue', hsCode: '0610910', totalPrice: 0.3 }],
      receiver: { address: { country: { code: 'DE' } } },
    });
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
    'of %s prints the request as JSON, sends nothing and shows no credential',
    async (command, method, path, unresolved) => {
      const rig = await createRig({ env: { WAYBILL_TOKEN: 'very-secret' } });
      rig.file('ship.json', SHIPMENT);
      rig.file('dual.json', DUAL);
      for (const format of ['', ' --json']) {
        const ran = await rig.run(`${command} --dry-run --verbose${format}`);
        expect(ran).toMatchObject({ exitCode: 0, requests: [] });
        const shown = JSON.parse(ran.stdout);
        expect(Object.keys(shown)).toEqual(['method', 'url', 'body', 'unresolved']);
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
    expect((await import('node:fs')).existsSync(`${rig.folder}/labels`)).toBe(false);
  });

  test('needs an address, but no credential', async () => {
    const rig = await createRig({ env: { WAYBILL_TOKEN: '' } });
    expect((await rig.run(`${QUOTE} --dry-run`)).exitCode).toBe(0);
    expect((await rig.run(QUOTE)).exitCode).toBe(3);
  });

  test('-q is the method and the address', async () => {
    const rig = await createRig();
    const ran = await rig.run(`${QUOTE} --dry-run -q`);
    expect(ran).toMatchObject({ stdout: `POST ${rig.address}/v1/carriers/proposal\n`, stderr: '' });
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
  });

  test('without a sandbox address is refused', async () => {
    const rig = await createRig({ env: { WAYBILL_SANDBOX_BASE_URL: '' } });
    const ran = await rig.run(`${QUOTE} --sandbox --json`);
    expect(errorOf(ran)).toMatchObject({ code: 'sandbox_unavailable', exitCode: 2 });
    expect(ran.requests).toEqual([]);
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
  });

  test('are errors with --strict, and nothing is sent', async () => {
    const rig = await createRig();
    const file = rig.file('order.json', DOUBTFUL);
    const ran = await rig.run(`ship -f ${file} --carrier fastest --json --strict`);
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', operation: 'ship' });
    expect(errorOf(ran).issues.map(issue => issue.message)).toEqual([TOTAL, SUM]);
    expect(ran).toMatchObject({ stdout: '', requests: [] });
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

  test('are not shown with -q', async () => {
    const rig = await createRig();
    const file = rig.file('order.json', DOUBTFUL);
    expect(await rig.run(`ship -f ${file} -q`)).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
