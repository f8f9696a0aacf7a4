import { expect } from 'vitest';
import { createRig } from '../rig/command.ts';
import { production } from '../rig/production.ts';
import { answering, BOOKED, failing, files, live, QUOTED, SHIP, shipping } from './begin.ts';
import { FILES, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

const id = expect.stringMatching(/^bk_[0-9a-f]{32}$/);
const unlabelled = (status: number) =>
  shipping({ id: 'S-1' }, { '/v2/carriers/create': { status, body: { message: 'no' } } });

/** The current profile prefers JSON. */
const readsJson = async () => {
  const rig = await createRig();
  rig.file('config/config.json', { profiles: { shop: { output: 'json' } }, current: 'shop' });
  return rig;
};

promises('The error object', [
  ...each({ says: 'With JSON output the last line of stderr is the error, usage errors included' }, [
    { run: 'shp --json', exit: 2, error: { code: 'usage', operation: null, httpStatus: null } },
    { run: 'ship --bogus -yo json', exit: 2, error: { code: 'usage' } },
    { run: 'track a --interval x -qo json', exit: 2, error: { code: 'usage' } },
    { run: 'history list --bogus', rig: readsJson, exit: 2, error: { code: 'usage' } },
    { run: 'history list --bogus --profile shop', rig: readsJson, exit: 2, error: { code: 'usage' } },
    { run: 'history show nope', rig: readsJson, exit: 4, error: { code: 'not_found' } },
    { run: 'track gone -o jsonl', exit: 4, error: { code: 'not_found' } },
    { run: 'track gone --query id', exit: 4, error: { code: 'not_found' } },
    { run: 'track gone', env: { WAYBILL_OUTPUT: 'json' }, exit: 4, error: { code: 'not_found' } },
  ]),
  {
    says: 'Warnings are lines of JSON as they come, before the error',
    rig: failing('422'),
    run: `${SHIP} --set customs.totalGoodsValue=1 --json`,
    exit: 5,
    error: { code: 'rejected' },
    stderr: /^\{"warning":/,
  },
  {
    says: 'It says the operation and the status of the service',
    run: 'track gone --json',
    exit: 4,
    error: { operation: 'track', httpStatus: 404, booking: null, issues: [] },
  },
  {
    says: 'Each problem of the input has its path and a message',
    rig: files,
    run: `${SHIP} --set receiver.address.country.code=QQ --set chargeableWeight=-1 --json`,
    exit: 2,
    error: {
      httpStatus: null,
      issues: expect.arrayContaining([
        { path: 'receiver.address.country.code', message: expect.any(String) },
        { path: 'chargeableWeight', message: expect.any(String) },
      ]),
    },
  },
  {
    says: 'Problems that the service told have their paths as well',
    rig: answering({
      '/v1/shipments': {
        status: 422,
        body: { message: 'no', errors: [{ path: 'receiver.zip', message: 'is short' }] },
      },
    }),
    run: `${SHIP} --json`,
    exit: 5,
    error: { issues: [{ path: 'receiver.zip', message: 'is short' }] },
  },
  {
    says: 'It has the body of the service, and the id in the journal of the booking',
    rig: answering({ '/v1/shipments': { status: 422, body: { message: 'no', odd: [1] } } }),
    run: `${SHIP} --json`,
    exit: 5,
    error: { booking: id, body: { message: 'no', odd: [1] }, operation: 'ship' },
  },
]);

promises('`created` of an error', [
  {
    says: 'It is false where no label was made',
    rig: failing('422'),
    run: 'label --international S-1 --json',
    exit: 5,
    error: { created: false },
  },
  {
    says: 'It is true for a shipment whose label is unknown',
    rig: unlabelled(500),
    run: `${SHIP} --label --json`,
    exit: 8,
    error: { code: 'outcome_unknown', created: true },
  },
  {
    says: 'It is true for a shipment that was made before',
    rig: unlabelled(422),
    after: [SHIP],
    run: `${SHIP} --label --json`,
    exit: 9,
    error: { created: true },
  },
]);

promises('`retry` of an error', [
  {
    says: 'It is `later` where a storage may come back',
    rig: { ...files, env: { WAYBILL_JOURNAL: 'postgres://nobody@127.0.0.1:1/none' } },
    run: `${SHIP} --json`,
    exit: 10,
    error: { code: 'storage', retry: 'later' },
    sent: [],
  },
]);

promises('`next` of an error', [
  {
    says: 'It has the command that shows the order of which this is a duplicate',
    rig: files,
    after: [SHIP],
    run: 'ship gift.json --key A-1 --json',
    exit: 2,
    error: { code: 'duplicate', created: false, next: [['waybill', 'history', 'show', id]] },
    sent: [],
  },
  {
    says: 'It has the search for a key that nobody knows',
    run: 'label --key NONE --json',
    exit: 4,
    error: { next: [['waybill', 'history', 'list', '--key', 'NONE']] },
  },
]);

/** A production service that nobody reaches. */
const unreached = async () => {
  const { env } = await production();
  return createRig({ ...files, env });
};
const ASK =
  /^Book this\? the price is not known, EXP, https:\/\/shop\.invalid; .*order "A-1" to "Anna Beispiel"/;

promises('A booking against production', [
  ...each({ terminal: true, exit: 130 }, [
    {
      says: 'It asks first on a terminal, naming address and carrier, and without a yes nothing is sent',
      rig: unreached,
      run: SHIP,
      stdout: /^$/,
      stderr: 'nothing was sent',
      also: ({ asked, waits }) => expect([asked, waits]).toEqual([[expect.stringMatching(ASK)], []]),
    },
    {
      says: 'It names the price where it is known',
      rig: live,
      run: 'ship open.json --carrier EXP --key A-1',
      sent: [QUOTED],
      also: ({ asked }) => expect(asked).toEqual([expect.stringContaining('52.90 EUR')]),
    },
    {
      says: 'It names the profile',
      rig: {
        files: {
          'config/config.json': {
            profiles: {
              shop: { baseUrl: 'https://shop.invalid', credentials: { kind: 'token', token: 'x' } },
            },
          },
        },
      },
      run: 'label --international S-1 --profile shop',
      also: ({ asked }) => expect(asked).toEqual([expect.stringContaining('profile shop')]),
    },
  ]),
  ...each({ rig: live, terminal: true }, [
    { says: 'A yes books it', run: SHIP, answer: true, sent: [BOOKED] },
    ...each({ says: '--yes answers', sent: [BOOKED], also: ({ asked }) => expect(asked).toEqual([]) }, [
      `${SHIP} --yes`,
      `${SHIP} -y`,
    ]),
    {
      says: 'A terminal of CI counts as none, and is not asked',
      env: { CI: 'true' },
      run: `${SHIP} --new-journal`,
      sent: [BOOKED],
      also: ({ asked }) => expect(asked).toEqual([]),
    },
    ...each({ exit: 2, sent: [], stderr: 'Add --yes' }, [
      { says: '--no-input on a terminal without --yes is exit 2', run: `${SHIP} --no-input` },
      {
        says: 'A stdin that is no terminal while stderr is one is exit 2: add --yes',
        run: SHIP,
        piped: true,
      },
    ]),
    { says: 'With --yes it goes ahead there, too', run: `${SHIP} --yes`, piped: true, sent: [BOOKED] },
  ]),
  ...each({ run: SHIP, sent: [BOOKED], also: ({ asked }) => expect(asked).toEqual([]) }, [
    { says: 'Without a terminal it goes ahead', rig: live },
    { says: 'A booking on loopback asks nothing', rig: files, terminal: true },
  ]),
  ...each({ rig: live, terminal: true, piped: true }, [
    {
      says: 'There the price is told of which a yes is needed',
      run: 'ship open.json --carrier fastest --key A-1',
      exit: 2,
      sent: [QUOTED],
      stderr: /52\.90 EUR, EXP, .*"A-1" to "Anna Beispiel".* needs a yes/,
    },
    {
      says: 'There a key that is booked is shown without a yes',
      after: [{ line: `${SHIP} --yes` }],
      run: SHIP,
      sent: [],
    },
  ]),
  ...each({ says: 'A read and a dry run ask nothing', rig: live, terminal: true }, [
    { run: `quote ${PARCEL}`, also: ({ asked }) => expect(asked).toEqual([]) },
    { run: `${SHIP} --dry-run`, also: ({ asked }) => expect(asked).toEqual([]), sent: [] },
  ]),
  {
    says: 'In CI a journal that does not exist yet is exit 10: a fresh disk has no memory',
    rig: live,
    env: { CI: 'true' },
    run: SHIP,
    exit: 10,
    sent: [],
    stderr: '--new-journal',
    files: { 'state/journal.db': null },
  },
  {
    says: 'In CI a journal that is kept needs no word',
    rig: live,
    env: { CI: 'true' },
    after: [SHIP],
    run: 'ship eva.json --key A-2',
    sent: [BOOKED],
  },
  {
    says: 'In CI, but not against production, a journal is made',
    rig: { files: FILES, env: { CI: 'true' } },
    run: SHIP,
    sent: [BOOKED],
  },
]);
