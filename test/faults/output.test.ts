// Texts of the service, and what a terminal, a JSON reader and a spreadsheet get of them.
import { expect } from 'vitest';
import { createRig, type Ran, type RunOptions } from '../rig/command.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { type End, type Fault, runFaults } from './fault.ts';
import { ANSWER, COMMANDS, EVIL, expectNoForgery, HARMLESS, poisoned } from './output-texts.ts';

interface Scene extends RunOptions {
  status?: number;
  /** A string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Further checks. */
  after?(ran: Ran): void;
}

function row(when: string, argv: string | string[], [exit, ...sees]: End, scene: Scene = {}): Fault {
  const { status = 200, body = poisoned(ANSWER), headers = {}, after, ...run } = scene;
  return {
    when,
    exit,
    sees,
    async happen() {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const { url } = await rawServer(socket => socket.write(http(status, text, headers)));
      const rig = await createRig({ files: { 'ship.json': SHIPMENT, 'dual.json': DUAL } });
      const env = { WAYBILL_BASE_URL: url.origin, WAYBILL_RETRIES: '0', NO_COLOR: '1', ...run.env };
      const ran = await rig.run(argv, { ...run, env });
      after?.(ran);
      // CSV has these line ends.
      return { ...ran, stdout: ran.stdout.replaceAll('\r\n', '\n') };
    },
  };
}

const READ = ['quote', 'rates', 'track', 'webhook get'];
const names = Object.keys(COMMANDS);
const said = ({ stdout }: Pick<Ran, 'stdout'>) => expect(stdout).toContain(HARMLESS);

