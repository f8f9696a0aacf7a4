import type { Command } from 'commander';
import type { Act } from '../session/command.ts';
import { atOnce } from '../session/globals.ts';
import type { McpOptions } from './mcp/call.ts';

export function define(command: Command, act: Act): void {
  command
    .option(
      '--production',
      'book at a production address, too; its profile must have policy.maxPrice and policy.maxPerDay',
    )
    .option('--download <dir>', 'save labels in this folder')
    .option('--concurrency <n>', 'bookings under way at one time, and reads; the others wait', atOnce, 4)
    // The SDK is loaded only now: help and completion do not need it.
    .action(
      act<McpOptions>(async (session, options) => (await import('./mcp/serve.ts')).serve(session, options)),
    );
}
