// What holds for any text, any JSON and any bytes, from a person, a file or the service.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countryFor } from '../src/contract/country-names.ts';
import { formatPath, parsePath, setAt } from '../src/contract/paths.ts';
import { Failure } from '../src/errors.ts';
import { FAILURES, type FailureCode } from '../src/exit-codes.ts';
import { readJson } from '../src/json.ts';
import { parsePackage, proposalPackage, ratePackage, shipmentPackage, specOf } from '../src/order/options.ts';
import { lookOf } from '../src/output/look.ts';
import { failureJson, failureText } from '../src/output/print.ts';
import { compileQuery } from '../src/output/query.ts';
import { anyTable } from '../src/output/table.ts';
import { safeJson, textLines, toCsv } from '../src/output/text.ts';
import { programWords, spelledCommand } from '../src/profile/secrets.ts';
import { tokenUrl } from '../src/profile/target.ts';
import { renewableCredentials } from '../src/service/credentials.ts';
import { objectIn } from '../src/session/files.ts';
import { numberOf } from '../src/text.ts';
import { recorded } from './output/streams.ts';
import { createRig } from './rig/command.ts';
import { CONTROL, SECRET } from './rig/oracles.ts';
import { SHIPMENT } from './rig/service.ts';
import { rawServer } from './rig/sockets.ts';
import { COMMANDS, WELL_FOR_ALL } from './service/network-rig.ts';
import { runs } from './torture/size.ts';

const NASTY = '.[]=,:@x"\'`$\\;*|&~0123456789-+eE \r\n\t\0\x1b\x9b\u202e\u2028\u200b\ufeff\ud800';
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...NASTY, '__proto__', 'constructor', 'weight', '📦', '京'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
});
const json = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, text, fc.double(), fc.constant(null), tie('list'), tie('record')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  record: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
})).value;

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

test('any text, and any bytes of a file, are parsed or refused with exit 2', () => {
  fc.assert(
    fc.property(text, fc.uint8Array({ maxLength: 40 }), (given, bytes) => {
      attempt(() => parsePackage(given));
      attempt(() => objectIn(bytes, 'order.json'));
      attempt(() => objectIn(Buffer.from(given), 'order.json'));
      const words = attempt(() => programWords(given));
      if (words) expect(words[0]).not.toBe('');
      const path = parsePath(given);
      if (path) expect(parsePath(formatPath(path))).toEqual(path);
      const number = numberOf(given);
      if (number !== undefined) expect(JSON.parse(JSON.stringify(number))).toBe(number);
      expect(countryFor(given) ?? 'DE').toMatch(/^[A-Z]{2}$/);
    }),
    runs(500),
  );
});

test('JSON is parsed as JSON.parse does it, but a whole number keeps all its digits', () => {
  const long = fc.bigInt({ min: 10n ** 16n, max: 10n ** 30n });
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), long, (values, id) => {
      const written = JSON.stringify(values, null, 2);
      fc.pre(!/\d{16}/.test(written));
      expect(readJson(written)).toEqual(JSON.parse(written));
      expect(readJson(`{"id":${id},"list":[${id}]}`)).toEqual({ id: String(id), list: [String(id)] });
    }),
  );
});

test('every number, every package and every word of a command is parsed as what it was formatted from', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).filter(one => !Object.is(one, -0));
  const side = fc.nat({ max: 99_999 }).map(hundredths => hundredths / 100);
  const sides = { weight: side, length: side, width: side, height: side };
  const parcel = fc.record({ quantity: fc.nat({ max: 999 }), ...sides });
  const shapes = fc.constantFrom(shipmentPackage, proposalPackage, ratePackage);
  const words = fc.array(
    text.filter(word => !word.includes('\0')),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(finite, parcel, shapes, words, (number, given, shape, rest) => {
      expect(numberOf(String(number))).toBe(number);
      expect(parsePackage(specOf(shape(given)) ?? '')).toEqual(given);
      expect(programWords(spelledCommand(['program', ...rest]))).toEqual(['program', ...rest]);
    }),
  );
});

test('a token command is split at blanks, and quoted as in a shell', () => {
  const given = ` a 'b c'\t"d \\"e\\" \\$f" g\\ h '' x'y'"z"\\* $HOME *.txt; `;
  expect(programWords(given)).toEqual(['a', 'b c', 'd "e" \\$f', 'g h', '', 'xyz*', '$HOME', '*.txt;']);
});

test('any accepted --token-url is on the host of the service, or a whole https URL', () => {
  const base = new URL('https://api.example.com/v2');
  const part = fc.constantFrom(...'/\\@:?#\t', '//', '..', 'evil.example', 'https:', 'token', '%2f');
  const path = fc.array(part).map(parts => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), path), url => {
      const accepted = attempt(() => tokenUrl(url, base));
      if (accepted === undefined) return;
      expect(accepted).toMatchObject({ protocol: 'https:', username: '', search: '', hash: '' });
      // A path never leaves the host, whatever is in it.
      if (!/^https:/i.test(url)) expect(accepted.origin).toBe(base.origin);
    }),
    runs(500),
  );
});

