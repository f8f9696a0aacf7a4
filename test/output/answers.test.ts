// Texts of the service, and what a terminal, a JSON reader and a spreadsheet get of them. That nothing shows a control
// character, every run checks. Formulas are in text.test.ts, and texts of files, journal and profile in sequences.test.ts.
import { expect } from 'vitest';
import { textsIn } from '../../src/contract/paths.ts';
import { createRig, type Ran, type RunOptions } from '../rig/command.ts';
import { type End, type Fault, fault, runFaults } from '../rig/fault.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { EVIL, poisoned } from './evil.ts';

/** What remains of it on one line. */
const HARMLESS = '[31mE]0;t2JVI L  error: all is well';

const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';
const COMMANDS = [
  ...[QUOTE, QUOTE.replace('quote', 'rates'), 'track 11', 'webhook get 11'],
  'ship -f ship.json',
  'ship-dual -f dual.json',
  'label --international I-1 --domestic D-1',
  'webhook create --url https://shop.example/h --event shipment.status.updated',
];
const nameOf = (command: string) => command.split(' -')[0];

const carrier = {
  id: 'EXP',
  name: 'Express',
  currency: 'EUR',
  price: '9.50',
  trackingNumber: 'T',
  labelPdf: 'L',
};
const offer = { ...carrier, serviceType: 'express', isValid: true, deliveryTime: '1-2 days' };
const leg = (id: number) => ({
  ...{
    shipment: { id },
    success: true,
    shipmentId: id,
    trackingNumber: 'T',
    label: 'L',
    message: 'm',
    carrier,
  },
});

/** An answer to every command. Its ids are numbers, which stay as they are: an id with a control character is none. */
const ANSWER = {
  id: 17,
  tracking: { trackingNumber: 11, events: [] },
  success: true,
  chargeableWeight: 1,
  proposals: [offer],
  rates: [{ companyId: 'C', companyName: 'X', currency: 'EUR', price: '9.50', deliveryTime: '1-2 days' }],
  carrier,
  status: [{ status: 'in transit', milestone: 'shipped', description: 'd', location: 'l' }],
  packages: [{ trackingNumber: 'T', description: 'p' }],
  international: leg(1),
  domestic: leg(2),
  data: { id: 13, url: 'u', events: ['e'], secret: 's', token: 't', headers: { 'X-A': 'v' } },
};

interface Scene extends RunOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Further checks. */
  after?(ran: Ran): void;
}

/** A command whose service answers so; a string is sent as it is. */
const row = (when: string, argv: string, body: unknown, [exit, ...sees]: End, scene: Scene = {}): Fault => {
  const { status = 200, headers = {}, after, ...run } = scene;
  return fault(when, [exit, ...sees], async () => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { url } = await rawServer(socket => socket.write(http(status, text, headers)));
    const rig = await createRig({ files: { 'ship.json': SHIPMENT, 'dual.json': DUAL } });
    const env = { WAYBILL_BASE_URL: url.origin, WAYBILL_RETRIES: '0', NO_COLOR: '1', ...run.env };
    const ran = await rig.run(argv, { ...run, env });
    // No text of the service begins a line that looks like a message of ours. A cell of CSV may have lines.
    const shown = argv.includes('csv') ? ran.stderr : ran.shown;
    expect(shown).not.toMatch(/^error: all is well/m);
    after?.(ran);
    return ran;
  });
};

const shows =
  (words: string | RegExp) =>
  ({ stdout }: Ran) =>
    expect(stdout).toMatch(words);
const POISON = poisoned(ANSWER);
const HEADERS = { 'x-evil': 'a\x9b31mb', 'x-token': 'wb-secret-8f41c07e' };
const REFUSAL = {
  error: { message: `no such street ${EVIL}`, code: EVIL, details: [{ path: `a${EVIL}`, message: EVIL }] },
};

