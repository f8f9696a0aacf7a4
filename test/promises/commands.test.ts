// Which commands there are, and which request each of them sends.
import { expect } from 'vitest';
import { FILES, HOOK, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

const GROUPS: Record<string, string> = {
  webhook: 'create get list listen',
  batch: 'quote rates ship ship-dual label track template map',
  history: 'list show resolve accept cancelled summary handover export reconcile import check backup prune',
  profile: 'add list show set use remove test whoami export party parcel',
  'profile party': 'add list show edit import remove',
  'profile parcel': 'add list show remove',
};

promises('Commands', [
  ...each(
    { says: 'a group has these commands', sent: [] },
    Object.entries(GROUPS).map(([group, names]) => ({
      run: `${group} --help`,
      stdout: names.split(' ').map(name => new RegExp(`^ {2}${name}\\b`, 'm')),
    })),
  ),
  {
    says: 'the first page lists each command with what it does',
    run: '--help',
    stdout: [
      /^ {2}quote +compare proposals for a parcel/im,
      /^ {2}rates +list shipping rates/im,
      /^ {2}ship +book one international shipment/im,
      /^ {2}ship-dual +book an international \+ domestic pair/im,
      /^ {2}label +make carrier labels for booked shipments/im,
      /^ {2}track +read status and tracking of shipments/im,
      ...['webhook', 'batch', 'papers', 'history', 'profile', 'emulator', 'schema', 'mcp', 'completion'].map(
        name => new RegExp(`^ {2}${name} `, 'm'),
      ),
    ],
  },
]);

promises('What a command sends', [
  ...each({ says: 'each operation is a request of its own', rig: { files: FILES } }, [
    { run: `quote ${PARCEL}`, sent: ['POST /v1/carriers/proposal'] },
    { run: `rates ${PARCEL}`, sent: ['POST /api/v1/shipping/rates'] },
    { run: 'ship order.json', sent: ['POST /v1/shipments'] },
    { run: 'ship-dual pair.json', sent: ['POST /v2/shipments'] },
    { run: 'label --international S-1', exit: 5, sent: ['POST /v2/carriers/create'] },
    { run: 'track S-1', exit: 4, sent: ['GET /v1/shipments/S-1'] },
    { run: 'track S-1 --domestic', exit: 4, sent: ['GET /v1/shipments/domestic/S-1'] },
    { run: HOOK, sent: ['POST /webhooks/subscriptions'] },
    { run: 'webhook get sub_1', exit: 4, sent: ['GET /webhooks/subscriptions/sub_1'] },
  ]),
  ...each({ says: 'what only looks sends nothing', sent: [] }, [
    'webhook list',
    'history',
    'profile list',
    'profile whoami',
    'schema',
    'completion bash',
    'batch template ship',
  ]),
]);

promises('Commands that have parts', [
  ...each(
    {
      says: 'a template is an input file to start from: a header and a row',
      stdout: /^[\w[\].,]+\r?\n.+\r?\n$/,
    },
    ['quote', 'rates', 'ship', 'ship-dual', 'label', 'track'].map(name => `batch template ${name}`),
  ),
  {
    says: 'the emulator runs around a command, which gets the exit code',
    run: 'emulator --port 0 -- make test',
    programCode: 3,
    exit: 3,
    also: ({ programs }) => expect(programs).toEqual([['make', 'test']]),
  },
  ...each({ says: 'completion is a script for the shell', stdout: 'waybill __complete' }, [
    'completion bash',
    'completion zsh',
    'completion fish',
    'completion powershell',
  ]),
  { says: 'any other shell is a wrong command line', run: 'completion csh', exit: 2, stderr: 'bash' },
]);
