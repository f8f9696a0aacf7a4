// Complete answers that are not the expected ones.
import { expect } from 'vitest';
import { SECRET } from '../rig/oracles.ts';
import { http, type Reply, rawServer, script } from '../rig/sockets.ts';
import { type Fault, runFaults } from './fault.ts';
import { pair, row, type Scene, WELL_FOR_ALL } from './network-rig.ts';

const DOUBT = 'no conclusive answer came';

/** The service failed or may have failed: a read is repeated. */
const failed = (status: number, when: string, body: string, ...words: (string | RegExp)[]): Fault[] =>
  pair(
    `${status}, ${when}`,
    { reply: http(status, body) },
    [7, 4, `answered ${status}`, ...words],
    [8, 1, DOUBT, `answered ${status}`, ...words],
    'track',
  );

/** The service refused. */
const refused = (status: number, exit: number, when: string, body: string, ...words: string[]): Fault[] =>
  pair(
    `${status}, ${when}`,
    { reply: http(status, body) },
    [exit, 1, `answered ${status}`, ...words],
    [exit, 1, `answered ${status}`, ...words, 'nothing was created'],
    'track',
  );

/** A 2xx answer that cannot be read. */
const nonsense = (when: string, reply: Scene['reply'] & {}, words: string | RegExp): Fault[] =>
  pair(when, { reply }, [7, 1, 'cannot be used', words], [8, 1, DOUBT], 'track');

const redirected = (status: number, to: (host: string) => string): (() => Promise<Scene>) => {
  return async () => {
    const host = await rawServer(script(http(200, WELL_FOR_ALL)));
    const body = `<html><title>Moved</title></html>`;
    return {
      reply: http(status, body, { location: to(host.url.href) }),
      // Without a connection no credential and no customer data can get there.
      after: () => expect(host.connections()).toBe(0),
    };
  };
};

const redirect = (status: number, when: string, to: (host: string) => string, words: string | RegExp) => {
  const sees = [`answered ${status}`, 'never followed', words];
  return pair(`${status} ${when}`, redirected(status, to), [7, 1, ...sees], [8, 1, DOUBT, ...sees]);
};

