import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { FAILURES, Failure, type FailureCode } from '../../src/errors.ts';
import { csvLine, toCsv } from '../../src/output/csv.ts';
import { createDiagnostics } from '../../src/output/diagnostics.ts';
import { failureJson, failureText } from '../../src/output/failure.ts';
import { lookOf } from '../../src/output/look.ts';
import { money } from '../../src/output/money.ts';
import { compileQuery } from '../../src/output/query.ts';
import { safeJson } from '../../src/output/safe.ts';
import { anyTable } from '../../src/output/table.ts';
import { textLines } from '../../src/output/text.ts';
import { recorded } from '../output/streams.ts';
import { CONTROL } from '../rig/oracles.ts';
import { runs } from '../torture/size.ts';
import { expectPristine } from './fault.ts';

afterAll(expectPristine);

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'\x1b\x9b\x07\r\n\t\0=+-@",\u202e\u2028\u200b\ufeff\ud800', '__proto__', '📦', '京'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
});
const json = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('record'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  record: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
})).value;

const look = await lookOf(recorded().host, 'stdout');

test('no JSON of the service is drawn with a control character', async () => {
  await fc.assert(
    fc.asyncProperty(json, fc.integer({ min: 1, max: 120 }), async (value, columns) => {
      expect(await anyTable({ ...look, columns }, value)).not.toMatch(CONTROL);
      expect(toCsv([value]).replaceAll('\r\n', '')).not.toMatch(CONTROL);
      for (const line of textLines(value)) expect(line).not.toMatch(/[\n\r]/);
      expect(textLines(value).join('\n')).not.toMatch(CONTROL);
    }),
    runs(100),
  );
});

test('JSON output has no control character and parses to the same', () => {
  fc.assert(
    fc.property(json, value => {
      const shown = safeJson(value, 2);
      expect(shown).not.toMatch(CONTROL);
      expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('a failure with any message is shown without control characters, and as JSON on one line', async () => {
  const codes = Object.keys(FAILURES) as FailureCode[];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...codes),
      text,
      text,
      text,
      json,
      async (code, message, path, suggestion, body) => {
        const failure = new Failure(code, message, { issues: [{ path, message, suggestion }], body });
        expect(await failureText(failure, look)).not.toMatch(CONTROL);
        const line = safeJson(failureJson(failure));
        expect(line).not.toMatch(CONTROL);
        expect(line).not.toContain('\n');
        expect(JSON.parse(line).error).toMatchObject({
          code,
          message,
          issues: [{ path, message, suggestion }],
        });
      },
    ),
  );
});

test('notes, warnings and progress with any text are shown without control characters', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), async (words, asJson) => {
      const { host, stderr } = recorded();
      const diagnostics = createDiagnostics(host, {
        json: asJson,
        quiet: false,
        strict: false,
        color: false,
      });
      await diagnostics.note(words);
      await diagnostics.warn(words);
      await diagnostics.progress(words);
      expect(stderr()).not.toMatch(CONTROL);
      if (asJson) for (const line of stderr().trimEnd().split('\n')) JSON.parse(line);
    }),
  );
});

test('every price in every currency is shown, and a decimal price keeps its digits', () => {
  const price = fc.oneof(text, fc.double(), fc.constant(null), fc.constant(undefined));
  fc.assert(
    fc.property(price, fc.oneof(text, fc.constant('EUR')), (one, currency) => void money(one, currency)),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat({ max: 999 }), (whole, thousandths) => {
      const written = `${whole}.${String(thousandths).padStart(3, '0')}`;
      expect(money(written, 'EUR')).toBe(`${written} EUR`);
    }),
  );
});

test('any text as --query is an expression or refused with exit 2', async () => {
  const near = fc.string({ unit: fc.constantFrom(...'abc.[]*?&|@`"\'(){}:,!<>=01 \\\0'), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, near), json, async (expression, value) => {
      const refused = (error: unknown) => {
        expect(error).toBeInstanceOf(Failure);
        return undefined;
      };
      const query = await compileQuery(expression).catch(refused);
      try {
        query?.(value);
      } catch (error) {
        refused(error);
      }
    }),
    runs(300),
  );
});

test('a cell of CSV is quoted so that it is parsed as one cell', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const line = csvLine([one, other]);
      expect(line.endsWith('\r\n')).toBe(true);
      const cells = [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n)/g)];
      expect(cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare)).toEqual([one, other]);
    }),
  );
});
