import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/contract/fields.ts';
import { getAt } from '../../src/contract/paths.ts';
import { complete } from '../../src/request/complete.ts';
import { warningsOf } from '../../src/request/warnings.ts';
import { bodyOf, issuesOf, schemaOf, WITH_BODY } from '../contract/rig.ts';

test.each(WITH_BODY)(
  'the example of $id passes its own schema and rules, without a warning',
  async ({ id }) => {
    expect(await issuesOf(id, bodyOf(id), { rules: { economyCarriers: ['ECO'] } })).toEqual([]);
    expect(warningsOf(bodyOf(id))).toEqual([]);
    expect(complete(schemaOf(id), bodyOf(id))).toEqual(bodyOf(id));
  },
);

test.each(WITH_BODY)('the example of $id has every required field, and no placeholder text', ({ id }) => {
  const given = bodyOf(id);
  const paths = fieldsOf(schemaOf(id))
    .filter(field => field.required && !/^(invoice|headers|retryPolicy)\b/.test(field.pattern))
    .map(field => field.pattern.replaceAll('[]', '[0]'));
  expect(paths.filter(path => getAt(given, path) === undefined)).toEqual([]);
  expect(JSON.stringify(given)).not.toContain('"text"');
});

test('the receiver of an example is not the sender', () => {
  const given = bodyOf('createShipment');
  expect(getAt(given, 'receiver.firstName')).not.toBe(getAt(given, 'sender.firstName'));
  expect(getAt(given, 'receiver.address.country.code')).toBe('DE');
});