test('any number of refused calls in any order fetches each token once, and uses no refused token again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.scheduler(), async (calls, scheduler) => {
      let fetched = 0;
      const fetch = scheduler.scheduleFunction(async () => {
        fetched += 1;
        return { token: `token-${fetched}` };
      });
      const made = renewableCredentials({ fetch }, token => ({ token }), { now: () => 0 });
      const answer = scheduler.scheduleFunction(async (token: unknown) => (token === 'token-1' ? 401 : 200));
      const call = async () => {
        const credentials = made();
        const first = await answer((await credentials.headers()).token);
        if (first === 200) return first;
        expect(await credentials.renew()).toBe(true);
        return answer((await credentials.headers()).token);
      };
      const all = Promise.all(Array.from({ length: calls }, call));
      await scheduler.waitFor(all);
      expect(await all).toEqual(Array.from({ length: calls }, () => 200));
      expect(fetched).toBe(2);
    }),
  );
});

const look = await lookOf(recorded().host, 'stdout');

test('any JSON of the service is shown without a control character, and any query of it ends well', async () => {
  await fc.assert(
    fc.asyncProperty(json, text, fc.integer({ min: 1, max: 120 }), async (value, expression, columns) => {
      const shown = [await anyTable({ ...look, columns }, value), toCsv([value]).replaceAll('\r\n', '')];
      for (const one of [...shown, ...textLines(value)]) expect(one).not.toMatch(CONTROL);
      for (const line of textLines(value)) expect(line).not.toMatch(/[\n\r]/);
      try {
        (await compileQuery(expression))(value);
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
      }
    }),
    runs(200),
  );
});

test('a failure with any message is shown without control characters, and as JSON on one line', async () => {
  const codes = Object.keys(FAILURES) as FailureCode[];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...codes), text, text, json, async (code, message, path, body) => {
      const failure = new Failure(code, message, { issues: [{ path, message }], body });
      expect(await failureText(failure, look)).not.toMatch(CONTROL);
      const line = safeJson(failureJson(failure));
      expect(line).not.toMatch(/\n/);
      expect(line).not.toMatch(CONTROL);
      expect(JSON.parse(line).error).toMatchObject({ code, message, issues: [{ path, message }] });
    }),
  );
});

test('any JSON in the file of an order: exit 0 or 2, and nothing is sent', async () => {
  const rig = await createRig();
  const PLACES = ['type', 'packages[0].weight', 'items', 'receiver.address.country', 'carrier.id', 'new'];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
    fc.constantFrom(null, '', [], {}, -1, 1e308, [null], [[]]),
  );
  const changed = fc
    .tuple(fc.constantFrom(...PLACES), value)
    .map(([place, put]) => setAt(SHIPMENT, parsePath(place) ?? [], put));
  const flags = fc.constantFrom('', '--allow-unknown', '--json', '--strict');
  await fc.assert(
    fc.asyncProperty(fc.oneof(value, changed, changed), flags, async (body, more) => {
      const ran = await rig.run(`ship -f - --dry-run ${more}`, { stdin: JSON.stringify(body) });
      expect([0, 2], ran.stderr).toContain(ran.exitCode);
      expect(ran.requests).toEqual([]);
    }),
    runs(80),
  );
});

const answers = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
  fc.json().map(one => Buffer.from(one)),
  // A good answer with a strange value in place of one of its values.
  fc
    .tuple(fc.constantFrom('id', 'proposals', 'status', 'success', 'carrier', 'message'), fc.jsonValue())
    .map(([name, value]) => Buffer.from(JSON.stringify({ ...JSON.parse(WELL_FOR_ALL), [name]: value }))),
  text.map(one => Buffer.from(JSON.stringify({ id: one, message: one, proposals: [{ id: one }] }))),
);
const status = fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constantFrom(200, 201, 204, 400, 429, 500));
const type = fc.constantFrom('application/json', 'text/html', 'text/plain; charset=utf-16', 'x/y', '');
const output = fc.constantFrom('', '--json', '--output csv', '-q', '--verbose');

const EXITS = {
  quote: [0, 3, 4, 5, 6, 7],
  // 9: it names what was created, and says what failed.
  ship: [0, 3, 4, 5, 6, 8, 9],
};

test.each(['quote', 'ship'] as const)('%s takes any answer, and books at most once', async name => {
  let answer = Buffer.alloc(0);
  const server = await rawServer(socket => void socket.end(answer));
  const rig = await createRig({ env: { WAYBILL_BASE_URL: server.url.origin, WAYBILL_TOKEN: SECRET } });
  let orders = 0;
  await fc.assert(
    fc.asyncProperty(answers, status, type, output, async (body, code, content, format) => {
      const head = `HTTP/1.1 ${code} Word\r\ncontent-type: ${content}\r\ncontent-length: ${body.length}\r\n\r\n`;
      answer = Buffer.concat([Buffer.from(head), body]);
      const before = server.requests.length;
      orders += 1;
      const argv = `${COMMANDS[name].replace('ORDER-1', `ORDER-${orders}`)} ${format}`;
      const stdin = JSON.stringify({ ...SHIPMENT, chargeableWeight: orders });
      const { exitCode } = await rig.run(argv, { stdin, may: ['words'] });
      expect(EXITS[name]).toContain(exitCode);
      const arrived = server.requests.length - before;
      // Only a booking that was not processed (429) is sent again.
      if (name === 'ship' && code !== 429) expect(arrived).toBe(1);
      expect(arrived).toBeLessThanOrEqual(4);
    }),
    runs(120),
  );
});
