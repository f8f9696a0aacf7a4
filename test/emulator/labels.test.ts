import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseToken } from '../../src/emulator/tokens.ts';
import { dualBody, faultyPaths, RIGS, type Rig, shipmentBody } from '../rig/emulator.ts';

const tokens = new Map(
  ['demo', 'writer:shipment:write', 'labeller:shipment:write,shipment:label'].map(parseToken),
);

describe.each(RIGS)('labels %s', (_name, open) => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await open({ tokens });
  });
  afterEach(() => rig.close());

  const as = (token: string) => ({ 'x-api-key': token });
  const linkPath = (link: string) => link.slice(rig.origin.length);

  test('a dual shipment with label: true has both labels, the international one with a link', async () => {
    const { body } = await rig.call('POST', '/v2/shipments', dualBody(), as('labeller'));
    expect(body).toMatchObject({
      success: true,
      international: {
        label: {
          success: true,
          operation: 'create',
          carrier: 'EXP',
          trackingNumber: expect.stringMatching(/^EXP\d{10}$/),
        },
      },
      domestic: {
        label: {
          success: true,
          operation: 'create',
          carrier: 'DOM',
          trackingNumber: expect.stringMatching(/^DOM\d{10}$/),
        },
      },
    });
    expect(body.domestic.label).not.toHaveProperty('labelPdf');
    const { trackingNumber, labelPdf } = body.international.label;
    expect(labelPdf).toBe(`${rig.origin}/labels/${trackingNumber}.pdf`);
  });

  test('without the label scope a dual shipment has no labels and no error', async () => {
    const { status, body } = await rig.call('POST', '/v2/shipments', dualBody(), as('writer'));
    expect([status, body.success]).toEqual([201, true]);
    expect(body.international).not.toHaveProperty('label');
    expect(body.domestic).not.toHaveProperty('label');
  });

  test('creating a label needs no scope', async () => {
    const { body } = await rig.call('POST', '/v2/shipments', dualBody(), as('writer'));
    const ids = { international: body.international.shipment.id, domestic: body.domestic.shipment.id };
    const labels = await rig.call('POST', '/v2/carriers/create', ids, as('writer'));
    expect(labels.status).toBe(200);
    expect(labels.body.domestic).not.toHaveProperty('label');
    expect(labels.body.international.label).toContain(labels.body.international.trackingNumber);
  });

  test('each call makes a new label, and the shipment shows the newest', async () => {
    const { body: made } = await rig.call('POST', '/v1/shipments', shipmentBody());
    const call = () => rig.call('POST', '/v2/carriers/create', { international: made.id });
    const first = (await call()).body;
    const second = (await call()).body;
    expect(first).not.toHaveProperty('domestic');
    expect(second.international.trackingNumber).not.toBe(first.international.trackingNumber);
    const { body } = await rig.call('GET', `/v1/shipments/${made.id}`);
    expect(body.tracking.trackingNumber).toBe(second.international.trackingNumber);
    for (const { international } of [first, second])
      expect((await rig.call('GET', linkPath(international.label), undefined, {})).status).toBe(200);
  });

  test('no id, an unknown id or the id of the other leg is a 400, and no label is made', async () => {
    const { body } = await rig.call('POST', '/v2/shipments', { ...dualBody(), label: false });
    const international = body.international.shipment.id;
    const create = (ids: unknown) => rig.call('POST', '/v2/carriers/create', ids);
    expect((await create({})).status).toBe(400);
    const unknown = await create({ international, domestic: 'shp_unknown' });
    expect([unknown.status, faultyPaths(unknown)]).toEqual([400, ['domestic']]);
    expect((await create({ domestic: international })).status).toBe(400);
    const read = await rig.call('GET', `/v1/shipments/${international}`);
    expect(read.body.tracking.trackingNumber).toBe('');
  });

  test('a label link always gives the same PDF, without a credential', async () => {
    const { body } = await rig.call('POST', '/v2/shipments', dualBody());
    const path = linkPath(body.international.label.labelPdf);
    const first = await rig.call('GET', path, undefined, {});
    expect([first.status, first.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(Buffer.from(first.bytes).subarray(0, 8).toString()).toBe('%PDF-1.4');
    expect((await rig.call('GET', path, undefined, {})).bytes).toEqual(first.bytes);
  });

  test('a label has a page for each piece, and receiver and sender with telephone in Latin letters', async () => {
    const { packages, ...body } = shipmentBody();
    const { body: made } = await rig.call('POST', '/v1/shipments', {
      ...body,
      packages: [
        { ...packages[0], quantity: 2, weight: 1.5 },
        { ...packages[0], quantity: 1, weight: 3 },
      ],
      receiver: { ...body.receiver, firstName: '\u738b', phone: { code: '+49', number: '30111' } },
    });
    const { body: labels } = await rig.call('POST', '/v2/carriers/create', { international: made.id });
    const { bytes } = await rig.call('GET', linkPath(labels.international.label), undefined, {});
    const file = Buffer.from(bytes).toString('latin1');
    const shown = [...file.matchAll(/\((.*)\) Tj/g)].map(([, line]) => line);
    expect(shown).toEqual(
      expect.arrayContaining([`Wang ${body.receiver.lastName}`, 'Phone +49 30111', made.id]),
    );
    expect(shown.filter(line => / of | kg$/.test(String(line)))).toEqual([
      '1 of 3',
      '1.5 kg',
      '2 of 3',
      '1.5 kg',
      '3 of 3',
      '3 kg',
    ]);
  });

  test('a shipment has at most 999 pieces', async () => {
    const [group] = shipmentBody().packages;
    const packages = [
      { ...group, weight: 0.001, quantity: 999 },
      { ...group, quantity: 0 },
    ];
    const single = await rig.call('POST', '/v1/shipments', { ...shipmentBody(), packages });
    const dual = await rig.call('POST', '/v2/shipments', { ...dualBody(), packages });
    expect([single.status, faultyPaths(single)]).toEqual([422, ['packages']]);
    expect([dual.status, faultyPaths(dual)]).toEqual([400, ['packages']]);
    packages.pop();
    expect((await rig.call('POST', '/v1/shipments', { ...shipmentBody(), packages })).status).toBe(201);
  });

  test('sandbox labels are served only in the sandbox', async () => {
    const { body } = await rig.call('POST', '/sandbox/v2/shipments', dualBody());
    const path = linkPath(body.international.label.labelPdf);
    expect(path).toMatch(/^\/sandbox\/labels\//);
    expect((await rig.call('GET', path, undefined, {})).status).toBe(200);
    expect((await rig.call('GET', path.replace('/sandbox', ''), undefined, {})).status).toBe(404);
    expect((await rig.call('GET', '/labels/EXP9999999999.pdf', undefined, {})).status).toBe(404);
  });
});