const bytes =
  (body: Buffer, status = 201): Reply =>
  socket => {
    socket.write(`HTTP/1.1 ${status} Word\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body);
  };

const PAGE = '<!doctype html><html><head><title>Sign in</title></head></html>';

runFaults('answers of the service', [
  ...[301, 302, 303, 307, 308].flatMap(status =>
    redirect(status, 'to another host', host => host, /redirect to http:\/\/127\.0\.0\.1:\d+,/),
  ),
  ...redirect(
    307,
    'to an address with credentials, which are not shown',
    host => `${host.replace('//', `//user:${SECRET}@`)}${SECRET}?token=${SECRET}`,
    'redirect to http://127.0.0.1',
  ),
  ...redirect(302, 'to another path', () => '/login', 'a redirect, which'),
  ...redirect(302, 'to an invalid address', () => 'javascript:alert(1)', 'a redirect, which'),
  ...pair(
    '304 although the request had no condition',
    { reply: http(304) },
    [7, 1, 'answered 304'],
    [8, 1, DOUBT, 'answered 304'],
  ),
  row('ship', '503 with Retry-After: a booking is not sent again', [8, 1, DOUBT, /^(?!.*asks to wait)/s], {
    reply: http(503, 'busy', { 'retry-after': '1' }),
  }),
  ...failed(500, 'with a message', '{"error":{"message":"no pool"}}', 'the service failed', 'no pool'),
  ...failed(502, 'with a page', PAGE, 'a web page: Sign in'),
  ...failed(503, 'without a body', ''),
  ...failed(504, 'with text', 'upstream timed out', 'upstream timed out'),
  ...failed(408, 'without a body', ''),
  ...failed(599, 'without a body', ''),
  ...failed(999, 'which is not defined', '{"message":"?"}'),
  ...failed(500, 'with control characters', '"\\u001b[2J\\u0007\\u202egone\\u009b31m"', 'gone'),
  ...refused(402, 5, 'without a body', ''),
  ...refused(404, 4, 'without a body', ''),
  ...refused(
    422,
    5,
    'with a problem of a single field',
    '{"message":"Not valid","errors":[{"path":"receiver.phone","message":"is short"}]}',
    'Not valid',
    'receiver.phone  is short',
  ),
  ...pair(
    '400 that is packed and does not unpack: its bytes are no words',
    {
      reply: http(400, '\x1f\x08\x01', { 'content-encoding': 'gzip' }),
    },
    [5, 1, 'it is packed as gzip, and does not unpack'],
    [5, 1, 'it is packed as gzip, and does not unpack'],
  ),
  ...refused(418, 5, 'which is rare', '{"message":"teapot"}', 'teapot'),
  ...refused(400, 5, 'with a page', PAGE, 'a web page: Sign in'),
  ...refused(407, 5, 'from a service that is no proxy', ''),
  ...refused(409, 5, 'with a message in another script', '{"message":"已存在"}', '已存在'),
  ...refused(422, 5, 'with a message of 2 MB', `{"message":"${'no '.repeat(600_000)}"}`, 'no no', '…'),
  ...refused(401, 3, 'without a body', ''),
  ...refused(403, 3, 'with a page', PAGE, 'a web page: Sign in'),
  ...pair(
    '400 that repeats the credential',
    { reply: http(400, `{"message":"no such token: ${SECRET}"}`) },
    [5, 1, 'no such token: ••••'],
    [5, 1, 'no such token: ••••'],
  ),
  ...pair(
    '400 with a header that repeats the credential',
    { reply: http(400, 'packed?', { 'content-encoding': SECRET }) },
    [5, 1, 'it is packed as ••••'],
    [5, 1, 'it is packed as ••••'],
  ),
  row('ship', 'the credential in the place of the id', [8, 1, DOUBT, 'without saying what it made'], {
    reply: http(201, `{"id":"${SECRET}"}`),
  }),
  row(
    'ship',
    'a refusal that names a consignment says how to look at it',
    [5, 1, 'The answer names shipment C-7: look at it with `waybill track C-7`'],
    { reply: http(409, '{"message":"Order exists","error":{"consignmentId":"C-7"}}') },
  ),
  row(
    'ship',
    'a refusal that names a shipment says so in the JSON error, too',
    [5, 1, 'The answer names shipment S-9', '"body":{"message"'],
    {
      reply: http(409, '{"message":"Order exists","shipmentId":"S-9"}'),
      more: '--json',
    },
  ),
  row(
    'track',
    'a redirect to a host of 12,000 letters is told in short',
    [7, 1, /a redirect to http:\/\/a\.[a.]{40,60}…/],
    {
      reply: http(302, '', { location: `http://${'a.'.repeat(6000)}` }),
      after: ran => expect(ran.stderr.length).toBeLessThan(500),
    },
  ),
  ...nonsense('204', http(204, '', {}).replace('content-length: 0\r\n', ''), 'it is empty'),
  ...nonsense('an empty 201', http(201), 'it is empty'),
  ...nonsense('a page', http(200, PAGE), 'a web page: Sign in'),
  ...nonsense('a list', http(201, '[]'), 'not a JSON object'),
  ...nonsense('null', http(201, 'null'), 'not a JSON object'),
  ...nonsense('two documents', http(201, WELL_FOR_ALL.repeat(2)), 'not a JSON object'),
  ...nonsense('JSON of another shape', http(201, '{"result":{"shipment":"S-1"}}'), 'there is no id in it'),
  ...nonsense('an id of null', http(201, '{"id":null}'), 'there is no id in it'),
  ...nonsense('brackets 100,000 deep', http(201, '['.repeat(100_000)), 'not a JSON object'),
  ...nonsense('UTF-16', bytes(Buffer.from(`\ufeff${WELL_FOR_ALL}`, 'utf16le')), 'not a JSON object'),
  ...nonsense('random bytes', bytes(Buffer.from('89504e470d0a1a0a00ff', 'hex')), 'not a JSON object'),
  ...pair('JSON with a byte order mark', { reply: http(201, `\ufeff${WELL_FOR_ALL}`) }, [0, 1], [0, 1]),
  ...pair(
    'JSON with the content type text/html',
    { reply: http(201, WELL_FOR_ALL, { 'content-type': 'text/html' }) },
    [0, 1],
    [0, 1],
  ),
  ...pair(
    'JSON with a name that is not UTF-8',
    { reply: bytes(Buffer.from(WELL_FOR_ALL.replace('{', '{"x":"\xe9\xff",'), 'latin1')) },
    [0, 1],
    [0, 1],
  ),
]);