runFaults('answers and refusals full of escape sequences', [
  ...COMMANDS.flatMap(command => [
    row(`${nameOf(command)} as a table`, command, POISON, [0], { after: shows(HARMLESS) }),
    row(`${nameOf(command)} --json keeps every character`, `${command} --json`, POISON, [0], {
      after({ stdout }) {
        const texts = textsIn(JSON.parse(stdout), () => true).map(({ text }) => text);
        expect(texts.length).toBeGreaterThan(10);
        for (const text of texts) expect(text.endsWith(EVIL)).toBe(true);
      },
    }),
    row(`${nameOf(command)} is refused`, command, REFUSAL, [5, 'no such street', HARMLESS], { status: 400 }),
  ]),
  row('quote -o text', `${QUOTE} -o text`, POISON, [0], { after: shows(HARMLESS) }),
  row('quote -o csv', `${QUOTE} -o csv`, POISON, [0], { after: shows('[31mE') }),
  row('quote --verbose', `${QUOTE} --verbose`, POISON, [0, /^< x-evil: aÂ?31mb$/m], { headers: HEADERS }),
  row('ship --json is refused', 'ship -f ship.json --json', REFUSAL, [5, '\\u001b[31mE'], {
    status: 400,
    after({ stderr }) {
      const { body } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
      expect(body).toEqual(JSON.parse(JSON.stringify(REFUSAL)));
    },
  }),
  row('ship -q', 'ship -f ship.json -q', POISON, [0], { after: shows(/^17\n$/) }),
  row('a read that fails', QUOTE, REFUSAL, [7, 'no such street', HARMLESS], { status: 500 }),
  row('a booking in doubt', 'ship -f ship.json', REFUSAL, [8, HARMLESS, 'history resolve'], { status: 500 }),
  row('a web page', QUOTE, `<html><title>${EVIL}</title>`, [7, 'answered 502'], { status: 502 }),
  row('a text that is not JSON', QUOTE, `plain ${EVIL}`, [5, HARMLESS], { status: 400 }),
  row('a name', 'track 11 -o csv', { id: 11, status: [], [EVIL]: 'x' }, [0], { after: shows('[31mE') }),
  row('a query', `${QUOTE} --query proposals[0].name -o text`, POISON, [0], {
    after: shows(/^Express\[31mE/),
  }),
  row('a query of text', `${QUOTE} --query abs(proposals[0].name)`, POISON, [9, 'does not fit its result']),
]);

const offers = (...proposals: object[]) => ({ proposals });
const named = (name: string) => offers({ id: 'EXP', name, isValid: true });
const INHERITED = '{"proposals":[{"id":"EXP","__proto__":{"isValid":true},"constructor":1,"toString":2}]}';
const STRANGE = offers({ id: 5, name: [1], serviceType: {}, price: true, currency: 7, isValid: 'x' }, [
  3,
  null,
  'x',
  [],
]);
const sixty = { terminal: true, columns: 60 };

runFaults('shapes of answers, and widths of terminals', [
  ...['json', 'table', 'csv', 'text'].map(format =>
    row(`names that objects inherit, as ${format}`, `${QUOTE} -o ${format}`, INHERITED, [0], {
      after({ stdout }) {
        expect(stdout).toContain(format === 'json' ? '"__proto__"' : 'EXP');
        expect(Object.hasOwn(Object.prototype, 'isValid')).toBe(false);
      },
    }),
  ),
  row('every value is of another type', QUOTE, STRANGE, [0], { after: shows('5') }),
  ...[20, 0, -3, Number.NaN].map(columns =>
    row(`a terminal says that it is ${columns} wide`, QUOTE, ANSWER, [0], {
      terminal: true,
      columns,
      after: shows(/9\.50 EUR/),
    }),
  ),
  row('COLUMNS=nonsense', QUOTE, named('x'.repeat(5000)), [0], {
    env: { COLUMNS: 'nonsense', LINES: '-1', TERM: '\x1b[31m', LC_ALL: 'C' },
    // A cell has at most 4,000 letters where the width is not known.
    after: shows('x'.repeat(3999)),
  }),
  row('a name of 1,000 wide emoji', QUOTE, named('📦'.repeat(1000)), [0], {
    ...sixty,
    after({ stdout }) {
      expect(stdout).not.toMatch(/\p{Cs}/u);
      expect(stdout.match(/📦/gu)?.length).toBeLessThan(30);
    },
  }),
  row('a name of 10,000 marks on one letter', QUOTE, named(`a${'\u0301'.repeat(10_000)}`), [0], {
    ...sixty,
    after: ({ stdout }) => expect(stdout.length).toBeLessThan(6000),
  }),
  row('a name of nothing', QUOTE, named('\u200b\u200d\ufeff\u00ad'), [0], { after: shows(/^EXP +- /m) }),
]);
