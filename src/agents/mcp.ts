import { declare } from '../session/command.ts';
import { flag } from '../session/flags.ts';
import { atOnce } from '../session/globals.ts';

export const command = declare({
  about:
    'A client starts it and speaks with it on stdin and stdout. Its tools are quote, order_schema, plan, ship, label, track and history. It books at the emulator, a loopback address and the sandbox; in production only with --production. Where the client can ask, a person confirms each order.',
  examples: [
    '# What a client starts: tools that book at the emulator, and save labels in a folder.',
    'waybill mcp --profile demo --download labels < /dev/null',
  ],
  output: { table: 'frames of the protocol and nothing else; notes go to stderr' },
  exits: {
    unauthorized: 'there is no address, or no credential for it',
    interrupted: 'a signal came; what was being sent was waited for and recorded',
  },
  notes: {
    Safeguards:
      'Every order needs a key, and a key is booked once. What is unknown is settled by a person: there are no tools for that, and until then no other key for the same order, unless a person is asked. At the end of the input, SIGINT and SIGTERM nothing more begins: what is being sent is waited for and recorded, what waits is not sent.',
  },
  flags: {
    production: flag(
      '--production',
      'book at a production address, too; its profile must have policy.maxPrice and policy.maxPerDay',
    ),
    download: flag('--download <dir>', 'save labels in this folder'),
    concurrency: flag('--concurrency <n>', 'bookings under way at one time, and reads; the others wait', {
      read: atOnce,
      initial: 4,
    }),
  },
  // The SDK is loaded only when the server starts: help and completion do not need it.
  run: async (session, options) => (await import('./serve.ts')).serveAgents(session, options),
});
