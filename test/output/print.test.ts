import { expect, test } from 'vitest';
import type { Failure } from '../../src/errors.ts';
import type { Format } from '../../src/formats.ts';
import { createPrinter, type PrintSettings, type View } from '../../src/output/print.ts';
import { recorded, type Setting } from './streams.ts';

interface Quote {
  prices: { carrier: string; price: number }[];
  extra?: unknown;
}
const body: Quote = {
  prices: [
    { carrier: 'ECO', price: 9.5 },
    { carrier: 'EXP', price: 20 },
  ],
  extra: null,
};
const view: View<Quote> = {
  items: quote => quote.prices,
  essential: quote => quote.prices.map(price => price.carrier),
  table: (quote, look) => `${quote.prices.length} prices, ${look.columns ?? 'any'} wide\n\n`,
};

function printer(settings: Partial<PrintSettings> = {}, setting: Setting = {}) {
  const streams = recorded(setting);
  const defaults = {
    format: 'table',
    formatGiven: settings.format !== undefined,
    quiet: false,
    strict: false,
  } as const;
  return { ...streams, print: createPrinter(streams.host, { ...defaults, ...settings }) };
}

test.each<[string, Partial<PrintSettings>, string]>([
  ['a table is the format for people', {}, '2 prices, any wide\n'],
  ['JSON keeps every field', { format: 'json' }, `${JSON.stringify(body, null, 2)}\n`],
  [
    'JSON lines are the items',
    { format: 'jsonl' },
    '{"carrier":"ECO","price":9.5}\n{"carrier":"EXP","price":20}\n',
  ],
  ['CSV has a line for each item', { format: 'csv' }, 'carrier,price\r\nECO,9.5\r\nEXP,20\r\n'],
  ['text shows the whole result', { format: 'text' }, 'None\nPRICES\tECO\t9.5\nPRICES\tEXP\t20\n'],
  ['--quiet shows the essential values, one on each line', { quiet: true }, 'ECO\nEXP\n'],
  ['--quiet shows the essential values in every format', { quiet: true, format: 'json' }, 'ECO\nEXP\n'],
  ['a query implies JSON', { query: 'prices[0].carrier' }, '"ECO"\n'],
  [
    'the text of a query for one value is that value',
    { query: 'prices[0].carrier', format: 'text' },
    'ECO\n',
  ],
  ['the text of a query for a list is one line', { query: 'prices[].carrier', format: 'text' }, 'ECO\tEXP\n'],
  [
    'a query has a table too',
    { query: 'prices', format: 'table' },
    'CARRIER  PRICE\nECO      9.5\nEXP      20\n',
  ],
  ['a query has CSV too', { query: 'prices[1:]', format: 'csv' }, 'carrier,price\r\nEXP,20\r\n'],
  ['a query has JSON lines too', { query: 'prices[].price', format: 'jsonl' }, '9.5\n20\n'],
  ['the result of a query is shown even with --quiet', { query: 'prices[1].price', quiet: true }, '20\n'],
])('%s', async (_, settings, expected) => {
  const { print, stdout, stderr } = printer(settings);
  await print.check();
  await print.result(body, view);
  expect(stdout()).toBe(expected);
  expect(stderr()).toBe('');
});

test('without an essential value there is no output', async () => {
  const { print, stdout } = printer({ quiet: true });
  await print.result(body, { ...view, essential: () => [undefined, ''] });
  expect(stdout()).toBe('');
});

test('an essential value stays on one line', async () => {
  const { print, stdout } = printer({ quiet: true });
  await print.result(body, { ...view, essential: () => ['a\nb\x1b', 7] });
  expect(stdout()).toBe('a b\n7\n');
});

test('the items of a list are its elements, unless the view gives others', async () => {
  const { print, stdout } = printer({ format: 'jsonl' });
  await print.result([1, 2], { essential: () => [], table: () => '' });
  expect(stdout()).toBe('1\n2\n');
});

test('the check refuses a bad query, and the failure is JSON', async () => {
  const { print, stdout, stderr } = printer({ query: 'a b' });
  const failure = await print.check().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'usage' });
  await print.failure(failure as Failure);
  expect(JSON.parse(stderr())).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
  expect(stdout()).toBe('');
});

test('a full disk behind stdout is a storage failure', async () => {
  const full = { stdout: new Error('ENOSPC: no space left on device') };
  const { print } = printer({ format: 'json' }, { full });
  await expect(print.result(body, view)).rejects.toMatchObject({ code: 'storage', exitCode: 10 });
  await expect(print.plain('x')).rejects.toThrow('ENOSPC');
});

test('plain text is written unchanged, with a line break at its end', async () => {
  const { print, stdout } = printer({ format: 'json' });
  await print.plain('complete -F _waybill');
  await print.plain('');
  expect(stdout()).toBe('complete -F _waybill\n');
});

test.each<[Format, string | undefined, boolean]>([
  ['table', undefined, false],
  ['csv', undefined, false],
  ['text', 'a', false],
  ['json', undefined, true],
  ['jsonl', undefined, true],
])('with --output %s and --query %s it is %s that stderr is JSON', (format, query, json) => {
  expect(printer({ format, query }).print.json).toBe(json);
});

test('a result that is one sentence breaks at spaces on a terminal', async () => {
  const sentence: View<null> = {
    essential: () => [],
    table: () => 'The booking bk_01 is resolved: it was created.',
  };
  const { print, stdout } = printer({}, { terminal: 30 });
  await print.result(null, sentence);
  expect(stdout()).toBe('The booking bk_01 is resolved:\nit was created.\n');
  const piped = printer();
  await piped.print.result(null, sentence);
  expect(piped.stdout()).toBe('The booking bk_01 is resolved: it was created.\n');
});

test('a result that is nested too deeply to be written as JSON is exit 9, and says what was done', async () => {
  let extra: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) extra = [extra];
  const { print, stdout } = printer({ format: 'json' });
  await expect(print.result({ ...body, extra }, view)).rejects.toMatchObject({
    code: 'partial',
    message: expect.stringMatching(/The command did its work.*nested too deeply.*\(ECO EXP\)/),
  });
  expect(stdout()).toBe('');
});

test('a query that finds nothing because it compares with the name of a field says so', async () => {
  for (const [query, says] of [
    ['prices[?carrier == "ECO"].price', `--query "prices[?carrier == 'ECO'].price"`],
    ['prices[?carrier == ECO] | [0]', `--query "prices[?carrier == 'ECO'] | [0]"`],
    ['prices[?carrier == true]', "--query 'prices[?carrier == `true`]'"],
  ] as const) {
    const { print, stdout, stderr } = printer({ query, format: 'json' });
    await print.result(body, view);
    expect(stdout()).toMatch(/^(\[\]|null)\n$/);
    expect(JSON.parse(stderr()).note).toContain(says);
  }
  const { print, stderr } = printer({ query: "prices[?carrier == 'NONE']", format: 'json' });
  await print.result(body, view);
  expect(stderr()).toBe('');
});
