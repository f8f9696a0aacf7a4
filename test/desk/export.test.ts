// What an export reads of a long journal: the excerpts of requests and answers in place of both. promises/handing-over has the rest.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/host/sqlite.ts';
import { jsonLines, order, scriptedService } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';

/** Answers as services give them: the carrier of the answer or of the request, prices as text, links, and envelopes. */
const ANSWERS: Record<string, (id: string) => object> = {
  A: id => ({ id, carrier: { id: 'EXP', price: '18.40', currency: 'eur' }, trackingNumber: 'T-A' }),
  B: id => ({ id, trackingNumber: 'T-B', extra: [{ tracking_url: 'https://t.example/B' }] }),
  C: id => ({ data: { id, carrier: { id: 'ECO', price: 0.00005, currency: 'EUR' }, trackingNumber: 'T-C' } }),
  D: id => ({ id, carrier: { id: 'EXP', price: 1234.5, currency: 'USD' }, trackingNumber: 'T-D' }),
  E: id => ({ id, carrier: { id: 'EXP', price: 99, currency: 'EUR' }, trackingNumber: 'T-E' }),
};
const KEYS = Object.keys(ANSWERS);

const VIEWS = ['export --for csv', 'export --for csv --json', 'summary --by carrier,country --json'];

async function night() {
  const service = await scriptedService(key => ({ status: 201, body: ANSWERS[key]?.(`S-${key}`) }));
  const rig = await createRig({ env: service.env });
  rig.file('orders.jsonl', jsonLines(KEYS.map(key => order(key, { receiver: receiverOf(key) }))));
  await rig.run('batch ship orders.jsonl --label --max-price 60EUR --max-overpriced 9');
  for (const command of ['history accept D', 'label D'])
    expect((await rig.run(command)).exitCode, command).toBe(0);
  expect((await rig.run('history cancelled E --reason gone')).exitCode).toBe(0);
  return rig;
}

const receiverOf = (key: string) => ({
  ...(order(key).receiver as object),
  ...{ firstName: 'Ayşe', lastName: `Şahin ${key}` },
});

async function seen(rig: Rig): Promise<string[]> {
  const texts: string[] = [];
  for (const view of VIEWS) texts.push((await rig.run(`history ${view}`)).stdout);
  return texts;
}

test('excerpts say what requests and answers say, and neither is read beside them', async () => {
  const rig = await night();
  const store = await openStore(join(rig.folder, 'state/journal.db'), { durability: 'normal' });
  const replaced = (before: string, after: string) =>
    store.run(`UPDATE bookings SET request = replace(request, '${before}', '${after}'),
      answer = replace(answer, '${before}', '${after}') WHERE excerpt IS NOT NULL`);
  try {
    const views = await seen(rig);
    expect(views[0]).toMatch(/^A,EXP,T-1,,.*Ayşe Şahin A,DE,18\.40,EUR/m);
    expect(views[0]).toMatch(/^B,EXP,T-1,https:\/\/t\.example\/B,.*Ayşe Şahin B,DE,,/m);
    expect(views[0]).toMatch(/^C,ECO,T-1,,.*Ayşe Şahin C,DE,0\.00005,EUR/m);
    expect(views[0]).toMatch(/^D,EXP,T-1,,.*Ayşe Şahin D,DE,1234\.5,USD/m);
    replaced('Ayşe', 'Other');
    replaced('EXP', 'XPX');
    expect(await seen(rig)).toEqual(views);
    replaced('XPX', 'EXP');
    replaced('Other', 'Ayşe');
    store.run('UPDATE bookings SET excerpt = NULL');
    expect(await seen(rig)).toEqual(views);
  } finally {
    store.close();
  }
});