/** Every text in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const FORMATS: readonly Fault[] = names.flatMap(name => [
  ...['table', 'text'].map(format =>
    row(`${name} -o ${format} of an answer full of escape sequences`, `${COMMANDS[name]} -o ${format}`, [0], {
      after(ran) {
        said(ran);
        expectNoForgery(ran);
      },
    }),
  ),
  row(`${name} -q of such an answer`, `${COMMANDS[name]} -q`, [0], { after: expectNoForgery }),
  row(
    `${name} --json of such an answer keeps every character, as an escape sequence`,
    `${COMMANDS[name]} --json`,
    [0],
    {
      after({ stdout }) {
        const texts = textsIn(JSON.parse(stdout));
        expect(texts.length).toBeGreaterThan(10);
        for (const text of texts) expect(text.endsWith(EVIL)).toBe(true);
      },
    },
  ),
  row(`${name} -o csv of such an answer`, `${COMMANDS[name]} -o csv`, [0]),
  row(
    `${name} --verbose of such an answer, with such headers`,
    `${COMMANDS[name]} --verbose`,
    [0, /^< x-evil: aÂ?31mb$/m, '< 200'],
    {
      headers: { 'x-evil': 'a\x9b31mb', 'x-token': 'wb-secret-8f41c07e' },
    },
  ),
]);

const REFUSAL = {
  error: { message: `no such street ${EVIL}`, code: EVIL, details: [{ path: `a${EVIL}`, message: EVIL }] },
};

const REFUSALS: readonly Fault[] = names.flatMap(name => [
  row(
    `${name}: the message of a 400 is full of escape sequences`,
    COMMANDS[name] ?? '',
    [5, 'no such street', HARMLESS],
    {
      status: 400,
      body: REFUSAL,
      after: expectNoForgery,
    },
  ),
  row(`${name} --json: the same in the body of the error`, `${COMMANDS[name]} --json`, [5, '\\u001b[31mE'], {
    status: 400,
    body: REFUSAL,
    after({ stderr }) {
      expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.body).toEqual(
        JSON.parse(JSON.stringify(REFUSAL)),
      );
    },
  }),
  row(
    `${name}: the message of a 500 is full of escape sequences`,
    COMMANDS[name] ?? '',
    READ.includes(name)
      ? [7, 'no such street', HARMLESS]
      : [8, 'no such street', HARMLESS, 'waybill history resolve'],
    { status: 500, body: REFUSAL, after: expectNoForgery },
  ),
]);

const FORMULAS = [
  '=1+1',
  '+cmd',
  '-cmd',
  '@SUM(A1)',
  '\t=1',
  ' =1',
  '＝1',
  '\u200b=1',
  '=HYPERLINK("http://evil","x")',
];

const SPREADSHEETS: readonly Fault[] = [
  ...FORMULAS.map(formula =>
    row(`CSV whose cell is ${JSON.stringify(formula)}`, `${COMMANDS.quote} -o csv`, [0], {
      body: { proposals: [{ id: 'EXP', name: formula }] },
      after: ({ stdout }) => expect(stdout).toMatch(/^EXP,"?'/m),
    }),
  ),
  row('CSV whose header is a formula', `${COMMANDS.quote} -o csv`, [0], {
    body: { proposals: [{ '=cmd()': 1 }] },
    after: ({ stdout }) => expect(stdout).toBe("'=cmd()\r\n1\r\n"),
  }),
  row('CSV whose cells are negative numbers', `${COMMANDS.quote} -o csv`, [0], {
    body: { proposals: [{ id: '-12.5', kg: -3 }] },
    after: ({ stdout }) => expect(stdout).toBe('id,kg\r\n-12.5,-3\r\n'),
  }),
  row('CSV whose cell has quotes, commas and line breaks', `${COMMANDS.quote} -o csv`, [0], {
    body: { proposals: [{ id: 'a,b', name: 'say "x"\nplease' }] },
    after: ({ stdout }) => expect(stdout).toBe('id,name\r\n"a,b","say ""x""\nplease"\r\n'),
  }),
  row(
    'text whose cell has a tab, which separates cells',
    `${COMMANDS.quote} -o text --query proposals`,
    [0],
    {
      body: { proposals: [{ id: 'a\tb', name: 'c\nd' }] },
      after: ({ stdout }) => expect(stdout).toBe('a b\tc d\n'),
    },
  ),
];

const widest = ({ stdout }: Pick<Ran, 'stdout'>) => Math.max(...stdout.split('\n').map(line => line.length));
const long = { ...ANSWER, proposals: [{ ...ANSWER.proposals[0], name: 'x'.repeat(5000) }] };
const terminal = (columns: number) => ({ terminal: true, columns });

const WIDTHS: readonly Fault[] = [
  ...[20, 1, 0, -3, Number.NaN].map(columns =>
    row(`a terminal that says it is ${columns} wide`, COMMANDS.quote ?? '', [0], {
      ...terminal(columns),
      body: ANSWER,
      after: ({ stdout }) => expect(stdout).toMatch(/9\.50 EUR/),
    }),
  ),
  row('the help on a terminal of 20 columns', 'ship --help', [0], {
    ...terminal(20),
    after: ({ stdout }) => expect(stdout).toContain('--carrier <id>'),
  }),
  row('COLUMNS=nonsense', COMMANDS.quote ?? '', [0], {
    body: long,
    env: { COLUMNS: 'nonsense', LINES: '-1' },
    // A cell has at most 4,000 letters where the width is not known.
    after: ({ stdout }) => expect(stdout).toContain('x'.repeat(3999)),
  }),
  row('a word of 5,000 letters on a terminal', COMMANDS.quote ?? '', [0], {
    ...terminal(60),
    body: long,
    after(ran) {
      expect(widest(ran)).toBeLessThanOrEqual(60);
      expect(ran.stdout).toContain('…');
    },
  }),
  row('a name of 1,000 wide emoji on a terminal', COMMANDS.quote ?? '', [0], {
    ...terminal(60),
    body: { proposals: [{ id: 'EXP', name: '📦'.repeat(1000), isValid: true }] },
    after({ stdout }) {
      expect(stdout).not.toMatch(/\p{Cs}/u);
      expect(stdout.match(/📦/gu)?.length).toBeLessThan(30);
    },
  }),
  row('a name of 10,000 marks on one letter', COMMANDS.quote ?? '', [0], {
    ...terminal(60),
    body: { proposals: [{ id: 'EXP', name: `a${'\u0301'.repeat(10_000)}`, isValid: true }] },
    after: ({ stdout }) => expect(stdout.length).toBeLessThan(6000),
  }),
  row('names of zero-width characters only', COMMANDS.quote ?? '', [0], {
    body: { proposals: [{ id: 'EXP', name: '\u200b\u200d\ufeff\u00ad', isValid: true }] },
    after: ({ stdout }) => expect(stdout).toMatch(/^EXP +- /m),
  }),
  ...[
    { LANG: 'C', LC_ALL: 'C' },
    { TERM: 'dumb' },
    { TERM: '\x1b[31m' },
    { FORCE_COLOR: 'nonsense', NO_COLOR: '1' },
  ].map(env =>
    row(`${JSON.stringify(env)} in the environment`, COMMANDS.quote ?? '', [0], {
      env,
      body: { proposals: [{ id: 'EXP', name: 'Örnek Łódź', isValid: true }] },
      after: ({ stdout }) => expect(stdout).toContain('Örnek Łódź'),
    }),
  ),
];

const SHAPES: readonly Fault[] = [
  row('an answer with the names of properties that every object inherits', `${COMMANDS.quote} --json`, [0], {
    body: '{"proposals":[{"id":"EXP","__proto__":{"isValid":true},"constructor":1,"toString":2}]}',
    after({ stdout }) {
      expect(stdout).toContain('"__proto__"');
      expect(Object.hasOwn(Object.prototype, 'isValid')).toBe(false);
    },
  }),
  ...['table', 'csv', 'text'].map(format =>
    row(`the same as ${format}`, `${COMMANDS.quote} -o ${format}`, [0], {
      body: '{"proposals":[{"id":"EXP","__proto__":{"isValid":true},"constructor":1,"toString":2}]}',
      after: ({ stdout }) => expect(stdout).toContain('EXP'),
    }),
  ),
  row('an answer with every value of another type', COMMANDS.quote ?? '', [0], {
    body: {
      chargeableWeight: {},
      proposals: [
        { id: 5, name: [1], serviceType: {}, price: true, currency: 7, isValid: 'x' },
        null,
        3,
        'x',
        [],
      ],
    },
  }),
  row('a field name that is an escape sequence', `${COMMANDS.track} -o csv`, [0], {
    body: { id: 11, status: [], [EVIL]: 'x' },
    after: ({ stdout }) => expect(stdout).toContain('[31mE'),
  }),
  row('a price of 400 digits and one with an exponent', COMMANDS.quote ?? '', [0], {
    body: {
      proposals: ['9'.repeat(400), '1e400', 1e300, '-0', ''].map(price => ({
        id: 'EXP',
        price,
        currency: 'EUR',
        isValid: true,
      })),
    },
  }),
  row(
    '--query that turns the answer into a text with escapes',
    [...(COMMANDS.quote ?? '').split(' '), '--query', 'proposals[0].name', '-o', 'text'],
    [0],
    {
      after: ({ stdout }) => expect(stdout).toMatch(/^Express\[31mE/),
    },
  ),
  row(
    '--query that does not fit the answer, whose words are evil',
    [...(COMMANDS.quote ?? '').split(' '), '--query', 'abs(proposals[0].name)', '-o', 'table'],
    [9, 'its result cannot be shown', 'does not fit it'],
    {
      after: expectNoForgery,
    },
  ),
  row('a web page with escape sequences in place of an answer', COMMANDS.quote ?? '', [7, 'answered 502'], {
    status: 502,
    body: `<html><title>${EVIL}</title>${'x'.repeat(3000)}`,
    after: expectNoForgery,
  }),
  row('text that is not JSON, with escape sequences', COMMANDS.quote ?? '', [5, HARMLESS], {
    status: 400,
    body: `plain ${EVIL}`,
    after: expectNoForgery,
  }),
];

runFaults('texts of the service', [...FORMATS, ...REFUSALS, ...SPREADSHEETS, ...WIDTHS, ...SHAPES]);
