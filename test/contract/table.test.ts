import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../src/contract/fields.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/operations.ts';
import { RETRY_DEFAULTS } from '../../src/contract/retry-policy.ts';
import { EVENTS } from '../../src/contract/subscriptions.ts';
import { DOCUMENT, type Documented } from './document.ts';
import type { Fields, Holds } from './document-fields.ts';

const ROWS = Object.entries(DOCUMENT) as [OperationId, Documented][];

test('the table has the operations of the document and no other', () => {
  expect(Object.keys(OPERATIONS).sort()).toEqual(Object.keys(DOCUMENT).sort());
});

describe.each(ROWS)('%s', (id, documented) => {
  const row = OPERATIONS[id];

  test('is the endpoint that the document describes', () => {
    expect({
      id: row.id,
      section: row.section,
      request: `${row.method} ${row.path}`,
      sandbox: row.sandbox,
      contract: row.contract,
      success: row.success.status,
      errors: Object.keys(row.errors).map(Number),
      limit: row.perMinute,
    }).toEqual({
      id,
      section: documented.section,
      request: documented.request,
      sandbox: documented.sandbox,
      contract: documented.contract,
      success: documented.success,
      errors: documented.errors,
      limit: documented.limit,
    });
  });

  test('has a description for each error and each placeholder', () => {
    expect([...Object.values(row.errors), ...Object.values(row.parameters), row.summary]).not.toContain('');
    expect(Object.keys(row.parameters)).toEqual([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });

  test('accepts the fields of the document with their types, and requires the same fields', () => {
    const taken = row.body ? fieldsOf(row.body) : [];
    expect(
      Object.fromEntries(
        taken.map(({ pattern, required, kind, values }) => [
          required ? pattern : `${pattern}?`,
          values ? Object.keys(values) : kind,
        ]),
      ),
    ).toEqual(
      Object.fromEntries(
        entries(documented.body).map(([path, holds]) => [path, holds === 'any text' ? 'text' : holds]),
      ),
    );
  });

  test('answers with the fields of the document', () => {
    const given = fieldsOf(row.success.schema);
    expect(Object.fromEntries(given.map(field => [name(field), structure(field.kind)]))).toEqual(
      Object.fromEntries(entries(documented.answer).map(([path, holds]) => [path, structure(holds)])),
    );
  });
});

const entries = (fields: Fields): [string, Holds][] => Object.entries(fields);
const name = (field: { pattern: string; required: boolean }) =>
  field.required ? field.pattern : `${field.pattern}?`;
// The types of single values are tested with broken examples of answers.
const structure = (holds: unknown): string =>
  holds === 'object' || holds === 'list' || holds === 'map' ? holds : 'value';

const idsWhere = (test: (row: (typeof OPERATIONS)[OperationId]) => boolean) =>
  Object.values(OPERATIONS)
    .filter(test)
    .map(row => row.id)
    .sort();

test('an operation that may create something is a booking, and its row says where the answer has ids and labels', () => {
  const books = ['createDualShipment', 'createLabels', 'createShipment', 'createSubscription'];
  expect(idsWhere(row => row.books)).toEqual(books);
  expect(idsWhere(row => Object.keys(row.made.ids).length + Object.keys(row.made.labels).length > 0)).toEqual(
    books,
  );
});

test('creating shipments needs a scope, and rates list no 401', () => {
  expect(idsWhere(row => row.scope === 'shipment:write')).toEqual(['createDualShipment', 'createShipment']);
  expect(idsWhere(row => row.scope === null)).toEqual(['rates']);
});

test('outputs name the operations like their commands', () => {
  expect(Object.fromEntries(Object.values(OPERATIONS).map(row => [row.id, row.command]))).toMatchObject({
    proposal: 'quote',
    rates: 'rates',
    createShipment: 'ship',
    createDualShipment: 'ship-dual',
    createLabels: 'label',
    getShipment: 'track',
    getDomesticShipment: 'track',
    createSubscription: 'webhook-create',
    getSubscription: 'webhook-get',
  });
});

test('events and retry defaults are those of the document', () => {
  expect(Object.keys(EVENTS)).toEqual(['shipment.status.updated', 'shipment.milestone.updated']);
  expect(RETRY_DEFAULTS).toEqual({
    maxRetries: 5,
    initialDelayMs: 10000,
    backoffMultiplier: 2,
    maxDelayMs: 3600000,
  });
});
