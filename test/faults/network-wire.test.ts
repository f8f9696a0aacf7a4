// Faults on a connection: the request may have arrived, so the outcome of a booking is unknown (8), while a read is safe to
// repeat.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { nextChunk } from '../rig/client.ts';
import { http, type Reply } from '../rig/sockets.ts';
import { type Fault, runFaults } from './fault.ts';
import { type End, pair, row, type Scene, WELL_FOR_ALL, well } from './network-rig.ts';

// A reset that overtakes the bytes before it looks like a close.
const GONE = /connection (reset|closed)/;
const DOUBT = 'no conclusive answer came';

/** No answer came, four times for a read. */
const silent = (when: string, reply: Scene['reply'] & {}, words: string | RegExp): Fault[] =>
  pair(when, { reply }, [7, 4, 'no answer from', words], [8, 1, DOUBT, words]);

/** An answer began and cannot be read, also after the retries. */
const unread = (when: string, reply: Scene['reply'] & {}, words: string | RegExp, reads = 4): Fault[] =>
  pair(when, { reply }, [7, reads, 'cannot be used', words], [8, 1, DOUBT, 'cannot be read', words]);

const stalls = (when: string, text: string, late: Scene['late'] & {}): Fault[] => {
  const words = 'no complete answer within';
  const read: End = [7, 1, words, '30 s'];
  return pair(when, { reply: text, late, more: '--retries 0' }, read, [8, 1, DOUBT, words, '180 s']);
};

const fine = (when: string, reply: Scene['reply'] & {}, after?: Scene['after'] & {}): Fault[] =>
  pair(when, { reply, ...(after && { after }) }, [0, 1], [0, 1]);

const head = (fields: string) => `HTTP/1.1 201 Created\r\n${fields}\r\n\r\n`;
const half = WELL_FOR_ALL.slice(0, 30);
const cut = (text: string, how: 'end' | 'resetAndDestroy'): Reply => {
  // The text leaves before the connection ends.
  return socket => void socket.write(text, () => socket[how]());
};

const sized = (body: Buffer, fields = '') =>
  Buffer.concat([Buffer.from(head(`content-length: ${body.length}${fields}`)), body]);
const bytes =
  (answer: Buffer): Reply =>
  socket =>
    void socket.write(answer);

const packed = (coding: string, body: Buffer) => bytes(sized(body, `\r\ncontent-encoding: ${coding}`));
const PLAIN = Buffer.from(WELL_FOR_ALL);
const CUT = gzipSync(PLAIN).subarray(0, 50);
const PACKED = [
  ['gzip', gzipSync(PLAIN)],
  ['x-gzip', gzipSync(PLAIN)],
  ['deflate', deflateSync(PLAIN)],
  ['Deflate', deflateRawSync(PLAIN)],
  ['br', brotliCompressSync(PLAIN)],
  ['GZIP', gzipSync(PLAIN)],
] as const;
const BOMB = gzipSync(Buffer.alloc(100_000_000), { level: 1 });
const MEGABYTES_400 = 400 * 1024 * 1024;

/** Writes until the other side stops reading. `taken` gives the number of bytes that left. */
function flood(): { reply: Reply; taken(): number } {
  const block = Buffer.alloc(65_536, 0x20);
  let taken = 0;
  const reply: Reply = socket => {
    socket.write(head(`content-length: ${MEGABYTES_400}`));
    const more = () => {
      while (!socket.destroyed && taken < MEGABYTES_400) {
        taken += block.length;
        if (!socket.write(block)) return void socket.once('drain', more);
      }
    };
    more();
  };
  return { reply, taken: () => taken };
}

async function flooded(): Promise<Scene> {
  const { reply, taken } = flood();
  return { reply, after: () => expect(taken()).toBeLessThan(MEGABYTES_400 / 4) };
}

