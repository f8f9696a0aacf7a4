import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setAt } from '../../src/contract/paths.ts';
import { bookingFailure } from '../../src/order/failure.ts';
import { runs } from '../torture/size.ts';
import { answer, BOOKINGS, bookingWith, decided } from './answers.ts';

const KEYS = ['id', 'success', 'international', 'domestic', 'shipment', 'label', 'labelPdf', 'data'];
const MORE_KEYS = ['trackingNumber', 'carrier', 'message', 'errors', '__proto__', 'toString'];

/** Bodies with the field names of the service in any combination. */
const body = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(true, false, null, '', 'X1', 0, 7, 1e300),
    fc.jsonValue(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, ...MORE_KEYS), tie('value'), { maxKeys: 5 }),
  ),
})).value;
const text = fc.oneof(
  body.map(value => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
);
const operation = fc.constantFrom(...BOOKINGS);
const request = fc.constantFrom(
  {},
  { label: true },
  { international: 'I1' },
  { international: 'I1', domestic: 'D1' },
);
const fault = fc.constantFrom(undefined, 'connection reset');

const STATES = {
  success: ['created', 'partial', 'rejected', 'unknown'],
  no: ['rejected'],
  open: ['unknown'],
};

function allowed(status: number): string[] {
  if (status >= 200 && status < 300) return STATES.success;
  return status >= 400 && status < 500 && status !== 408 ? STATES.no : STATES.open;
}

const status = fc.oneof(
  fc.integer({ min: 200, max: 999 }),
  fc.constantFrom(200, 201, 204, 302, 400, 408, 429, 500),
);

test('with any body, a 5xx, a 3xx and a 408 are unknown, and any other 4xx is rejected', () => {
  fc.assert(
    fc.property(operation, request, status, text, fault, (booking, asked, code, given, cut) => {
      const outcome = decided(booking, asked, answer(code, given, cut));
      expect(allowed(code)).toContain(outcome.state);
      expect(outcome.httpStatus).toBe(code);
      if (cut !== undefined && code < 300) expect(outcome.state).toBe('unknown');
      const failure = bookingFailure(bookingWith(booking, asked, outcome));
      expect(failure === undefined).toBe(outcome.state === 'created');
      if (outcome.state === 'unknown') expect(failure?.exitCode).toBe(8);
    }),
    runs(1000),
  );
});

test('a 2xx that names what was created is never rejected', () => {
  fc.assert(
    fc.property(
      operation,
      request,
      fc.integer({ min: 200, max: 299 }),
      body,
      fault,
      (booking, asked, code, given, cut) => {
        const paths = Object.values(booking.made.ids);
        fc.pre(paths.length > 0);
        const named = paths.reduce<unknown>(
          (made, path, at) => setAt(made, path.split('.'), `MADE-${at}`),
          given,
        );
        const outcome = decided(booking, asked, answer(code, named, cut));
        expect(['created', 'partial', 'unknown']).toContain(outcome.state);
        expect(Object.values(outcome.ids)).toEqual(paths.map((_, at) => `MADE-${at}`));
      },
    ),
    runs(1000),
  );
});

test('an id of the service is one word of the command that settles its booking', () => {
  const id = "A1`; touch pwned '";
  for (const booking of BOOKINGS) {
    const named = Object.values(booking.made.ids).reduce<unknown>(
      (made, path, at) => setAt(made, path.split('.'), `${id}${at}`),
      { success: true },
    );
    const outcome = decided(booking, {}, answer(201, named, 'connection reset'));
    const words = bookingFailure(bookingWith(booking, {}, outcome))?.message ?? '';
    expect(words.match(/(?<='A1`; touch pwned )'\\'''?\d'/g) ?? []).toHaveLength(
      Object.keys(outcome.ids).length,
    );
    expect(words).not.toContain('--created A1');
  }
});

test('labels that were made are never rejected, and legs without a label are listed', () => {
  fc.assert(
    fc.property(operation, request, body, (booking, asked, given) => {
      const { state, labels, unlabelled } = decided(booking, asked, answer(200, given));
      if (Object.values(labels).some(label => label.made)) expect(state).not.toBe('rejected');
      if (state === 'created') expect(unlabelled).toEqual([]);
      for (const leg of unlabelled) expect(labels[leg]?.made ?? false).toBe(false);
    }),
    runs(1000),
  );
});
