// Agents: the clients of both generations of the SDK, and what an agent sees of `waybill mcp` through each.

import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as FirstTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import type { Ran, Rig, RunOptions } from './command.ts';
import { refuseMissing } from './wings.ts';

/** What a tool answers. */
export interface Answered {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers that the client holds against their schemas.
  result: any;
  /** The sentences that are told beside it: warnings and notes. */
  told: string[];
  /** What others wrote, where a sentence of the answer has its number. */
  writtenByOthers: string[];
  /** The addresses of resources. */
  links: string[];
}

type Action = 'accept' | 'decline' | 'cancel';

interface Person {
  /** `undefined`: the client cannot ask. */
  says?: Action | (() => Action) | undefined;
  /** Called before the person answers. */
  whenAsked?(): void | Promise<void>;
}

/** The versions of the protocol that the second SDK speaks, and the client of the first one. */
export const GENERATIONS = ['2025-11-25', '2026-07-28', 'first SDK'] as const;
export type Generation = (typeof GENERATIONS)[number];

interface ToolInList {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: Record<string, unknown> | undefined;
}

export interface Agent {
  /** Throws what the client throws. */
  call(tool: string, args?: object, options?: { signal?: AbortSignal; timeout?: number }): Promise<Answered>;
  /** As the client gives it to its model. */
  tools: readonly ToolInList[];
  /** The bytes of a resource, and their media type. */
  read(uri: string): Promise<{ type: string | undefined; bytes: Buffer }>;
  close(): Promise<void>;
  /** Every question that a person was asked. */
  asked: string[];
}

const NAMED = { name: 'agent', version: '1' };
/** The client gives up after a minute, which is no time for a busy machine. */
const PATIENT = { timeout: 30 * 60_000 };

/** Connects a client that holds answers against the schemas of the tools. It closes when the test ends. */
export async function connected(
  transport: Transport,
  generation: Generation,
  { says, whenAsked }: Person = {},
): Promise<Agent> {
  const asked: string[] = [];
  const capabilities = says ? { elicitation: {} } : {};
  const answer = async (message: string, said: NonNullable<Person['says']>) => {
    asked.push(message);
    await whenAsked?.();
    return { action: typeof said === 'string' ? said : said() };
  };
  const client =
    generation === 'first SDK'
      ? new FirstClient(NAMED, { capabilities })
      : new Client(NAMED, {
          capabilities,
          versionNegotiation: { mode: generation === '2025-11-25' ? 'legacy' : { pin: generation } },
        });
  if (says && client instanceof FirstClient)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message, says));
  else if (says && client instanceof Client)
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message, says));
  await (client instanceof FirstClient
    ? client.connect(transport as FirstTransport, PATIENT)
    : client.connect(transport, PATIENT));
  onTestFinished(() => client.close());
  // Only a client that has the list knows the schemas.
  const { tools } = await client.listTools(undefined, PATIENT);
  return {
    asked,
    tools: tools as ToolInList[],
    close: () => client.close(),
    async read(uri) {
      const { contents } = await client.readResource({ uri }, PATIENT);
      const [content] = contents;
      if (content === undefined || !('blob' in content)) throw new Error(`${uri} has no bytes`);
      return { type: content.mimeType, bytes: Buffer.from(content.blob as string, 'base64') };
    },
    async call(tool, args = {}, options = {}) {
      const given = { name: tool, arguments: { ...args } };
      const answered = await (client instanceof FirstClient
        ? client.callTool(given, undefined, { ...PATIENT, ...options })
        : client.callTool(given, { ...PATIENT, ...options }));
      const { structuredContent, isError, content } = answered;
      const parts = content as { type: string; text: string; uri: string }[];
      const [first, ...beside] = parts.flatMap(({ type, text }) => (type === 'text' ? JSON.parse(text) : []));
      return {
        isError: isError === true,
        // An error is text alone, as the model gets it.
        result: structuredContent ?? first,
        told: beside.map(({ warning, note }) => warning ?? note),
        writtenByOthers: [first?.error ?? {}, ...beside].flatMap(part => part.writtenByOthers ?? []),
        links: parts.flatMap(({ type, uri }) => (type === 'resource_link' ? uri : [])),
      };
    },
  };
}

/** `waybill mcp` in this process, with the emulator of a rig. */
export function commandOf(rig: Rig, argv = 'mcp', options: RunOptions = {}) {
  refuseMissing(argv);
  const stdin = new PassThrough();
  const transport: Transport = {
    async start() {},
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      stdin.end();
      await ended;
      transport.onclose?.();
    },
  };
  const onStdout = (text: string) => {
    for (const line of text.trim().split('\n')) transport.onmessage?.(JSON.parse(line));
  };
  const ended: Promise<Ran> = rig.run(argv, { ...options, stdin, onStdout });
  return { transport, ended };
}

/** The built command as a process, over its real streams. */
export const processOf = (
  command: string,
  argv: readonly string[],
  env: Record<string, string>,
  cwd: string,
) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp', ...argv],
    env,
    cwd,
    stderr: 'ignore',
  });
