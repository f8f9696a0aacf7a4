// Which commands there are, which request each of them sends, and what names what they have booked.
import { createRig } from '../rig/command.ts';
import { bookingAt, fill, labelAt } from '../rig/journal.ts';
import { SHIPMENT } from '../rig/service.ts';
import { FILES, HOOK, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

const GROUPS: Record<string, string> = {
  webhook: 'create get list listen',
  batch: 'quote rates ship ship-dual label track template map',
  history:
    'list show resolve accept cancelled summary handover export reconcile import check backup move prune',
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
      ...[
        'webhook',
        'batch',
        'papers',
        'history',
        'profile',
        'doctor',
        'emulator',
        'schema',
        'mcp',
        'completion',
      ].map(name => new RegExp(`^ {2}${name} `, 'm')),
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
  ...each({ says: 'completion is a script for the shell', stdout: 'waybill __complete' }, [
    'completion bash',
    'completion zsh',
    'completion fish',
    'completion powershell',
  ]),
  { says: 'any other shell is a wrong command line', run: 'completion csh', exit: 2, stderr: 'bash' },
]);

const ID = 'bk_00000000000000000000000000000001';
const TRACKING = '1Z999AA10123456784';

/** A journal with the order K-1, its shipment S-1 and the label of that. */
async function known() {
  const rig = await createRig();
  const label = { international: { made: true, trackingNumber: TRACKING } };
  await fill(rig, 'state', [bookingAt(rig, 1, { request: SHIPMENT }), labelAt(rig, 2, 1, { labels: label })]);
  return rig;
}

/** Two orders: the key of the first is the shipment of the second. */
async function ambiguous() {
  const rig = await createRig();
  await fill(rig, 'state', [bookingAt(rig, 1, { key: 'S-2' }), bookingAt(rig, 2)]);
  return rig;
}

promises('Operations', [
  ...each({ says: 'an output names an operation by its command', rig: { files: FILES } }, [
    { run: 'quote --json', exit: 2, error: { operation: 'quote' } },
    { run: 'rates --json', exit: 2, error: { operation: 'rates' } },
    { run: 'ship --json', exit: 2, error: { operation: 'ship' } },
    { run: 'ship-dual --json', exit: 2, error: { operation: 'ship-dual' } },
    { run: 'label --json', exit: 2, error: { operation: 'label' } },
    { run: 'track gone --json', exit: 4, error: { operation: 'track' } },
    { run: 'track gone --domestic --json', exit: 4, error: { operation: 'track' } },
    { run: 'webhook create --json', exit: 2, error: { operation: 'webhook-create' } },
    { run: 'webhook get gone --json', exit: 4, error: { operation: 'webhook-get' } },
  ]),
  {
    says: 'these are all operations',
    run: 'schema -q',
    stdout: /^quote\nrates\nship\nship-dual\nlabel\ntrack\ntrack\nwebhook-create\nwebhook-get\n$/,
  },
]);

promises('Bookings', [
  ...each({ says: 'each call that may cost money is in the journal', rig: { files: FILES } }, [
    ...Object.entries({
      ship: 'ship order.json',
      'ship-dual': 'ship-dual pair.json',
      label: 'ship order.json --label',
      'webhook-create': HOOK,
    }).map(([operation, line]) => ({
      after: [line],
      run: `history list --operation ${operation} --json`,
      json: [{ operation }],
    })),
  ]),
  {
    says: 'what only reads is no booking',
    rig: { files: FILES },
    after: [
      `quote ${PARCEL}`,
      `rates ${PARCEL}`,
      { line: 'track gone', exit: 4 },
      { line: 'webhook get gone', exit: 4 },
    ],
    run: 'history list --json',
    stdout: '[]\n',
  },
]);

promises('What names a booking', [
  ...each({ rig: known }, [
    ...each({ says: 'label takes each of these names, and shows what was made before', sent: [] }, [
      `label ${ID} -q`,
      'label K-1 -q',
      'label S-1 -q',
      `label ${TRACKING} -q`,
    ]),
    ...each(
      { says: 'track reads the shipment of each of these names', exit: 4, sent: ['GET /v1/shipments/S-1'] },
      [`track ${ID}`, 'track K-1', 'track S-1', `track ${TRACKING}`],
    ),
  ]),
  ...each(
    {
      says: 'a name of two orders is refused with both',
      rig: ambiguous,
      exit: 2,
      stderr: [ID, 'bk_00000000000000000000000000000002'],
      sent: [],
    },
    ['history show S-2', 'track S-2', 'label S-2', 'papers S-2 --download out'],
  ),
]);
