import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprint } from '../../src/order/build.ts';

/** How the fingerprints in existing journals were made. */
function known(value: unknown): string {
  const sorted = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(sorted);
    if (typeof inner !== 'object' || inner === null) return inner;
    const fields = Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
  };
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)) ?? '')
    .digest('hex');
}

const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', '10', '9'));
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(undefined, null, true, -0, 1e21),
    fc.double(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value')),
  ),
}));

test('a fingerprint is the same as in earlier versions, for any input', () => {
  fc.assert(
    fc.property(value, input => {
      expect(fingerprint(input)).toBe(known(input));
    }),
  );
});
