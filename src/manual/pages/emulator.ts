import { DECISIONS } from '../../emulator/decisions.ts';
import { FAULTS } from '../../emulator/faults.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  emulator: {
    description: 'Run the emulator of the service on this machine, alone or around a command.',
    examples: [
      '# Run a command with the emulator: its environment has address and token.',
      'waybill emulator --port 0 -- waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# For your own tests: a service that fails at every request.',
      'waybill emulator --port 0 --fault 500:1 --seed 7 -- waybill profile test --retries 0 || test $? = 7',
    ],
    output: {
      table: 'one line with its address when it is ready; with -- COMMAND only the output of COMMAND',
      quiet: 'the address',
      json: 'address, sandbox, token',
    },
    exits: {
      usage: 'wrong command line; 127 if COMMAND cannot be run',
      interrupted: 'COMMAND was stopped; alone, the emulator ends with 0 on SIGINT, SIGTERM and SIGHUP',
      storage: 'the port is taken, or --data cannot be used',
    },
    more: [
      {
        title: 'What it is',
        blocks: [
          'The emulator is not a carrier: it makes no real shipments and costs nothing. It serves every operation of the service document at /, and those with a sandbox also at /sandbox, with data of its own. At /openapi.json it serves what `waybill schema --openapi` prints.',
          'With -- COMMAND it ends with the exit code of COMMAND.',
        ],
      },
      {
        title: 'Faults',
        blocks: [{ rows: [...Object.entries(FAULTS), ['a status', 'is the answer, and nothing is done']] }],
      },
      {
        title: 'What it decides where the service document says nothing',
        blocks: [{ rows: DECISIONS.map(sentence => ['-', sentence] as const) }],
      },
    ],
  },
};
