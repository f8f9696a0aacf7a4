// What the words mean: operations, addresses, bookings, keys, and what names a booking.
import { expect } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig } from '../rig/command.ts';
import { bookingAt, fill, labelAt } from '../rig/journal.ts';
import { BARE } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { BOOKED, configOf, FILES, HOOK, orderWith, PARCEL } from './orders.ts';
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

/** Two accounts at one address. */
async function twoAccounts() {
  const rig = await createRig({ env: BARE, files: FILES });
  const profile = { baseUrl: rig.address, credentials: { kind: 'token', token: 'demo' } };
  rig.file(
    'config/config.json',
    configOf({ one: { ...profile, account: 'one' }, two: { ...profile, account: 'two' } }),
  );
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
    exit: 0,
    stdout: /^quote\nrates\nship\nship-dual\nlabel\ntrack\ntrack\nwebhook-create\nwebhook-get\n$/,
  },
]);

promises('Addresses', [
  {
    says: 'an address on loopback is neither production nor sandbox',
    run: 'profile whoami --json',
    exit: 0,
    json: { environment: 'loopback' },
  },
  {
    says: 'an address elsewhere is production',
    run: 'profile whoami --json',
    env: { WAYBILL_BASE_URL: 'https://api.example.com' },
    exit: 0,
    json: { environment: 'production', address: 'https://api.example.com' },
  },
  {
    says: 'the sandbox has an address of its own',
    run: 'profile whoami --sandbox --json',
    env: { WAYBILL_SANDBOX_BASE_URL: 'https://sandbox.example.com' },
    exit: 0,
    json: { environment: 'sandbox', address: 'https://sandbox.example.com' },
  },
  {
    says: 'the emulator is our own copy of the service, and needs no set-up',
    run: 'quote --profile demo --from TR --to DE --package 1@1x1x1 -q',
    env: BARE,
    exit: 0,
    stdout: 'ECO\nEXP\n',
  },
  {
    says: 'a booking on loopback asks for no yes at a terminal',
    rig: { files: FILES },
    run: 'ship order.json --key A-1',
    terminal: true,
    exit: 0,
    sent: BOOKED,
    also: ({ questions }) => expect(questions).toEqual([]),
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
    exit: 0,
    stdout: '[]\n',
  },
]);

promises('Keys', [
  {
    says: 'one key is booked once',
    rig: { files: FILES },
    after: ['ship order.json --key A-1'],
    run: 'ship order.json --key A-1',
    exit: 0,
    sent: [],
  },
  {
    says: 'a key is booked once for each address',
    rig: { files: FILES },
    after: ['ship order.json --key A-1'],
    run: 'ship order.json --key A-1 --sandbox',
    exit: 0,
    sent: ['POST /sandbox/v1/shipments'],
  },
  {
    says: 'a key is booked once for each account',
    rig: twoAccounts,
    after: ['ship order.json --key A-1'],
    run: 'ship order.json --key A-1 --profile two',
    exit: 0,
    sent: BOOKED,
  },
  ...each({ says: 'a key of 1,024 bytes is allowed', rig: { files: FILES }, sent: BOOKED }, [
    `ship order.json --key ${'k'.repeat(1024)}`,
    `ship order.json --key ${'é'.repeat(512)}`,
  ]),
  ...each(
    {
      says: 'a longer key is refused, and it is bytes that count',
      rig: { files: FILES },
      exit: 2,
      stderr: 'at most 1024 are allowed',
      sent: [],
    },
    [`ship order.json --key ${'k'.repeat(1025)}`, `ship order.json --key ${'é'.repeat(513)}`],
  ),
]);

promises('What names a booking', [
  ...each(
    { says: 'a booking is named by id, key, shipment or tracking number', rig: known, json: { key: 'K-1' } },
    [
      `history show ${ID} --json`,
      'history show K-1 --json',
      'history show S-1 --json',
      `history show ${TRACKING} --json`,
    ],
  ),
  {
    says: 'blanks around a tracking number do not count',
    rig: known,
    run: ['history', 'show', ` ${TRACKING} `, '--json'],
    exit: 0,
    json: { key: 'K-1' },
  },
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
  {
    says: 'a name that no booking has is not found',
    rig: known,
    run: 'history show K-9',
    exit: 4,
    sent: [],
  },
  {
    says: 'an order is begun from an earlier one by any of its names',
    rig: orderWith({}),
    after: ['ship order.json --key A-1'],
    run: 'ship --like A-1 --key A-2',
    exit: 0,
    body: changed(SHIPMENT, { chargeableWeight: 5 }),
  },
]);
