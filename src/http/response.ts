import { type Content, contentOf } from '../contract/content.ts';
import type { Operation } from '../contract/operations.ts';
import { parseJson } from '../json.ts';

interface Received {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** How the body came packed: `gzip`. `bytes` has it unpacked. */
  packed?: string | undefined;
  /** Why the body is not whole, if it is not. */
  fault?: string | undefined;
}

/** What the service sent back. Its body is decoded and parsed once, when it is first needed. */
export class ServiceResponse implements Received {
  readonly kind = 'answer';
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  readonly packed: string | undefined;
  readonly fault: string | undefined;
  #text: string | undefined;
  #body: { json: unknown } | undefined;
  #content: Content | undefined;

  constructor({ status, headers, bytes, packed, fault }: Received) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.packed = packed;
    this.fault = fault;
  }

  get text(): string {
    // A decoder drops the byte order mark that some services begin with; JSON.parse would choke on it.
    this.#text ??= new TextDecoder().decode(this.bytes);
    return this.#text;
  }

  /** The body as JSON; `undefined` if it is not JSON. */
  get json(): unknown {
    this.#body ??= { json: parseJson(this.text) };
    return this.#body.json;
  }

  /** The body as JSON, or as text if it is not JSON; `null` if there is none. */
  get body(): unknown {
    if (this.json !== undefined) return this.json;
    return this.text === '' ? null : this.text;
  }

  /** What the body says, read once for the operation that it answers. */
  contentFor(operation: Operation): Content {
    this.#content ??= contentOf(operation, this.body);
    return this.#content;
  }
}
