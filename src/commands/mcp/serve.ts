// The Model Context Protocol on stdin and stdout. Both generations that the SDK speaks have the same tools.

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  INVALID_REQUEST,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type JSONRPCMessage,
  McpServer,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  type ServerContext,
  type StandardSchemaWithJSON,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/mini';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt } from '../../contract/paths.ts';
import { asFailure, messageOf } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { existsAs } from '../../journal/booking.ts';
import { readJson } from '../../json.ts';
import { createPrinter, failureJson } from '../../output/print.ts';
import { safeJson } from '../../output/text.ts';
import { isProduction, targetWords } from '../../profile/target.ts';
import { createBookingLines } from '../../session/events.ts';
import { preferredFormat, printSettings } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { VERSION } from '../../session/version.ts';
import { Ask, type McpOptions, TOOLS, type Tool, type ToolCall } from './tools.ts';

const INSTRUCTIONS = `Waybill books shipments at a carrier service, and bookings may cost money.
The way of an order: quote, plan, ship with the hash of the plan, label, track.
A key names one order and is booked once. If a call fails or its answer is lost, call again with the same key: nothing is booked twice. Never try another key for the same order.
An error has "retry" (same, later, after-change, never) and "created" (true, false, or null where nobody knows). outcome_unknown means that the order may exist: stop, and tell a person. Only a person settles it.`;

/** Serves until the input ends or a signal comes. What is in flight by then ends first, and is recorded. */
export async function serve(session: Session, options: McpOptions): Promise<void> {
  const { host, printer, service, target } = session;
  service.requireReachable({ ...OPERATIONS.proposal, scope: null });
  await printer.note(
    `the Model Context Protocol is on stdin and stdout; bookings go to ${targetWords(target())}${target().sandbox ? ' (sandbox)' : isProduction(target()) && !options.production ? ', which is production: without --production nothing is booked' : ''}`,
  );
  const plans: ToolCall['plans'] = new Map();
  const running = new Set<Promise<unknown>>();
  // One booking after the other: the same order under two keys is seen, and a person is asked once.
  let lastBooking: Promise<unknown> = Promise.resolve();
  const answer = (tool: Tool, given: unknown, asked: Asked) => {
    const run = () => answered(tool, given, callOf(session, { ...asked, options, plans }));
    const work = tool.books ? lastBooking.then(run) : run();
    if (tool.books) lastBooking = work.catch(() => {});
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  const wire = new Wire(host);
  const connection = serveStdio(() => serverOf(answer), {
    transport: wire,
    onerror: error => void printer.note(`the client and this command do not agree: ${error.message}`),
  });
  try {
    await wire.read();
  } finally {
    // Nobody waits for the answer of a call that was cancelled, but what it books is recorded.
    await Promise.all(running);
    await connection.close();
  }
}

type Answer = (tool: Tool, given: unknown, asked: Asked) => Promise<CallToolResult | InputRequiredResult>;

/** What a request says of itself, beside its arguments. */
type Asked = Pick<ToolCall, 'canAsk' | 'answer' | 'isTakenBack'>;

function serverOf(answer: Answer): McpServer {
  const server = new McpServer({ name: 'waybill', version: VERSION }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, description, books = false, input, output } = tool;
    const annotations = {
      readOnlyHint: !books,
      ...(books && { idempotentHint: true, destructiveHint: false }),
      openWorldHint: true,
    };
    server.registerTool(
      name,
      {
        title,
        description,
        annotations,
        inputSchema: schemaWithJson(input, z.toJSONSchema(input)),
        outputSchema: schemaWithJson(z.looseObject({}), output),
      },
      (given, context) => answer(tool, given, askedIn(server, context)),
    );
  }
  return server;
}

/** A schema with the JSON that a client is shown of it: zod's small one has none. */
const schemaWithJson = (schema: z.ZodMiniType, json: Record<string, unknown>): StandardSchemaWithJSON => ({
  '~standard': {
    version: 1,
    vendor: 'waybill',
    jsonSchema: { input: () => json, output: () => json },
    validate(given) {
      const { data, error } = schema.safeParse(given, { reportInput: true });
      if (error === undefined) return { value: data };
      const issues = error.issues.map(({ path, message, input }) => ({
        path,
        message: input === undefined ? 'is required' : message,
      }));
      return { issues };
    },
  },
});

/** A client of the later generation says in each request what it can; an earlier one says it once. */
function askedIn({ server }: McpServer, { mcpReq }: ServerContext): Asked {
  const capabilities =
    getAt(mcpReq.envelope, [CLIENT_CAPABILITIES_META_KEY]) ?? server.getClientCapabilities();
  const elicitation = getAt(capabilities, ['elicitation']);
  // Without a mode it is the form.
  const canAsk =
    elicitation !== undefined &&
    (getAt(elicitation, ['form']) !== undefined || getAt(elicitation, ['url']) === undefined);
  const said = inputResponse(mcpReq.inputResponses, 'book');
  const hash = mcpReq.requestState();
  const answer =
    said.kind === 'elicit' && typeof hash === 'string'
      ? { hash, isYes: said.action === 'accept' }
      : undefined;
  return { canAsk, answer, isTakenBack: () => mcpReq.signal.aborted };
}

type Started = ToolCall & { warnings: string[] };

