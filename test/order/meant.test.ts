// A name that no booking has is searched in the journal: orders that may be meant are named, and none is taken.
import { describe, expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { errorOf, posted, SHIPMENT, sent } from '../rig/service.ts';

async function shop(): Promise<Rig> {
  const rig = await createRig();
  for (const [key, firstName, lastName, city] of [
    ['#5001', 'Jonas', 'Müller', 'Dresden'],
    ['#5002', 'Mia', 'Müllerin', 'Bonn'],
    ['ORDER-7', 'Eva', 'Weber', 'Bonn'],
  ]) {
    const receiver = { 'receiver.firstName': firstName, 'receiver.lastName': lastName };
    const stdin = JSON.stringify(changed(SHIPMENT, { ...receiver, 'receiver.address.city': city }));
    await rig.run(`ship -f - --key ${key}`, { stdin });
  }
  return rig;
}

describe('track', () => {
  test('names the orders whose receiver a name begins, after the service did not know it', async () => {
    const rig = await shop();
    const ran = await rig.run('track mull --json');
    expect(sent(ran)).toEqual(['GET /v1/shipments/mull']);
    expect(errorOf(ran)).toMatchObject({
      code: 'not_found',
      exitCode: 4,
      next: [['waybill', 'history', 'list', '--search', 'mull']],
    });
    expect(errorOf(ran).message).toContain(
      'In the journal "mull" fits these orders: "#5002" to Mia Müllerin (Bonn, DE), 2026-03-02 09:00, created; "#5001" to Jonas Müller (Dresden, DE), 2026-03-02 09:00, created. For the first of them: `waybill track \'#5002\'`',
    );
  });

  test('takes no order silently, also if only one fits, or its number is typed in part', async () => {
    const rig = await shop();
    const one = await rig.run('track weber');
    expect([one.exitCode, one.stdout]).toEqual([4, '']);
    expect(one.stderr).toContain('"weber" fits this order: "ORDER-7" to Eva Weber (Bonn, DE)');
    expect(one.stderr).toContain('If it is meant: `waybill track ORDER-7`');
    const part = await rig.run('track 50');
    expect([part.exitCode, part.stderr]).toEqual([4, expect.stringContaining('"#5002" to Mia Müllerin')]);
    const several = await rig.run('track ORDER-7 weber --json');
    expect([several.exitCode, several.stdout]).toEqual([9, expect.stringContaining('fits this order')]);
    const nobody = await rig.run('track nobody');
    expect([nobody.exitCode, nobody.stderr]).toEqual([4, expect.not.stringContaining('journal')]);
  });
});

describe('label', () => {
  test.each(['5009', '#77', 'ORDER-1001', 'weber', 'No 5'])(
    'never takes what looks like an order number or a name for a shipment (%s)',
    async name => {
      const ran = await (await shop()).run(['label', name]);
      expect(ran).toMatchObject({ exitCode: 4, requests: [] });
      expect(ran.stderr).toContain('`waybill label --international SHIPMENT_ID`');
    },
  );

  test('names the orders that may be meant, and makes no label', async () => {
    const rig = await shop();
    const ran = await rig.run('label weber --json');
    expect(posted(ran)).toEqual([]);
    expect(errorOf(ran).message).toContain('If it is meant: `waybill label ORDER-7`');
    // A label is a booking, and a program is never told to book.
    expect(errorOf(ran).next).toEqual([['waybill', 'history', 'list', '--search', 'weber']]);
    const several = await rig.run('label ORDER-7 dresden');
    expect(several.exitCode).toBe(9);
    expect(several.stderr).toContain('"dresden" fits this order: "#5001"');
  });
});

test('history show names the orders that may be meant', async () => {
  const ran = await (await shop()).run('history show bonn');
  expect(ran.exitCode).toBe(4);
  expect(ran.stderr).toContain('fits these orders: "ORDER-7" to Eva Weber (Bonn, DE)');
  expect(ran.stderr).toContain('`waybill history show ORDER-7`');
});

describe('what a customer says on the phone', () => {
  const SAID = {
    'a national number': '030 5550123',
    'a number from abroad': '+49 (0)30 555-01-23',
    'an e-mail address': 'Eva.Weber@example.com',
    'a postal code': '10 119',
    'a street': 'Torstr',
  };

  async function desk(): Promise<Rig> {
    const rig = await shop();
    const receiver = {
      ...{
        'receiver.phone': { code: '', number: '030 / 555 01 23' },
        'receiver.email': 'eva.weber@example.com',
      },
      ...{ 'receiver.address.zipCode': '10119', 'receiver.address.line1': 'Torstraße 4' },
    };
    const stdin = JSON.stringify(changed(SHIPMENT, receiver));
    expect((await rig.run('ship -f - --key ORDER-8', { stdin })).exitCode).toBe(0);
    return rig;
  }

  test.each(Object.entries(SAID))('%s finds the order', async (_, said) => {
    const rig = await desk();
    const [first, ...others] = await rig.json(['history', 'list', '--search', said]);
    expect(first.key).toBe('ORDER-8');
    // The street is that of the other orders, too.
    if (!/Torstr|119/.test(said)) expect(others).toEqual([]);
  });

  test.each(['track', 'label', 'history show'])('%s names the order, and takes none', async command => {
    const rig = await desk();
    for (const said of [SAID['a national number'], SAID['an e-mail address']]) {
      const ran = await rig.run([...command.split(' '), said]);
      expect([ran.exitCode, ran.stdout, posted(ran)]).toEqual([4, '', []]);
      expect(ran.stderr).toContain(`fits this order: "ORDER-8" to `);
      expect(ran.stderr).toContain(`\`waybill ${command} ORDER-8\``);
    }
  });
});
