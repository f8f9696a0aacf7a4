import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldAt, fieldsOf, mapFields } from '../../src/contract/fields.ts';
import type { Schema } from '../../src/contract/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { formatPath, parsePath } from '../../src/contract/paths.ts';
import { placesOf, REQUESTS, withValue } from './rig.ts';

const bodyOf = (id: 'createShipment' | 'createSubscription' | 'rates'): Schema => {
  const { body } = OPERATIONS[id];
  if (body === undefined) throw new Error(`${id} has no body`);
  return body;
};

describe('the fields of a body', () => {
  test('are listed once each, parents before children', () => {
    for (const { body } of Object.values(OPERATIONS)) {
      const patterns = body ? fieldsOf(body).map(field => field.pattern) : [];
      expect(new Set(patterns).size).toBe(patterns.length);
      for (const [at, pattern] of patterns.entries()) {
        const parent = /^(.+)(?:\[\]|\.[^.]+)$/.exec(pattern)?.[1];
        if (parent !== undefined) expect(patterns.slice(0, at)).toContain(parent);
      }
    }
  });

  test('have a description if they have a single value', () => {
    const silent = Object.values(OPERATIONS).flatMap(({ id, body }) =>
      (body ? fieldsOf(body) : [])
        .filter(field => field.kind !== 'object' && field.description.trim() === '')
        .map(field => `${id} ${field.pattern}`),
    );
    expect(silent).toEqual([]);
  });

  test('have the descriptions of the document if they have a list of values', () => {
    const deliveryType = fieldsOf(bodyOf('createShipment')).find(field => field.pattern === 'deliveryType');
    expect(deliveryType?.values).toEqual({
      DAP: 'duties and taxes paid by receiver; default',
      DDP: 'duties and taxes paid by sender; additional carrier DDP processing fees may apply',
    });
  });
});

describe('the field at a path', () => {
  const at = (id: Parameters<typeof bodyOf>[0], path: string) =>
    fieldAt(bodyOf(id), parsePath(path) ?? [])?.kind;

  test('is found with any index', () => {
    expect(at('createShipment', 'items[0].hsCode')).toBe('text');
    expect(at('createShipment', 'items[999].quantity')).toBe('number');
    expect(at('rates', 'data.packages[3]')).toBe('object');
    expect(at('createShipment', 'receiver.address.zipCode')).toBe('text');
  });

  test('does not exist if the document has none', () => {
    for (const path of [
      'item',
      'items.hsCode',
      'items[0].nope',
      'receiver.adress',
      'constructor',
      'toString',
    ])
      expect(at('createShipment', path)).toBeUndefined();
    expect(at('createSubscription', 'events[0].x')).toBeUndefined();
  });

  test('in a map is text, with any name', () => {
    expect(at('createSubscription', 'headers')).toBe('map');
    for (const name of ['X-Shop', 'X-A.B', 'Authorization', '0'])
      expect(fieldAt(bodyOf('createSubscription'), ['headers', name])).toMatchObject({
        kind: 'text',
        required: false,
      });
    expect(fieldAt(bodyOf('createSubscription'), ['headersX'])).toBeUndefined();
  });

  test('is found for every field of every example', () => {
    const wrong = REQUESTS.flatMap(({ operation: { body: schema }, body, name }) =>
      (schema ? fieldsOf(schema) : []).flatMap(field =>
        placesOf(body, field.pattern)
          .filter(place => schema && fieldAt(schema, place) !== field)
          .map(place => `${name} ${formatPath(place)}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('changing all fields of a kind', () => {
  const full = REQUESTS.filter(({ title }) => title === 'full');

  test('changes only the countries of a body', () => {
    for (const { operation, body } of full) {
      const { body: schema } = operation;
      if (schema === undefined) continue;
      const countries = fieldsOf(schema).filter(field => field.kind === 'country');
      const places = countries.flatMap(field => placesOf(body, field.pattern));
      const wanted = places.reduce((copy, place) => withValue(copy, place, '??'), body);
      expect(mapFields(schema, body, 'country', () => '??')).toEqual(wanted);
    }
  });

  test('keeps unknown fields, and does not change the given body', () => {
    const schema = bodyOf('createShipment');
    const body = { receiver: { address: { country: { code: 'de', more: 1 } } } };
    mapFields(schema, body, 'country', () => '??');
    expect(body.receiver.address.country).toEqual({ code: 'de', more: 1 });
    fc.assert(
      fc.property(fc.jsonValue(), anything => {
        const copy = structuredClone(anything);
        expect(mapFields(schema, anything, 'country', () => '??')).toEqual(copy);
        expect(anything).toEqual(copy);
      }),
    );
  });

  test('does not change text in a map of headers', () => {
    const body = { url: 'x', events: [], headers: { 'X-Country': 'de' } };
    expect(mapFields(bodyOf('createSubscription'), body, 'country', () => '??')).toEqual(body);
  });
});
