// What a person is asked: strangers wrote keys, names and words of the service, and none of it may read as another price or question.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { Json } from '../../src/json.ts';
import { orderQuestion } from '../../src/order/question.ts';
import { nameWords, quotedWords } from '../../src/text.ts';
import { createRig } from '../rig/command.ts';
import { production } from '../rig/production.ts';
import { SHIPMENT } from '../rig/service.ts';
import { runs } from '../torture/size.ts';

const FORGED = 'A-1? ECO_1 to Bob (Graz, AT); 1.00 USD (demo)? EXP_IP to Anna';
const ENDINGS = [...'"”″＂«ʺ״\n\u2028\u202e\u0000', "''", '\u0300"', '\\"'];

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.oneof(fc.constantFrom(...ENDINGS), fc.string()), { maxLength: 80 })
    .map(parts => parts.join('')),
);

describe('A quoted text', () => {
  test('is one pair of marks around one line of at most 40 characters, whatever is in it', () => {
    fc.assert(
      fc.property(hostile, text => {
        const quoted = quotedWords(text);
        const inner = quoted.slice(1, -1);
        expect(quoted).toMatch(/^".*"$/su);
        expect(inner).not.toMatch(/(?!')[\p{Quotation_Mark}\u00b4`\u02ba\u2033\u05f4]/u);
        expect(inner).not.toContain("''");
        expect(inner).not.toMatch(/[\p{Control}\p{Default_Ignorable_Code_Point}\p{Format}\u2028\u2029]/u);
        expect([...inner].length).toBeLessThanOrEqual(41);
      }),
      runs(1000),
    );
  });

  test.each([
    ['A-1', '"A-1"'],
    ["O'Brien", '"O\'Brien"'],
    ['Müller  GmbH\n', '"Müller GmbH"'],
    ['A"; 1.00 USD, "B', '"A\'; 1.00 USD, \'B"'],
    ['\u202e123', '"123"'],
    ['김민수', '"김민수"'],
    ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
    ['', '""'],
  ])('%j is %s', (text, quoted) => expect(quotedWords(text)).toBe(quoted));

  test.each(['EXP', 'ECO_1', 'a-b'])('%s is a name that needs no marks', name =>
    expect(nameWords(name)).toBe(name),
  );
  test.each(['EXP 2', 'E?', '', 'x'.repeat(41), 'ÉXP', 'EXP.'])('%j gets them', name =>
    expect(nameWords(name)).toMatch(/^"/),
  );
});

/** What stands outside of quotation marks. */
const bare = (question: string) => question.replace(/"[^"]*"/g, '""');

test('a question is the same but for what is quoted, whatever strangers wrote', () => {
  const texts = fc.record({
    key: hostile,
    name: hostile,
    city: hostile,
    carrier: hostile,
    currency: hostile,
  });
  const asked = ({ key, name, city, carrier, currency }: Record<string, string>) =>
    orderQuestion(
      {
        ...{ operation: OPERATIONS.createShipment, key, fingerprint: '' },
        body: new Json({
          carrier: { id: carrier },
          chargeableWeight: 2,
          receiver: { firstName: name, address: { city, country: { code: 'DE' } } },
        }),
      },
      { place: 'demo', price: { price: 38.25, currency: currency ?? '' } },
    );
  const plain = { key: '?', name: '?', city: '?', carrier: '?', currency: '?' };
  expect(bare(asked(plain))).toBe('"", "", demo; 2 kg chargeable; order "" to "" ("", DE)');
  fc.assert(
    fc.property(texts, given => {
      const filled = Object.fromEntries(Object.entries(given).map(([part, text]) => [part, `?${text}`]));
      expect(bare(asked(filled))).toBe(bare(asked(plain)));
    }),
    runs(500),
  );
});

test.each([
  [`ship -f - --key '${FORGED}'`, { ...SHIPMENT }],
  ['ship -f -', { ...SHIPMENT, receiver: { ...(SHIPMENT.receiver as object), firstName: FORGED } }],
  ['ship -f -', { ...SHIPMENT, carrier: { id: FORGED } }],
])('"Book this?" of %s has price, carrier and place first', async (line, body) => {
  const rig = await createRig();
  const { atTerminal } = await production();
  const argv = line.match(/'[^']*'|\S+/g)?.map(word => word.replaceAll("'", '')) ?? [];
  const { asked } = await rig.run(argv, { ...atTerminal, stdin: JSON.stringify(body) });
  expect(asked).toEqual([
    expect.stringMatching(
      /^Book this\? the price is not known, (EXP|"A-1\? ECO_1 [^"]*…"), https?:\/\/[^ ]*; /,
    ),
  ]);
  expect(bare(asked[0] ?? '')).not.toContain('1.00 USD');
});
