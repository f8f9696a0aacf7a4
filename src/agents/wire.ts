// The frames of the protocol: a line of JSON each, on stdin and stdout. The SDK's own transport drops unfinished requests when its input
// ends. This transport goes on until every request is answered.

import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { getAt } from '../contract/paths.ts';
import type { Host } from '../host.ts';
import { readJson } from '../json.ts';
import { safeJson } from '../output/text.ts';
import { type FrameFault, frameFaultWords } from '../say/mcp.ts';
import { messageOf } from '../system-errors.ts';

/** The length of the longest frame that this server takes, in characters. */
const LONGEST = 10_000_000;

export class Wire implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #host: Host;
  readonly #onEnd: () => void;
  /** The ids of requests without an answer: those of the client (`#unanswered`), and those to the client (`#asked`). */
  readonly #unanswered = new Set<RequestId>();
  readonly #asked = new Set<RequestId>();
  #isOver = false;
  #idle: () => void = () => {};

  constructor(host: Host, onEnd: () => void) {
    this.#host = host;
    this.#onEnd = onEnd;
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
      this.#onEnd();
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
      // A line that is too long is kept with one character too many, so that it is refused as a frame.
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
      // A second request with the id of an unanswered one is refused: its answer would be taken for that of the first.
      if ('id' in message && this.#unanswered.has(message.id)) {
        this.#error(null, INVALID_REQUEST, { fault: 'id-taken', id: message.id });
        return;
      }
      // The answer to a subscription comes only when the connection closes: it is not waited for.
      if ('id' in message && message.method !== 'subscriptions/listen') this.#unanswered.add(message.id);
      // A cancelled request gets no answer.
      if (message.method === 'notifications/cancelled')
        this.#settle(getAt(message.params, ['requestId']) as RequestId);
    } else if (message.id !== undefined) this.#asked.delete(message.id);
    this.onmessage?.(message);
  }

  /** The frame in a line. Text that is no frame is answered with an error. */
  #read(line: string): JSONRPCMessage | undefined {
    let value: unknown;
    if (line.length > LONGEST) return this.#error(null, PARSE_ERROR, { fault: 'too-long', most: LONGEST });
    try {
      value = readJson(line);
    } catch (error) {
      return this.#error(null, PARSE_ERROR, { fault: 'no-json', why: messageOf(error) });
    }
    try {
      return parseJSONRPCMessage(value);
    } catch {
      const id = getAt(value, ['id']);
      const isId = typeof id === 'string' || typeof id === 'number';
      return this.#error(isId ? id : null, INVALID_REQUEST, { fault: 'no-message' });
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

  /** Answers a request to the client with an error, because the client is gone. */
  #refuse(id: RequestId): void {
    this.#asked.delete(id);
    const error = { code: INVALID_REQUEST, message: frameFaultWords({ fault: 'input-ended' }) };
    queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id, error }));
  }

  #error(id: RequestId | null, code: number, fault: FrameFault): undefined {
    const frame = safeJson({ jsonrpc: '2.0', id, error: { code, message: frameFaultWords(fault) } });
    this.#host.stdout.write(`${frame}\n`).catch(() => {
      // A client that cannot be written to stops no call: all of them go on.
    });
  }
}
