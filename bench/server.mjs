// A minimal service in a process of its own. It answers at once (or after LATENCY milliseconds), so that only the client is
// measured. It uses raw sockets, because `node:http` would be the slowest part of a bulk row.
//   node bench/server.mjs [LATENCY]     prints its address; ends with its stdin
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const latency = Number(process.argv[2] ?? 0);
const fixture = path =>
  JSON.stringify(
    JSON.parse(readFileSync(new URL(`../fixtures/service/v1/${path}`, import.meta.url), 'utf8')),
  );

const proposals = fixture('carriers/proposal/POST/minimal.201.json');
const shipment = fixture('shipments/{shipmentId}/GET/delivered.200.json');
const [beforeId, afterId] = fixture('shipments/POST/full.201.json').split('shp-int-1002');
// Without a link: nothing is fetched from elsewhere.
const label = JSON.stringify({
  success: true,
  international: { success: true, operation: 'create', carrier: 'EXP', trackingNumber: 'EXP0000003002' },
});

let answered = 0;

/** The answer to the first line of a request; the measurement asks for `/count`. */
function answerTo(line) {
  if (line.startsWith('GET /count')) return [200, String(answered)];
  answered += 1;
  if (line.startsWith('GET ')) return [200, shipment];
  if (line.startsWith('POST /v1/carriers/proposal')) return [201, proposals];
  if (line.startsWith('POST /v2/carriers/create')) return [200, label];
  return [201, `${beforeId}shp-${answered}${afterId}`];
}

function write(socket, head) {
  if (socket.destroyed) return;
  const [status, body] = answerTo(head);
  const last = /\r\nconnection: *close/i.test(head);
  const lines = [
    `HTTP/1.1 ${status} OK`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(last ? ['Connection: close'] : []),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  if (last) socket.end();
}

// Complete requests with a Content-Length, as all contenders send them.
function serve(socket) {
  let unread = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', chunk => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    for (let end = unread.indexOf('\r\n\r\n'); end >= 0; end = unread.indexOf('\r\n\r\n')) {
      const head = unread.latin1Slice(0, end);
      const whole = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (unread.length < whole) return;
      unread = unread.subarray(whole);
      if (latency > 0) setTimeout(write, latency, socket, head);
      else write(socket, head);
    }
  });
}

const server = createServer({ noDelay: true }, serve);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.stdin.resume().once('end', () => process.exit());