runFaults('connections that break', [
  ...silent(
    'only HTTP/2 is spoken',
    bytes(Buffer.from('000006040000000000000300000064', 'hex')),
    'the server speaks only HTTP/2',
  ),
  ...silent(
    'TLS is spoken on a port without it',
    bytes(Buffer.from('15030300020246', 'hex')),
    'the server answers in TLS: is it an https: address?',
  ),
  ...silent('the connection is reset before the answer', cut('', 'resetAndDestroy'), GONE),
  ...silent('the connection is closed before the answer', cut('', 'end'), 'connection closed'),
  ...silent('the connection is closed in the head', cut('HTTP/1.1 201 Cre', 'end'), 'connection closed'),
  ...silent('the connection is reset in the head', cut('HTTP/1.1 20', 'resetAndDestroy'), GONE),
  ...unread(
    'the connection is reset in the body',
    cut(head('content-length: 999') + half, 'resetAndDestroy'),
    GONE,
  ),
  ...unread(
    'the body is shorter than its content-length',
    cut(head('content-length: 999') + half, 'end'),
    'connection closed',
  ),
  ...unread(
    'the body ends in the middle of a chunk',
    cut(`${head('transfer-encoding: chunked')}ff\r\n${half}`, 'end'),
    'connection closed',
  ),
  ...unread(
    'the body ends before its last chunk',
    cut(
      `${head('transfer-encoding: chunked')}${WELL_FOR_ALL.length.toString(16)}\r\n${WELL_FOR_ALL}\r\n`,
      'end',
    ),
    'connection closed',
  ),
  ...unread(
    'the body is chunked badly',
    `${head('transfer-encoding: chunked')}1e\r\n${half}\r\nnonsense\r\n`,
    'HTTP',
  ),
  ...silent('the answer has two lengths', `${head('content-length: 2\r\ncontent-length: 3')}{}`, /length/),
  ...silent(
    'the answer has a length and is chunked',
    `${head('content-length: 3\r\ntransfer-encoding: chunked')}0\r\n\r\n`,
    /length/,
  ),
  ...silent('the answer is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'HTTP'),
  ...silent('the answer has a NUL in its head', head('x-note: \0'), 'HTTP'),
  ...silent('the head of the answer has 100 KB', head(`x-note: ${'x'.repeat(100_000)}`), /head/i),
  ...silent('the head of the answer never ends', head('x: y\r\n'.repeat(20_000)), /head/i),
  ...silent('only interim answers come', cut('HTTP/1.1 103 Hints\r\n\r\n', 'end'), 'closed'),
  ...pair(
    'the service switches to another protocol',
    { reply: head('upgrade: x').replace('201', '101') },
    [7, 4, 'no answer from'],
    [8, 1, DOUBT],
  ),
  ...stalls('the answer stalls before the head', '', server => server.received(1)),
  ...stalls('the answer stalls after an interim answer', 'HTTP/1.1 102 Wait\r\n\r\n', server =>
    server.received(1),
  ),
  ...stalls('the answer stalls in the body', head('content-length: 999') + half, nextChunk),
  ...pair(
    'the answer has 400 MB',
    flooded,
    [7, 4, 'cannot be used', 'larger than 2097152 bytes'],
    [8, 1, DOUBT, 'larger than 2097152 bytes'],
  ),
  ...unread('the answer is 100 MB of zeros, packed', packed('gzip', BOMB), 'larger than 2097152 bytes').slice(
    0,
    1,
  ),
  // No request accepts a packed answer.
  ...PACKED.map(([coding, body]) =>
    row('ship', `the answer is packed as ${coding}`, [0, 1], { reply: packed(coding, body) }),
  ),
  // Nothing was packed, or no coding is named.
  ...['gzip', 'deflate', 'br', 'utf-8', 'aws-chunked', 'constructor', 'gzip, gzip, gzip, gzip'].map(coding =>
    row('ship', `the answer says ${coding}, and is not packed`, [0, 1], { reply: packed(coding, PLAIN) }),
  ),
  ...[
    ['gzip', CUT] as const,
    ['gzip', Buffer.concat([gzipSync(PLAIN), CUT])] as const,
    ...['gzip', 'deflate', 'br', 'zstd', 'constructor'].map(coding => [coding, Buffer.from('S1')] as const),
  ].flatMap(([coding, body], index) =>
    unread(
      `the answer says ${coding}, and does not unpack (${index})`,
      packed(coding, body),
      `packed as ${coding}, and does not unpack`,
      1,
    ),
  ),
  ...fine('interim answers come first', (socket, request, index) => {
    socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
    well(socket, request, index);
  }),
  ...fine('the answer comes a byte at a time', (socket, request, index) => {
    const chunks: Buffer[] = [];
    well({ write: (text: string) => chunks.push(Buffer.from(text)) } as never, request, index);
    const all = Buffer.concat(chunks);
    const next = (at: number): void => {
      if (at < all.length) socket.write(all.subarray(at, at + 1), () => setImmediate(next, at + 1));
    };
    next(0);
  }),
  ...fine('the answer has no length and ends with the connection', socket =>
    socket.end(`${head('x: y')}${WELL_FOR_ALL}`),
  ),
  ...fine('the connection is reset after the complete answer', (socket, request, index) => {
    well(socket, request, index);
    setImmediate(() => socket.resetAndDestroy());
  }),
  ...fine('the answer is followed by garbage', socket =>
    socket.write(`${head(`content-length: ${WELL_FOR_ALL.length}`)}${WELL_FOR_ALL}and more`),
  ),
  row('quote', 'the connection is reset once, and then an answer comes', [0, 2], {
    reply: (socket, request, index) =>
      index === 0 ? socket.resetAndDestroy() : void well(socket, request, index),
  }),
  row('ship', 'the connection of the proposal closes when the booking follows', [0, 2], {
    reply(socket, request, index) {
      well(socket, request, index);
      if (index === 0) socket.end();
    },
    more: '--carrier cheapest',
  }),
  row('ship', 'a 100 Continue comes first: the outcome stays unknown', [8, 1, DOUBT], {
    reply: `HTTP/1.1 100 Continue\r\n\r\n${http(201, WELL_FOR_ALL)}`,
  }),
]);
