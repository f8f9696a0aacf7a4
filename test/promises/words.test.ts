import { createRig } from '../rig/command.ts';
import { bookingAt, fill, labelAt } from '../rig/journal.ts';
import { SHIPMENT } from '../rig/service.ts';
import { FILES, HOOK, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

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

promises('Addresses', [
  {
    says: 'an address elsewhere is production',
    run: 'profile whoami --json',
    env: { WAYBILL_BASE_URL: 'https://api.example.com' },
    json: { environment: 'production', address: 'https://api.example.com' },
  },
]);

promises('Bookings', [
  ...each({ says: 'each call that may cost money is in the journal', rig: { files: FILES } }, [
    {
      after: ['ship order.json'],
      run: 'history list --operation ship --json',
      json: [{ operation: 'ship' }],
    },
    {
      after: ['ship-dual pair.json'],
      run: 'history list --operation ship-dual --json',
      json: [{ operation: 'ship-dual' }],
    },
    {
      after: ['ship order.json --label'],
      run: 'history list --operation label --json',
      json: [{ operation: 'label' }],
    },
    {
      after: [HOOK],
      run: 'history list --operation webhook-create --json',
      json: [{ operation: 'webhook-create' }],
    },
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
  ...each({ says: 'label takes each of these names, and shows what was made before', rig: known, sent: [] }, [
    `label ${ID} -q`,
    'label K-1 -q',
    'label S-1 -q',
    `label ${TRACKING} -q`,
  ]),
  ...each(
    {
      says: 'track reads the shipment of each of these names',
      rig: known,
      exit: 4,
      sent: ['GET /v1/shipments/S-1'],
    },
    [`track ${ID}`, 'track K-1', 'track S-1', `track ${TRACKING}`],
  ),
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
