// A service that answers in its own way where the service document leaves something open: a proxy before the emulator. It
// is written from the service document, so that it is a second witness beside the emulator. Never import src here.
import type { IncomingHttpHeaders } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import { served } from '../rig/sockets.ts';

// biome-ignore lint/suspicious/noExplicitAny: a dialect rebuilds bodies of any shape.
export type Body = any;

/** §4: method and path of each operation. */
const OPERATIONS = {
  proposals: /^POST \/v1\/carriers\/proposal$/,
  rates: /^POST \/api\/v1\/shipping\/rates$/,
  ship: /^POST \/v1\/shipments$/,
  pair: /^POST \/v2\/shipments$/,
  labels: /^POST \/v2\/carriers\/create$/,
  shipment: /^GET \/v1\/shipments\/[^/]+$/,
  domestic: /^GET \/v1\/shipments\/domestic\/[^/]+$/,
  subscribe: /^POST \/webhooks\/subscriptions$/,
  subscription: /^GET \/webhooks\/subscriptions\/[^/]+$/,
} as const;
export type OperationName = keyof typeof OPERATIONS;

const PACKED = { gzip: gzipSync, deflate: deflateSync };

/** A label as the emulator made it. */
interface Label {
  /** `http://127.0.0.1:1234`, that of the dialect. */
  origin: string;
  /** `TRACKING.pdf` */
  name: string;
}

export interface Dialect {
  /** Every answer is packed so, although none was asked for. */
  coding: keyof typeof PACKED;
  /** How a command gets address and credential: a profile that is added, and variables. */
  connect(address: string): { add?: string[]; settings?: string[]; env?: Record<string, string> };
  /** Does a request carry the credential? */
  knows(headers: IncomingHttpHeaders): boolean;
  /** Gives a token for a POST to this path; `undefined`: refused. */
  tokens?: { path: string; give(headers: IncomingHttpHeaders): Body };
  /** Ids, carrier ids and tracking numbers are numbers. */
  isNumeric?: boolean;
  /** How an operation answers; else as the emulator does. */
  answers: Partial<Record<OperationName, (body: Body) => Body>>;
  /** What is around an answer. */
  envelope(body: Body, operation: OperationName): Body;
  /** The body of an error. */
  refusal(status: number, message: string): Body;
  /** What stands where the document has the link of a label. */
  label(label: Label): string;
  /** Answers a request for a file in place of the file. */
  beforeFile?(path: string, isKnown: boolean): { status: number; location?: string } | undefined;
}

interface Asked {
  /** `GET /labels/X.pdf` */
  line: string;
  /** Did it carry the credential? */
  isKnown: boolean;
}

export interface DialectService {
  address: string;
  asked: Asked[];
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** The dialect before the emulator at `upstream`, which takes the token `demo`. */
export async function speak(dialect: Dialect, upstream: string): Promise<DialectService> {
  const asked: Asked[] = [];
  const ids = dialect.isNumeric ? numbers() : { inAnswer: (body: Body): Body => body, inRequest: same };
  let address = '';

  function said(status: number, body: Body): Reply {
    const json = Buffer.from(JSON.stringify(body));
    return {
      status,
      headers: { 'content-type': 'application/json; charset=utf-8', 'content-encoding': dialect.coding },
      body: PACKED[dialect.coding](json),
    };
  }

  const pdfNamed = async (name: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${upstream}/labels/${name}`)).arrayBuffer());

  async function file(path: string, isKnown: boolean): Promise<Reply> {
    const before = dialect.beforeFile?.(path, isKnown);
    if (before)
      return {
        status: before.status,
        headers: { ...(before.location !== undefined && { location: before.location }) },
      };
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { status: 200, headers: { 'content-type': 'application/pdf' }, body: await pdfNamed(name) };
  }

  function withLabel(operation: OperationName, body: Body): Body {
    const [label, field] =
      operation === 'pair' ? [body.international.label, 'labelPdf'] : [body.international, 'label'];
    if (label?.[field]) {
      const name = label[field].slice(label[field].lastIndexOf('/') + 1);
      label[field] = dialect.label({ origin: address, name });
    }
    return body;
  }

  async function answerTo(method: string, path: string, headers: IncomingHttpHeaders, body: string) {
    const isKnown = dialect.knows(headers);
    asked.push({ line: `${method} ${path}`, isKnown });
    if (path === dialect.tokens?.path) {
      const token = method === 'POST' ? dialect.tokens.give(headers) : undefined;
      return token ? said(200, token) : said(401, dialect.refusal(401, 'no such client'));
    }
    if (path.endsWith('.pdf')) return file(path, isKnown);
    const operation = operationAt(`${method} ${path.replace(/^\/sandbox\//, '/')}`);
    if (operation === undefined) return said(404, dialect.refusal(404, 'there is nothing here'));
    // §7: rates list no 401.
    if (!isKnown && operation !== 'rates') return said(401, dialect.refusal(401, 'who are you?'));
    const given = await fetch(upstream + ids.inRequest(path), {
      method,
      headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
      ...(body !== '' && { body: ids.inRequest(body) }),
    });
    const plain: Body = await given.json();
    if (!given.ok) {
      const { message, details } = plain.error;
      return said(given.status, dialect.refusal(given.status, details[0]?.message ?? message));
    }
    const labelled = operation === 'pair' || operation === 'labels' ? withLabel(operation, plain) : plain;
    const answer = dialect.answers[operation]?.(labelled) ?? labelled;
    return said(given.status, dialect.envelope(ids.inAnswer(answer), operation));
  }

  address = await served(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    const reply = await answerTo(method, url, headers, body);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  return { address, asked };
}

const operationAt = (line: string): OperationName | undefined =>
  (Object.keys(OPERATIONS) as OperationName[]).find(name => OPERATIONS[name].test(line));

const same = (text: string): string => text;

/** The carriers of the emulator as a dialect with numbers has them. */
export const CARRIER_NUMBERS = { ECO: 700000001, EXP: 700000002, DOM: 700000003 };
const NAMED = ['id', 'trackingNumber'];

/** Each id has a number, and a request has the numbers as text (§2: ids are strings). */
function numbers() {
  const known = new Map<string, number>(Object.entries(CARRIER_NUMBERS));
  const numberOf = (id: string): number => {
    const number = known.get(id) ?? 700000001 + known.size;
    known.set(id, number);
    return number;
  };
  const inAnswer = (value: Body): Body => {
    if (Array.isArray(value)) return value.map(inAnswer);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        NAMED.includes(name) && typeof inner === 'string' ? numberOf(inner) : inAnswer(inner),
      ]),
    );
  };
  const inRequest = (text: string): string =>
    text.replace(/(?<=["/])7\d{8}(?="|$)/g, number => {
      const found = [...known].find(([, other]) => String(other) === number);
      return found?.[0] ?? number;
    });
  return { inAnswer, inRequest };
}
