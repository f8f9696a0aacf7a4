// A service in front of the emulator, which numbers its shipments, notes what it made, and fails as it is told.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../rig/sockets.ts';

/**
 * What the service does with a request that creates something. `500 after`, `lost`: it is created, and answered with a 500, or not
 * at all. `500 before`: nothing is created. `other id`: it answers with the id of the shipment before. `twice`: it answers twice.
 */
export const FAULTS = ['none', '500 after', 'lost', '500 before', 'busy', 'other id', 'twice'] as const;
export type Fault = (typeof FAULTS)[number];

/** A request that created something. */
export interface Made {
  line: string;
  body: Record<string, unknown>;
  fault: Fault;
  /** Of a shipment, or of each leg of a pair. */
  ids: string[];
  /** How many steps there were before. */
  at: number;
}

const forwarded = ({ 'content-length': _, ...headers }: Record<string, string>) => headers;

/** The emulator gives every shipment an id of its own. This service numbers those of each leg by themselves, from 101. */
function createNumbers() {
  const numbers = { international: new Map<string, string>(), domestic: new Map<string, string>() };
  type Leg = keyof typeof numbers;
  const numberOf = (leg: Leg, id: string) => {
    const known = numbers[leg].get(id) ?? String(101 + numbers[leg].size);
    numbers[leg].set(id, known);
    return known;
  };
  const idOf = (leg: Leg, number: unknown) =>
    [...numbers[leg]].find(([, one]) => one === number)?.[0] ?? number;
  return {
    pathOut: (path: string) =>
      path.replace(
        /(\/shipments\/(?:domestic\/)?)(\d+)$/,
        (_, before, number) =>
          before + idOf(before.includes('domestic') ? 'domestic' : 'international', number),
      ),
    bodyOut(text: string) {
      const body = JSON.parse(text);
      for (const leg of Object.keys(numbers) as Leg[]) if (body[leg]) body[leg] = idOf(leg, body[leg]);
      return JSON.stringify(body);
    },
    answerIn(line: string, bytes: Buffer) {
      const text = bytes.toString('latin1');
      if (!text.startsWith('{')) return bytes;
      const told = JSON.parse(bytes.toString());
      if (/^POST .*\/shipments$/.test(line) || /^GET .*\/shipments\//.test(line)) {
        if (told.id) told.id = numberOf(line.includes('/domestic/') ? 'domestic' : 'international', told.id);
        for (const leg of Object.keys(numbers) as Leg[])
          if (told[leg]?.shipment) told[leg].shipment.id = numberOf(leg, told[leg].shipment.id);
      }
      return Buffer.from(JSON.stringify(told));
    },
  };
}

const POSTS = /\/(v[12]\/shipments|v2\/carriers\/create)$/;

/** `emulator`: its address. `steps`: how many steps there were by now. */
export async function startFaulty(emulator: string, steps: () => number) {
  const made: Made[] = [];
  const faults: Fault[] = [];
  const numbers = createNumbers();
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const line = `${request.method} ${request.url}`;
    const books = POSTS.test(line);
    const fault = (books ? faults.shift() : undefined) ?? 'none';
    if (fault === '500 before') return void response.writeHead(500).end('{}');
    if (fault === 'busy') return void response.writeHead(429, { 'retry-after': '1' }).end('{}');
    const { method = 'GET', headers, url = '' } = request;
    const passed = await fetch(emulator + numbers.pathOut(url), {
      method,
      headers: { ...forwarded(headers as Record<string, string>), connection: 'close' },
      ...(method === 'POST' && { body: numbers.bodyOut(body) }),
    });
    let bytes = numbers.answerIn(line, Buffer.from(await passed.arrayBuffer()));
    if (books && passed.ok) {
      const told = JSON.parse(bytes.toString());
      const before = made.findLast(one => one.line === line)?.ids[0];
      const ids = [told.id ?? told.international?.shipment?.id, told.domestic?.shipment?.id].filter(Boolean);
      made.push({ line, body: JSON.parse(body), fault, ids, at: steps() });
      if (fault === 'other id' && told.id && before)
        bytes = Buffer.from(JSON.stringify({ ...told, id: before }));
      if (fault === '500 after') return void response.writeHead(500).end('{}');
      if (fault === 'lost') return void response.destroy();
    }
    const head = { 'content-type': passed.headers.get('content-type') ?? '' };
    response.writeHead(passed.status, { ...head, 'content-length': bytes.length }).write(bytes, () => {
      if (fault === 'twice') response.socket?.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`);
      response.end();
    });
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const { port, close } = await listening(server);
  return { address: `http://127.0.0.1:${port}`, made, faults, close };
}