function callOf(session: Session, asked: Omit<ToolCall, 'session' | 'say'>): Started {
  const warnings: string[] = [];
  const { host, globals, config } = session;
  const own = createPrinter(host, printSettings(globals, preferredFormat(globals, host.env, config)));
  const printer = {
    ...own,
    async warn(...[said, options]: Parameters<typeof own.warn>) {
      warnings.push(`warning: ${said}`);
      await own.warn(said, options);
    },
  };
  const bookingLines = createBookingLines(printer);
  return {
    ...asked,
    session: { ...session, printer, bookingLines, interactive: false },
    warnings,
    say: text => warnings.push(text),
  };
}

async function answered(
  tool: Tool,
  given: unknown,
  call: Started,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const result = await tool.run(call, given as never);
    if (!(result instanceof Ask)) return resultOf(result, call);
    const { message, hash } = result;
    const form = { type: 'object' as const, properties: {} };
    const book = inputRequired.elicit({ mode: 'form', message, requestedSchema: form });
    return inputRequired({ inputRequests: { book }, requestState: hash });
  } catch (error) {
    const { session } = call;
    const failure = asFailure(error);
    if (failure.code === 'internal' && error instanceof Error) await session.printer.note(error.stack ?? '');
    const bookings = await session.bookingLines.records();
    const exist = bookings.map(({ state }) => existsAs(state));
    const created = exist.includes(null) ? null : exist.includes(true) ? true : undefined;
    const told = failureJson(failure, created);
    return { ...resultOf(bookings.length > 0 ? { ...told, bookings } : told, call), isError: true };
  }
}

/** A result with its text, for clients that read no structure. */
const resultOf = (result: object, { warnings }: Started): CallToolResult => ({
  structuredContent: result as Record<string, unknown>,
  content: [safeJson(result), ...warnings].map(text => ({ type: 'text', text })),
});

// The frames of the protocol: a line of JSON each, on stdin and stdout. The SDK's own transport drops what is in flight when its
// input ends. This one goes on until every request is answered.

/** In characters. A longer frame is not a request that this server takes. */
const LONGEST = 10_000_000;

class Wire implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #host: Host;
  /** What the client asked and what it was asked, as long as there is no answer. */
  readonly #unanswered = new Set<RequestId>();
  readonly #asked = new Set<RequestId>();
  #isOver = false;
  #idle: () => void = () => {};

  constructor(host: Host) {
    this.#host = host;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Reads until the input ends or a signal comes, and waits for the answers. Throws `storage`. */
  async read(): Promise<void> {
    try {
      await this.#readAll();
    } catch (error) {
      if (!this.#host.interrupted.aborted) throw error;
    } finally {
      this.#isOver = true;
      for (const id of this.#asked) this.#refuse(id);
      if (this.#unanswered.size > 0)
        await new Promise<void>(resolve => {
          this.#idle = resolve;
        });
    }
  }

  async #readAll(): Promise<void> {
    const decoder = new TextDecoder();
    let line = '';
    for await (const chunk of this.#host.stdin.chunks()) {
      const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
      // One character too many, so that it cannot be read as a whole frame.
      line = (line + first).slice(0, LONGEST + 1);
      for (const next of more) {
        this.#receive(line);
        line = next;
      }
    }
    this.#receive(line);
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    const message = this.#read(line);
    if (message === undefined) return;
    if ('method' in message) {
      // A subscription is answered when the connection closes.
      if ('id' in message && message.method !== 'subscriptions/listen') this.#unanswered.add(message.id);
      // What was cancelled gets no answer.
      if (message.method === 'notifications/cancelled')
        this.#settle(getAt(message.params, ['requestId']) as RequestId);
    } else if (message.id !== undefined) this.#asked.delete(message.id);
    this.onmessage?.(message);
  }

  /** A frame that is none is answered with an error. */
  #read(line: string): JSONRPCMessage | undefined {
    let value: unknown;
    try {
      if (line.length > LONGEST) throw new SyntaxError(`it has more than ${LONGEST} characters`);
      value = readJson(line);
    } catch (error) {
      this.#error(null, PARSE_ERROR, `the frame is not JSON: ${messageOf(error)}`);
      return undefined;
    }
    try {
      return parseJSONRPCMessage(value);
    } catch {
      const id = getAt(value, ['id']);
      const isId = typeof id === 'string' || typeof id === 'number';
      this.#error(isId ? id : null, INVALID_REQUEST, 'the frame is no message of JSON-RPC 2.0');
      return undefined;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isRequest = 'method' in message && 'id' in message;
    if (isRequest) this.#asked.add(message.id);
    if (isRequest && this.#isOver) return this.#refuse(message.id);
    await this.#host.stdout.write(`${safeJson(message)}\n`);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#idle();
  }

  /** Nobody is there any more who could answer. */
  #refuse(id: RequestId): void {
    this.#asked.delete(id);
    const error = { code: INVALID_REQUEST, message: 'the input has ended' };
    queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id, error }));
  }

  #error(id: RequestId | null, code: number, message: string): void {
    const frame = safeJson({ jsonrpc: '2.0', id, error: { code, message } });
    this.#host.stdout.write(`${frame}\n`).catch(() => {
      // What is in flight goes on all the same.
    });
  }
}
