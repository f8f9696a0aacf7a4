import { DECISIONS } from '../../emulator/decisions.ts';
import { FAULTS } from '../../emulator/faults.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  emulator: {
    description: 'Run the emulator of the service on loopback, alone or around a command.',
    examples: [
      '# Around a command, which finds address and token in its environment.',
      'waybill emulator --port 0 -- waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# A service that fails at every request, for tests of your own.',
      'waybill emulator --port 0 --fault 500:1 --seed 7 -- waybill profile test --retries 0 || test $? = 7',
    ],
    output: {
      table: 'one line with its address when it is ready; with -- COMMAND what that writes, and nothing else',
      quiet: 'the address',
      json: 'address, sandbox, token',
    },
    exits: {
      usage: 'wrong command line; 127 where COMMAND cannot be run',
      interrupted: 'COMMAND was stopped; alone, the emulator ends with 0 on SIGINT and SIGTERM',
      storage: 'the port is taken, or --data cannot be used',
    },
    more: [
      {
        title: 'What it is not',
        blocks: [
          'The emulator is no carrier: it makes no real shipment and costs nothing. It serves every operation of the service document at / and, where the document has a sandbox, at /sandbox, a world of its own; and at /openapi.json what `waybill schema --openapi` prints.',
          'With -- COMMAND it ends with the exit code of COMMAND, whatever that is.',
        ],
      },
      {
        title: 'Faults',
        blocks: [{ rows: [...Object.entries(FAULTS), ['a status', 'is answered, and nothing happened']] }],
      },
      {
        title: 'What it decides where the document shows nothing',
        blocks: [{ rows: DECISIONS.map(sentence => ['-', sentence] as const) }],
      },
    ],
  },
};
