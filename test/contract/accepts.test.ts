import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accepts } from '../../src/contract/accepts.ts';
import { fieldsOf } from '../../src/contract/fields.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { parsePath, setAt } from '../../src/contract/paths.ts';
import { runs } from '../torture/size.ts';
import { bodyOf, EXAMPLES, schemaOf, shapeFaults, WITH_BODY } from './rig.ts';

const places = WITH_BODY.flatMap(({ id }) => [
  ...fieldsOf(schemaOf(id)).map(({ pattern }) => ({ id, path: pattern.replaceAll('[]', '[0]') })),
  { id, path: 'unknown' },
  { id, path: 'receiver.unknown' },
]);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    0,
    '',
    ' ',
    'DE',
    'de',
    'a\nb',
    'X-A',
    [],
  ),
);

test('a body is accepted if and only if zod finds no issue, whatever one of its fields is', () => {
  fc.assert(
    fc.property(fc.constantFrom(...places), value, ({ id, path }, given) => {
      const body = setAt(bodyOf(id), parsePath(path) ?? [], given);
      expect(accepts(schemaOf(id), body)).toBe(schemaOf(id).safeParse(body).success);
    }),
    runs(1000),
  );
});

test.each(WITH_BODY.map(({ id }) => id))('every body of %s is judged as zod does', id => {
  const schema = schemaOf(id);
  for (const { body } of EXAMPLES) expect(accepts(schema, body)).toBe(shapeFaults(schema, body).length === 0);
  expect(accepts(schema, bodyOf(id))).toBe(true);
  fc.assert(fc.property(fc.jsonValue(), any => accepts(schema, any) === schema.safeParse(any).success));
});

const needed = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    undefined,
    'shp-1',
    7,
    0,
    '',
    ' ',
    -1,
    2 ** 60,
    [],
    {},
    { id: 'shp-1' },
    { shipment: { id: 7 } },
  ),
);

test.each(Object.values(OPERATIONS))(
  'an answer to $id is accepted as zod does it, after a refused one too',
  ({ id, needs }) => {
    const answer = fc.dictionary(
      fc.constantFrom('id', 'data', 'proposals', 'international', 'domestic', 'success', 'other'),
      fc.oneof(needed, fc.dictionary(fc.constantFrom('id', 'shipment', 'secret'), needed)),
    );
    fc.assert(
      fc.property(answer, fc.jsonValue(), (body, other) => {
        for (const one of [body, other]) expect(accepts(needs, one), id).toBe(needs.safeParse(one).success);
      }),
    );
  },
);
