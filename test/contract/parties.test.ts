// A party is read in one place: whoever adds a name to the request gets it on papers, in lists and in the search.
import { expect, test } from 'vitest';
import { bodyOf, OPERATIONS } from '../../src/contract/operations.ts';
import { PERSON_NAMES, partyOf } from '../../src/contract/parties.ts';
import { fieldsOf } from '../../src/contract/shapes.ts';

test('each name of a person that a request may have is one of those that are read', () => {
  const names = fieldsOf(bodyOf(OPERATIONS.createShipment)).flatMap(
    ({ pattern }) => /^receiver\.(\w*Name)$/.exec(pattern)?.[1] ?? [],
  );
  expect(names).toEqual([...PERSON_NAMES, 'companyName']);
});

test('a party is called by its person, and where it is stands in its address or beside its name', () => {
  const person = { firstName: ' Ada', lastName: 'Yilmaz ', companyName: 'Yilmaz AS' };
  const there = { person: 'Ada Yilmaz', company: 'Yilmaz AS', city: 'Dresden', country: 'DE' };
  expect(partyOf({ ...person, address: { city: 'Dresden', country: { code: 'DE' } } })).toEqual(there);
  expect(partyOf({ ...person, city: 'Dresden', country: 'DE' })).toEqual(there);
  expect(partyOf(undefined)).toEqual({ person: '', company: '', city: '', country: '' });
});
