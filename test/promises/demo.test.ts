// The built-in profile `demo`.
import { join } from 'node:path';
import { expect } from 'vitest';
import { changed } from '../contract/rig.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { bareRig } from '../rig/profile.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';
import { each, promises } from './promise.ts';
import { ORDER } from './rigs.ts';

const DEMO = { WAYBILL_PROFILE: 'demo' };
const FILES = { files: { ...ORDER.files, 'pair.json': DUAL } };
const demo = () => bareRig({ ...FILES, env: DEMO });
const SHIP = 'ship order.json --key A-1';
const MARK = 'demo: the built-in emulator answered';

promises('The profile demo', [
  {
    says: 'needs nothing',
    rig: () => bareRig(FILES),
    run: `${SHIP} --profile demo`,
    sent: [],
    files: { 'config/config.json': null },
  },
  ...each({ rig: demo }, [
    { says: 'keeps its data in the state folder', run: SHIP, files: { 'state/demo.db': 'SQLite format 3' } },
    {
      says: 'shows a later command the same world',
      after: [SHIP],
      run: 'track A-1 --json',
      json: { status: [{ status: 'pending_arrival_at_warehouse' }] },
    },
    {
      says: 'moves its shipments with time',
      after: [SHIP, { later: 3 * 24 * 60 * 60 * 1000 }],
      run: 'track A-1 -q',
      stdout: 'delivered',
    },
    {
      says: 'has the address demo in the history, whatever its port is',
      after: [SHIP],
      run: 'history list --json',
      json: [{ key: 'A-1', address: 'demo', profile: 'demo' }],
    },
    {
      says: 'books a key once, whatever its port is',
      after: [SHIP],
      run: `${SHIP} -o record`,
      json: { key: 'A-1', place: 'demo', sent: false },
    },
  ]),
  ...each({ rig: FILES, after: [`${SHIP} --profile demo`] }, [
    { says: 'has keys of its own: another place may book the same', run: SHIP, sent: ['POST /v1/shipments'] },
    {
      says: 'has its bookings shown where it is in force alone',
      run: 'history list --json',
      also: ({ stdout }) => expect(JSON.parse(stdout)).toEqual([]),
    },
  ]),
  ...each({ says: 'marks each answer', rig: demo, stderr: MARK }, [
    'quote --from TR --to DE --package 1kg@10x10x10',
    'rates --from TR --to DE --package 1kg@10x10x10',
    SHIP,
    'ship-dual pair.json --key P-1',
    { run: 'label A-1', after: [SHIP] },
    { run: 'track A-1', after: [SHIP] },
    { run: 'track gone', exit: 4 },
    'webhook create --url https://shop.example.com/hook --event shipment.status.updated',
  ]),
  ...each(
    {
      says: 'is told where nothing of it answers',
      rig: demo,
      after: [SHIP],
      stderr: 'demo: this is of the built-in emulator; nothing real was booked or moved',
    },
    [SHIP, `${SHIP} --dry-run`, 'label A-1 --dry-run', 'ship-dual pair.json --key P-1 --dry-run'],
  ),
  { says: 'marks its sandbox', rig: demo, run: `${SHIP} --sandbox`, stderr: 'demo (sandbox)' },
  ...each({ rig: demo }, [
    { says: 'has a sandbox of its own', after: [SHIP], run: 'track --sandbox --key A-1', exit: 4 },
    {
      says: 'asks nobody before a booking',
      run: SHIP,
      terminal: true,
      also: ({ asked }) => expect(asked).toEqual([]),
    },
    {
      says: 'takes settings',
      after: ['profile set demo policy.requireKey=true'],
      run: 'ship order.json',
      exit: 2,
      stderr: 'key',
    },
    {
      says: 'saves the file of a label, because its link ends with the command',
      run: `${SHIP} --label`,
      files: { 'state/labels/A-1.pdf': '%PDF-' },
    },
  ]),
  {
    says: 'cannot be meant beside an address of the environment',
    rig: ORDER,
    env: DEMO,
    run: SHIP,
    exit: 3,
    sent: [],
  },
  {
    says: 'is shown by whoami',
    rig: demo,
    run: 'profile whoami --json',
    json: { profile: 'demo', address: 'demo', environment: 'emulator', credentials: 'built in' },
  },
  {
    says: 'prints Polish, Turkish, Czech, Greek and Cyrillic letters on a label',
    rig: () =>
      bareRig({
        env: DEMO,
        files: {
          'order.json': changed(SHIPMENT, {
            ...{ 'sender.firstName': 'Żółć', 'sender.lastName': 'Ğşıİ', 'sender.address.city': 'Třeboň' },
            ...{ 'receiver.lastName': 'Ψυχή', 'receiver.address.city': 'Щорса' },
          }),
        },
      }),
    run: `${SHIP} --label`,
    lacking: noReader,
    also: (_, { folder }) => {
      const [page = ''] = pageTexts(join(folder, 'state/labels/A-1.pdf'));
      for (const name of ['Żółć Ğşıİ', 'Třeboň', 'Ψυχή', 'Щорса']) expect(page).toContain(name);
    },
  },
]);
