// A name that no booking has is searched in the journal: orders that may be meant are named, and none is taken.
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { errorOf, SHIPMENT, sent } from '../rig/service.ts';

async function shop(): Promise<Rig> {
  const rig = await createRig();
  for (const [key, firstName, lastName, city, phone, email] of [
    ['#5001', 'Jonas', 'Müller', 'Dresden', '3510000001', 'jonas@example.com'],
    ['#5002', 'Mia', 'Müllerin', 'Bonn', '2280000002', 'mia@example.com'],
    ['ORDER-7', 'Eva', 'Weber', 'Bonn', '030 / 555 01 23', 'eva.weber@example.com'],
  ]) {
    const receiver = { 'receiver.firstName': firstName, 'receiver.lastName': lastName };
    const reached = { 'receiver.phone.number': phone, 'receiver.email': email };
    const stdin = JSON.stringify(
      changed(SHIPMENT, { ...receiver, ...reached, 'receiver.address.city': city }),
    );
    expect((await rig.run(`ship -f - --key ${key}`, { stdin })).exitCode).toBe(0);
  }
  return rig;
}

test('track names all orders that a name begins, after the service did not know it', async () => {
  const rig = await shop();
  const ran = await rig.run('track mull --json');
  expect(sent(ran)).toEqual(['GET /v1/shipments/mull']);
  expect(errorOf(ran)).toMatchObject({
    code: 'not_found',
    exitCode: 4,
    next: [['waybill', 'history', 'list', '--search', 'mull']],
  });
  expect(errorOf(ran).message).toMatch(
    /these orders: "#5002" to Mia Müllerin \(Bonn, DE\), .*, created; "#5001" to Jonas Müller .* first of them: `waybill track '#5002'`/,
  );
  // A number that is typed in part is no name of an order, and a name that nobody has is in no journal.
  expect((await rig.run('track 50')).stderr).toContain('"#5002" to Mia Müllerin');
  expect((await rig.run('track nobody')).stderr).not.toContain('journal');
});

test('a program is not told to make a label: it is a booking', async () => {
  const ran = await (await shop()).run('label weber --json');
  expect(errorOf(ran).next).toEqual([['waybill', 'history', 'list', '--search', 'weber']]);
});

test.each(['5009', '#77', 'ORDER-1001', 'weber', 'No 5'])(
  'label never takes what looks like an order number or a name for a shipment (%s)',
  async name => {
    const ran = await (await shop()).run(['label', name]);
    expect(ran).toMatchObject({ exitCode: 4, requests: [] });
    expect(ran.stderr).toContain('`waybill label --international SHIPMENT_ID`');
  },
);
