// The pages of webhooks, and of what sets up and explains.
import { FAULTS } from '../../emulator/settings.ts';
import type { HelpPages } from '../../shell/pages.ts';
import { EXIT_UNKNOWN } from '../page.ts';

export const OTHERS: HelpPages = {
  emulator: {
    examples: [
      '# A command whose environment has address and token of the emulator.',
      'waybill emulator --port 0 -- waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# A service that fails at every request.',
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
    notes: {
      Faults: [...Object.entries(FAULTS), ['a status', 'is the answer, and nothing is done']],
    },
  },
  mcp: {
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
  },
  schema: {
    examples: [
      '# An example order, and the service as OpenAPI.',
      'waybill schema ship --example > order.json',
      'waybill schema --openapi > openapi.json',
      '# What a line of the results of a batch may be.',
      'waybill schema results',
    ],
    output: {
      table: 'one line for each operation; of one the document as JSON',
      quiet: 'the name of each; of one the document in one line',
      json: 'a list of command, id, method, path, summary; of one the document in one line',
    },
  },
  'webhook create': {
    examples: [
      '# Subscribe to each new status, with the secret in a new file.',
      'waybill webhook create --url https://shop.example.com/hooks/status --event shipment.status.updated --max-retries 9 --secret-file hook.json',
    ],
    output: {
      table: 'the subscription, and for how long deliveries are retried',
      quiet: 'the subscription id',
      json: 'the answer of the service; "data" has secret and token, masked with --secret-file',
    },
    exits: {
      storage: 'the journal or the secret file cannot be written; it says what was created',
      outcome_unknown: EXIT_UNKNOWN,
      partial: 'it was created, but the answer has no secret or no token',
    },
  },
  'webhook listen': {
    examples: [
      '# Receive the first status of a shipment from the emulator.',
      'waybill schema ship --example > order.json',
      "waybill emulator --port 0 -- sh -c 'waybill webhook listen --count 1 --max-wait 30 & waybill webhook create -q --url http://127.0.0.1:8788/hook --event shipment.status.updated; waybill ship -q -f order.json; wait'",
    ],
    output: {
      table: 'one line for each delivery: time, path and body',
      quiet: 'the body of each delivery',
      json: 'one line for each delivery: at, method, path, headers, body',
    },
    exits: { partial: 'fewer deliveries than --count came within --max-wait' },
    notes: {
      Notes: `It listens on this machine only. \`waybill emulator\` delivers here; that of --profile demo only while a command of it runs. A service elsewhere needs a tunnel of your own.

A delivery is answered with 200 when it has been shown, and with 413 if it is larger than 1 MiB. It is shown as it came, but values that are named like a secret (token, api-key, authorization) are masked. The service document defines no signature, so none is checked.`,
    },
  },
  'webhook get': {
    examples: [
      '# Create a subscription, and read it.',
      'id=$(waybill webhook create -q --url https://shop.example.com/hooks/read --event shipment.status.updated)',
      'waybill webhook get "$id"',
    ],
    output: {
      table: 'the subscription',
      quiet: 'its id',
      json: 'the answer of the service, without secret and token',
    },
  },
  'webhook list': {
    examples: ['# All that were created here.', 'waybill webhook list'],
    output: {
      table: 'one line for each subscription, of all addresses',
      quiet: 'their ids',
      json: 'a list of id, url, events, at, key, profile, address, booking',
    },
  },
  webhook: {
    examples: ['# The subscriptions created here.', 'waybill webhook list'],
  },
  completion: {
    examples: ['# Complete in this shell.', 'source <(waybill completion bash)'],
    output: { table: 'the script, in every output format' },
    notes: {
      'To install it for every shell': [
        [
          'bash',
          `echo 'source <(waybill completion bash)' >> ~/.bashrc (bash 3.2 of macOS: eval "$(waybill completion bash)")`,
        ],
        [
          'zsh',
          'waybill completion zsh > ~/.zfunc/_waybill, and before compinit in ~/.zshrc: fpath=(~/.zfunc $fpath)',
        ],
        ['fish', 'waybill completion fish > ~/.config/fish/completions/waybill.fish'],
        [
          'PowerShell',
          'waybill completion powershell | Out-String | Invoke-Expression, as a line of the file that $PROFILE names',
        ],
      ],
      Notes:
        'Nothing on the line is run, sent or written. Keys and ids come from the journal of this machine.',
    },
  },
  help: {
    examples: [
      '# The help of a command, and of a topic.',
      'waybill help webhook create',
      'waybill help exit-codes',
    ],
    output: { table: 'the help' },
  },
};
