import { describe, expect, test } from 'vitest';
import { formatPath, type Path } from '../../src/contract/paths.ts';
import { ANSWERS as SCHEMAS } from '../../src/documents/answers.ts';
import { DOCUMENT, type Holds } from './document.ts';
import {
  ANSWERS,
  EXAMPLES,
  faults,
  objectsIn,
  placesOf,
  REQUESTS,
  shapeFaults,
  without,
  withValue,
} from './rig.ts';

// The examples of the service document test the table from both sides: each is accepted, and each is refused with one
// change that breaks it, at the path of the change and nowhere else.

const texts = ['', ' \t'];
const noText = [7, true, null, [], {}];
const noList = [{}, 'x', null];
const noObject = [[], 'x', 1, null];
const noNumber = ['1', null, true, [], Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** What a field of a request must not hold. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  'any text': noText,
  number: [...noNumber, -0.01, -1],
  boolean: ['true', 1, null, []],
  country: ['de', 'UK', 'ZZ', 'EU', 'DEU', 'Germany', ' DE', '', 7, null, ['DE']],
  list: [...noList, []],
};
function wrongFor(holds: Holds, required: boolean): readonly unknown[] {
  if (typeof holds !== 'string') return ['', 'nonsense', ...holds.map(word => ` ${word}`), 3, null, []];
  // Optional text may be blank.
  return holds === 'text' ? [...(required ? texts : []), ...noText] : (WRONG[holds] ?? noObject);
}

/** What a field of a request may hold: all that the document does not forbid is left to the service. */
const RIGHT: Readonly<Record<string, readonly unknown[]>> = {
  text: ['0', ' Ünye ', '名'.repeat(5000), 'a\nb'],
  'any text': ['', ' ', '00123'],
  number: [0, -0, 0.1, 1e-9, 1e15, Number.MAX_VALUE],
  boolean: [true, false],
  country: ['TR', 'DE', 'GB', 'SA', 'XK', 'AX'],
};
function rightFor(holds: Holds, required: boolean): readonly unknown[] {
  if (typeof holds !== 'string') return holds;
  return [...(RIGHT[holds] ?? []), ...(holds === 'text' && !required ? texts : [])];
}

interface Place {
  place: Path;
  at: string;
  holds: Holds;
  required: boolean;
}

/** Every documented field that a body has, with its place. */
function documentedPlaces(body: unknown, fields: Readonly<Record<string, Holds>>): Place[] {
  return Object.entries(fields).flatMap(([name, holds]) =>
    placesOf(body, name.replace('?', '')).map(place => ({
      place,
      at: formatPath(place),
      holds,
      required: !name.endsWith('?'),
    })),
  );
}

/** Refused at the place that is broken; a rule may find fault with what is in it too. */
const isRefusal = (found: readonly string[], at: string) =>
  found.includes(at) && found.every(path => path === at || path.startsWith(`${at}.`));

describe.each(REQUESTS)('the request $name', ({ operation, body, title }) => {
  const fields = DOCUMENT[operation.id].body;
  const places = documentedPlaces(body, fields);
  const elements = places.filter(({ place }) => typeof place.at(-1) === 'number');
  const named = places.filter(place => !elements.includes(place));

  test('is accepted', () => {
    expect(faults(operation, body)).toEqual([]);
  });

  test('has the fields that its name promises', () => {
    const all = Object.keys(fields).filter(name => !name.endsWith('[]'));
    const missing = all.filter(name => placesOf(body, name.replace('?', '')).length === 0);
    if (title === 'full') expect(missing).toEqual([]);
    if (title === 'minimal' && operation.id !== 'createLabels')
      expect(named.filter(({ required }) => !required).map(({ at }) => at)).toEqual([]);
  });

  test('is refused with a field that is missing, wrong or unknown, at its path and nowhere else', () => {
    const broken = [
      ...named
        .filter(({ required }) => required)
        .map(({ place, at }) => ({ at, given: without(body, place) })),
      ...places.flatMap(({ place, at, holds, required }) =>
        wrongFor(holds, required || operation.id === 'createLabels').map(value => ({
          at,
          given: withValue(body, place, value),
        })),
      ),
      ...objectsIn(body)
        .flatMap(place => ['unknown', 'constructor', 'Receiver'].map(name => [...place, name]))
        .map(place => ({ at: formatPath(place), given: withValue(body, place, 'x') })),
    ];
    expect(broken.filter(({ at, given }) => !isRefusal(faults(operation, given), at))).toEqual([]);
  });

  test('is valid without an optional field, and with any value that the document allows', () => {
    const right = places.flatMap(({ place, at, holds, required }) => [
      ...(required ? [] : [{ at, given: without(body, place) }]),
      ...rightFor(holds, required || operation.id === 'createLabels').map(value => ({
        at,
        given: withValue(body, place, value),
      })),
    ]);
    expect(right.filter(({ given }) => shapeFaults(operation.body, given).length > 0)).toEqual([]);
  });

  test('is refused if it is not an object', () => {
    for (const value of [null, undefined, [], [body], 'x', 1]) expect(faults(operation, value)).toContain('');
  });
});

// What an answer must have is told of its JSON Schema.
test.each(ANSWERS)(
  'the answer $name has the status and shape of the table, is readable, and may have more',
  ({ operation, body, status }) => {
    const schema = SCHEMAS[operation.id];
    expect([status, shapeFaults(schema, body)]).toEqual([operation.success.status, []]);
    expect(shapeFaults(operation.needs, body)).toEqual([]);
    const closed = objectsIn(body)
      .filter(place => place.at(-1) !== 'headers')
      .filter(place => shapeFaults(schema, withValue(body, [...place, 'more'], [1])).length > 0);
    expect(closed).toEqual([]);
  },
);

test('the examples cover every operation: an answer, and a request if it has a body', () => {
  const has = new Set(EXAMPLES.map(({ operation, status }) => `${operation.id} ${status ?? 'request'}`));
  const wanted = Object.entries(DOCUMENT).flatMap(([id, { body, success }]) => [
    `${id} ${success}`,
    ...(Object.keys(body).length > 0 ? [`${id} request`] : []),
  ]);
  expect([...has].sort()).toEqual(wanted.sort());
});
