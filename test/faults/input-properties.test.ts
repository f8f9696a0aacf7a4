import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { countryFor } from '../../src/contract/country-names.ts';
import { bodyOf } from '../../src/contract/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { formatPath, getAt, parsePath, setAt } from '../../src/contract/paths.ts';
import { Failure } from '../../src/errors.ts';
import { parseStrictJson } from '../../src/json.ts';
import { nearest } from '../../src/nearest.ts';
import { specOf } from '../../src/orders/same-command.ts';
import { numberOf } from '../../src/request/number.ts';
import { readJsonObject } from '../../src/request/read-json.ts';
import {
  parseHeader,
  parseItem,
  parsePackage,
  parsePreset,
  proposalPackage,
  ratePackage,
  shipmentPackage,
} from '../../src/request/specs.ts';
import { applySets } from '../../src/request/values.ts';
import { createRig } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';
import { runs } from '../torture/size.ts';
import { expectPristine } from './fault.ts';

afterAll(expectPristine);

const schema = bodyOf(OPERATIONS.createShipment);
const word = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'items',
  'receiver',
  'weight',
  'toString',
);
const sign = fc.constantFrom(...'.[]=,:@x"\\0123456789-+eE \u0000\u001b\u202e\ud800');
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(word, sign, fc.string({ maxLength: 3 })), { maxLength: 12 }).map(parts => parts.join('')),
);

/** The result, or `undefined` if it is refused with a message for the user. Any other error fails the test. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) expect(error.exitCode).toBe(2);
    else expect(error).toBeInstanceOf(SyntaxError);
    return undefined;
  }
}

test('every text is parsed or refused with exit 2', () => {
  fc.assert(
    fc.property(text, given => {
      attempt(() => parsePackage(given));
      attempt(() => parsePreset(given));
      attempt(() => parseItem(given));
      attempt(() => parseHeader(given));
      attempt(() => parseStrictJson(given));
      attempt(() => readJsonObject(Buffer.from(given), 'order.json'));
      attempt(() => applySets(schema, SHIPMENT, [given]));
      parsePath(given);
      numberOf(given);
      nearest(given, ['weight', 'receiver']);
    }),
    runs(500),
  );
});

test('every text can be searched for as a country', async () => {
  await fc.assert(
    fc.asyncProperty(text, async given => {
      expect(countryFor(given)).toSatisfy(isCodeOrNothing);
    }),
    runs(50),
  );
});

const isCodeOrNothing = (code: string | undefined) => code === undefined || /^[A-Z]{2}$/.test(code);

test('every file is parsed or refused with exit 2', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      attempt(() => readJsonObject(bytes, 'order.json'));
    }),
  );
});

test('JSON is parsed as JSON.parse does it, and a name that an object has twice is found at any place', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2, '\t'), (value, layout) => {
      const written = JSON.stringify(value, null, layout);
      expect(parseStrictJson(written)).toEqual({ value: JSON.parse(written), repeated: [] });
    }),
  );
  fc.assert(
    fc.property(text, json, json, json, (name, one, two, between) => {
      const key = JSON.stringify(name);
      const [first, second, other] = [one, two, between].map(value => JSON.stringify(value));
      const twice = `[{${key}:${first},"_${key.slice(1)}:${other},${key} :${second}}]`;
      expect(parseStrictJson(twice).repeated).toHaveLength(1);
    }),
  );
});

test('a text that is set stays as it is, character by character', () => {
  fc.assert(
    fc.property(text, given => {
      expect(getAt(applySets(schema, {}, [`receiver.address.city=${given}`]), 'receiver.address.city')).toBe(
        given,
      );
    }),
  );
});

test('a parsed path is formatted so that it parses to the same path', () => {
  fc.assert(
    fc.property(text, given => {
      const path = parsePath(given);
      if (path !== undefined) expect(parsePath(formatPath(path))).toEqual(path);
    }),
  );
});

test('a value that is set at a path is found there, and only there', () => {
  const written = fc.array(
    fc.oneof(
      word,
      fc.nat({ max: 9 }).map(index => `[${index}]`),
    ),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(written, parts => {
      const path = parsePath(parts.join('.').replaceAll('.[', '['));
      if (path === undefined) return;
      expect(getAt(setAt({}, path, 'x'), path)).toBe('x');
      expectPristine();
    }),
  );
});

test('every number is parsed as itself, and a number that JSON would change is refused', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).filter(one => !Object.is(one, -0));
  fc.assert(
    fc.property(finite, number => {
      expect(numberOf(String(number))).toBe(number);
    }),
  );
  fc.assert(
    fc.property(text, given => {
      const number = numberOf(given);
      if (number !== undefined) expect(JSON.parse(JSON.stringify(number))).toBe(number);
    }),
  );
});

test('every package is formatted as the SPEC that it was parsed from', () => {
  const side = fc.nat({ max: 99_999 }).map(hundredths => hundredths / 100);
  const parcel = fc.record({
    quantity: fc.nat({ max: 999 }),
    weight: side,
    length: side,
    width: side,
    height: side,
  });
  fc.assert(
    fc.property(parcel, fc.constantFrom(shipmentPackage, proposalPackage, ratePackage), (given, shape) => {
      expect(parsePackage(specOf(shape(given)) ?? '')).toEqual(given);
    }),
  );
});

test('any JSON in the file of an order: exit 0 or 2, and nothing is sent', async () => {
  const rig = await createRig();
  const places = [
    'type',
    'packages[0]',
    'packages[0].weight',
    'items',
    'customs',
    'receiver.address',
    'receiver.address.country',
    'carrier.id',
    'new',
  ];
  const value = fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
    { weight: 1, arbitrary: fc.constantFrom(null, '', [], {}, -1, 1e308, [null], [[]]) },
  );
  const changed = fc
    .tuple(fc.constantFrom(...places), value)
    .map(([place, put]) => setAt(SHIPMENT, parsePath(place) ?? [], put));
  const flags = fc.constantFrom([], ['--allow-unknown'], ['--json'], ['--strict']);
  await fc.assert(
    fc.asyncProperty(fc.oneof(value, changed, changed), flags, async (body, more) => {
      const ran = await rig.run(['ship', '-f', '-', '--dry-run', ...more], { stdin: JSON.stringify(body) });
      expect([0, 2], ran.stderr).toContain(ran.exitCode);
      expect(ran.requests).toEqual([]);
      expect(ran.shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    }),
    runs(80),
  );
});
