// An agent: the client of the SDK, and what it sees of `waybill mcp`.
import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import type { Ran, Rig, RunOptions } from './command.ts';

/** What a tool answers. */
export interface Answered {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers that the client holds against their schemas.
  result: any;
  /** What is told beside it. */
  told: string[];
}

interface Person {
  /** `undefined`: the client cannot ask. */
  says?: 'accept' | 'decline' | 'cancel';
  /** Called before the person answers. */
  whenAsked?(): void | Promise<void>;
}

/** The generations of the protocol that the SDK speaks. */
export const GENERATIONS = ['2025-11-25', '2026-07-28'] as const;
export type Generation = (typeof GENERATIONS)[number];

export interface Agent {
  client: Client;
  call(tool: string, args?: object): Promise<Answered>;
  /** Every question that a person was asked. */
  asked: string[];
}

/** Connects a client. It closes when the test ends. */
export async function connected(
  transport: Transport,
  generation: Generation,
  { says, whenAsked }: Person = {},
): Promise<Agent> {
  const client = new Client(
    { name: 'agent', version: '1' },
    {
      capabilities: says ? { elicitation: {} } : {},
      versionNegotiation: { mode: generation === '2025-11-25' ? 'legacy' : { pin: generation } },
    },
  );
  const asked: string[] = [];
  if (says)
    client.setRequestHandler('elicitation/create', async ({ params: { message } }) => {
      asked.push(message);
      await whenAsked?.();
      return { action: says };
    });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    asked,
    async call(tool, args = {}) {
      const answer = await client.callTool({ name: tool, arguments: { ...args } });
      const told = answer.content.flatMap(part => (part.type === 'text' ? part.text : []));
      return {
        isError: answer.isError === true,
        result: answer.structuredContent,
        told: told.slice(answer.structuredContent === undefined ? 0 : 1),
      };
    },
  };
}

/** `waybill mcp` in this process, with the emulator of a rig. */
export function commandOf(rig: Rig, argv = 'mcp', options: RunOptions = {}) {
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
