import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { parseToken } from '../../src/emulator/tokens.ts';
import { dualBody, faultyPaths, RIGS, type Rig, shipmentBody } from '../rig/emulator.ts';

const ROWS = Object.values(OPERATIONS);
const tokens = new Map(['demo', 'reader:', 'labeller:shipment:label'].map(parseToken));

describe.each(RIGS)('requests %s', (_name, open) => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await open({ tokens });
  });
  afterEach(() => rig.close());

  const concrete = (path: string) => path.replace(/\{\w+\}/g, 'some-id');
  const body = (method: string) => (method === 'POST' ? '{}' : undefined);

  test.each(ROWS)('$id without or with an unknown token is a 401, if the row has one', async row => {
    for (const authorization of ['', 'Bearer wrong', 'Bearer demo x']) {
      const { status } = await rig.call(row.method, concrete(row.path), body(row.method), { authorization });
      if (row.errors[401]) expect(status).toBe(401);
      else expect(status).not.toBe(401);
    }
  });

  test.each(ROWS.filter(row => row.sandbox))('$id is in the sandbox too', async row => {
    const { status } = await rig.call(row.method, `/sandbox${concrete(row.path)}`, body(row.method), {});
    expect(status).toBe(401);
  });

  test.each(ROWS.filter(row => !row.sandbox))('$id is not in the sandbox', async row => {
    const { status } = await rig.call(row.method, `/sandbox${concrete(row.path)}`, body(row.method));
    expect(status).toBe(404);
  });

  test.each(ROWS.filter(row => row.body))('$id refuses a body that is no JSON object with 400', async row => {
    for (const wrong of ['', '{', 'null', '[]', '"text"', '7', '{}'])
      expect((await rig.call(row.method, row.path, wrong)).status).toBe(400);
  });

  test.each([
    '/',
    '/v1',
    '/v1/shipments/',
    '/v3/shipments',
    '/v1/shipments/%E0%A4%A',
    '/sandbox',
    '/labels/x',
  ])('%s is a 404', async path => {
    const { status, body } = await rig.call('GET', path);
    expect([status, body.success, body.error.code]).toEqual([404, false, 'not_found']);
  });

  test('another method at a path is a 404, and a query is ignored', async () => {
    expect((await rig.call('DELETE', '/v1/shipments')).status).toBe(404);
    expect((await rig.call('POST', '/v1/shipments?x=1', shipmentBody())).status).toBe(201);
  });

  test.each([
    ['authorization', 'Bearer demo'],
    ['authorization', 'demo'],
    ['x-api-key', 'demo'],
    ['x-anything', 'Token demo'],
  ])('the token travels as %s: %s', async (name, value) => {
    const { status } = await rig.call('POST', '/v1/shipments', shipmentBody(), { [name]: value });
    expect(status).toBe(201);
  });

  test('a token without the scope shipment:write may read but not create', async () => {
    for (const token of ['reader', 'labeller']) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await rig.call('POST', '/v1/shipments', shipmentBody(), headers)).status).toBe(401);
      expect((await rig.call('POST', '/v2/shipments', dualBody(), headers)).status).toBe(401);
      expect((await rig.call('GET', '/v1/shipments/none', undefined, headers)).status).toBe(404);
    }
  });

  test('missing fields, unknown fields and wrong types are a 400, and all problems are listed', async () => {
    const { customs: _, ...rest } = shipmentBody();
    const wrong = { ...rest, chargeableWeight: 'two', reciever: {}, category: 'nothing' };
    const answer = await rig.call('POST', '/v1/shipments', wrong);
    expect(answer.status).toBe(400);
    expect(faultyPaths(answer).sort()).toEqual(['category', 'chargeableWeight', 'customs', 'reciever']);
  });

  test('a value that is not allowed is a 422 if the row has it, else a 400', async () => {
    for (const [path, fine] of [
      ['/v1/shipments', shipmentBody()],
      ['/v2/shipments', dualBody()],
    ] as const)
      for (const wrong of [
        { ...fine, category: 'nothing' },
        { ...fine, packages: [] },
        { ...fine, sender: { ...fine.sender, address: { ...fine.sender.address, country: { code: 'UK' } } } },
      ])
        expect((await rig.call('POST', path, wrong)).status).toBe(path === '/v1/shipments' ? 422 : 400);
  });

  test('the OpenAPI document is the one that the emulator was started with', async () => {
    const { status, body } = await rig.call('GET', '/openapi.json', undefined, {});
    expect([status, body]).toEqual([200, { openapi: '3.1.0' }]);
  });
});
