import { expect } from 'vitest';
import { jsonLines, order, orders } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { production } from '../rig/production.ts';
import {
  answering,
  BOOKED,
  charging,
  failing,
  files,
  inDoubt,
  LABELLED,
  live,
  QUOTED,
  SHIP,
  shipping,
} from './begin.ts';
import { FILES, HOOK, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

const id = expect.stringMatching(/^bk_[0-9a-f]{32}$/);
const SHOWN = [['waybill', 'history', 'show', id]];
const LABEL = [['waybill', 'label', '--international', 'S-1']];
const TRACKED = { '/v1/shipments/S-1': { status: 200, body: { id: 'S-1', status: [] } } };
const gone = { ...files, env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } };
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
    { run: 'ship --kee A-1 --json', exit: 2, error: { code: 'usage' } },
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
  ...each({ says: 'It is false where no shipment of this command exists' }, [
    { rig: failing('422'), run: `${SHIP} --json`, exit: 5, error: { created: false } },
    { rig: gone, run: `${SHIP} --retries 0 --json`, exit: 7, error: { created: false } },
    { rig: files, after: [SHIP], run: 'ship gift.json --key A-1 --json', exit: 2, error: { created: false } },
    { run: 'track gone --json', exit: 4, error: { created: false } },
    { rig: failing('422'), run: 'label --international S-1 --json', exit: 5, error: { created: false } },
  ]),
  ...each({ says: 'It is null where nobody knows' }, [
    { rig: failing('500'), run: `${SHIP} --json`, exit: 8, error: { created: null } },
    { rig: inDoubt('A-1'), run: `${SHIP} --json`, exit: 8, error: { created: null }, sent: [] },
    { rig: failing('500'), run: 'label --international S-1 --json', exit: 8, error: { created: null } },
    {
      rig: { files: { 'orders.jsonl': jsonLines(orders(1)) }, faults: [{ kind: 500, probability: 1 }] },
      run: 'batch ship orders.jsonl --json',
      exit: 8,
      error: { created: null },
    },
  ]),
  ...each({ says: 'It is true where a shipment exists' }, [
    { rig: charging(499), run: `${SHIP} --max-price 60EUR --json`, exit: 11, error: { created: true } },
    { rig: unlabelled(422), run: `${SHIP} --label --json`, exit: 9, error: { created: true } },
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
  ]),
]);

promises('`retry` of an error', [
  ...each({ says: 'It is `after-change` where something must be another' }, [
    { run: 'shp --json', exit: 2, error: { retry: 'after-change' } },
    { run: 'track gone --json', exit: 4, error: { retry: 'after-change' } },
    { rig: failing('422'), run: `${SHIP} --json`, exit: 5, error: { retry: 'after-change' } },
    { rig: failing('401'), run: `${SHIP} --json`, exit: 3, error: { retry: 'after-change' } },
    {
      rig: { files: { 'orders.jsonl': jsonLines([order('A', { carrier: { id: 'NOPE' } })]) } },
      run: 'batch ship orders.jsonl --json',
      exit: 9,
      error: { retry: 'after-change' },
    },
    {
      rig: { ...files, env: { WAYBILL_POLICY_MAX_PRICE: '5EUR' } },
      run: `${SHIP} --json`,
      exit: 12,
      error: { retry: 'after-change' },
    },
  ]),
  ...each({ says: 'It is `later` where it may go by itself' }, [
    { rig: failing('429'), run: `${SHIP} --retries 0 --json`, exit: 6, error: { retry: 'later' } },
    { rig: gone, run: `${SHIP} --retries 0 --json`, exit: 7, error: { retry: 'later' } },
    { rig: failing('500'), run: `quote ${PARCEL} --retries 0 --json`, exit: 7, error: { retry: 'later' } },
  ]),
  {
    says: 'It is `later` where a storage may come back',
    rig: { ...files, env: { WAYBILL_JOURNAL: 'postgres://nobody@127.0.0.1:1/none' } },
    run: `${SHIP} --json`,
    exit: 10,
    error: { code: 'storage', retry: 'later' },
    sent: [],
  },
  ...each({ says: 'It is `never` where the order may exist' }, [
    { rig: failing('500'), run: `${SHIP} --json`, exit: 8, error: { retry: 'never' } },
    { rig: inDoubt('A-1'), run: `${SHIP} --json`, exit: 8, error: { retry: 'never' } },
    { rig: failing('500'), run: `${HOOK} --json`, exit: 8, error: { retry: 'never' } },
    {
      rig: { files: { 'orders.jsonl': jsonLines(orders(1)) }, faults: [{ kind: 500, probability: 1 }] },
      run: 'batch ship orders.jsonl --json',
      exit: 8,
      error: { retry: 'never' },
    },
  ]),
  ...each({ says: 'It is `same` where the same command again is safe and sensible' }, [
    {
      rig: answering(TRACKED),
      run: 'track S-1 --watch --max-wait 60 --json',
      exit: 9,
      error: { retry: 'same' },
    },
    {
      rig: { files: { 'orders.jsonl': jsonLines(orders(3)) } },
      run: 'batch ship orders.jsonl --concurrency 1 --json',
      onRequest: (_, { interrupt }) => interrupt('SIGTERM'),
      exit: 143,
      error: { retry: 'same' },
    },
  ]),
  {
    says: '`retryAt` says when, where that is known: a day’s limit that has room again',
    rig: { ...files, env: { WAYBILL_POLICY_MAX_PER_DAY: '60EUR' } },
    after: [SHIP],
    run: 'ship eva.json --key A-2 --json',
    exit: 12,
    error: { retry: 'later', retryAt: '2026-03-03T09:00:00.000Z' },
  },
  {
    says: '`retryAt` says from when on an order may be said not to exist',
    rig: inDoubt('A-1'),
    run: 'history resolve A-1 --not-created --reason portal --json',
    exit: 2,
    error: { retry: 'later', retryAt: '2026-03-02T09:15:00.000Z' },
  },
]);

promises('`next` of an error', [
  {
    says: 'It has the command that shows an order that may exist; what needs the word of a person is in the message alone',
    rig: failing('500'),
    run: `${SHIP} --json`,
    exit: 8,
    error: { next: SHOWN, message: expect.stringContaining('waybill history resolve bk_') },
  },
  {
    says: 'It has the command that shows an order above its bound; that accepts it is in the message alone',
    rig: charging(499),
    run: `${SHIP} --max-price 60EUR --json`,
    exit: 11,
    error: { next: SHOWN, message: expect.stringContaining('waybill history accept bk_') },
  },
  {
    says: 'It has the command that shows the order of which this is a duplicate',
    rig: files,
    after: [SHIP],
    run: 'ship gift.json --key A-1 --json',
    exit: 2,
    error: { next: SHOWN },
  },
  {
    says: 'It has the command that makes the label of a shipment that exists',
    rig: unlabelled(422),
    run: `${SHIP} --label --json`,
    exit: 9,
    error: { next: LABEL },
    sent: [BOOKED, LABELLED],
  },
  {
    says: 'It has the list of what is unknown, of a batch',
    rig: { files: { 'orders.jsonl': jsonLines(orders(1)) }, faults: [{ kind: 500, probability: 1 }] },
    run: 'batch ship orders.jsonl --json',
    exit: 8,
    error: { next: [['waybill', 'history', 'list', '--state', 'unknown']] },
  },
  {
    says: 'It has the search for a key that nobody knows',
    run: 'label --key NONE --json',
    exit: 4,
    error: { next: [['waybill', 'history', 'list', '--key', 'NONE']] },
  },
  ...each({ says: 'It is empty where no command helps' }, [
    { run: 'shp --json', exit: 2, error: { next: [] } },
    { rig: failing('422'), run: `${SHIP} --json`, exit: 5, error: { next: [] } },
    { rig: gone, run: `${SHIP} --retries 0 --json`, exit: 7, error: { next: [] } },
  ]),
]);

/** A production service that nobody reaches. */
const unreached = async () => {
  const { env } = await production();
  return createRig({ ...files, env });
};
const ASK =
  /^Book this\? the price is not known, EXP, https:\/\/shop\.invalid; .*order "A-1" to "Anna Beispiel"/;

promises('A booking against production', [
  {
    says: 'It asks first on a terminal, naming address and carrier, and without a yes nothing is sent',
    rig: unreached,
    run: SHIP,
    terminal: true,
    exit: 130,
    stdout: /^$/,
    stderr: 'nothing was sent',
    also: ({ asked, waits }) => expect([asked, waits]).toEqual([[expect.stringMatching(ASK)], []]),
  },
  {
    says: 'It names the price where it is known',
    rig: live,
    run: 'ship open.json --carrier EXP --key A-1',
    terminal: true,
    exit: 130,
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
    terminal: true,
    exit: 130,
    also: ({ asked }) => expect(asked).toEqual([expect.stringContaining('profile shop')]),
  },
  { says: 'A yes books it', rig: live, run: SHIP, terminal: true, answer: true, exit: 0, sent: [BOOKED] },
  ...each(
    {
      says: '--yes answers',
      rig: live,
      terminal: true,
      exit: 0,
      sent: [BOOKED],
      also: ({ asked }) => expect(asked).toEqual([]),
    },
    [`${SHIP} --yes`, `${SHIP} -y`],
  ),
  {
    says: '--no-input on a terminal without --yes is exit 2',
    rig: live,
    run: `${SHIP} --no-input`,
    terminal: true,
    exit: 2,
    sent: [],
    stderr: 'Add --yes',
  },
  {
    says: 'A stdin that is no terminal while stderr is one is exit 2: add --yes',
    rig: live,
    run: SHIP,
    terminal: true,
    piped: true,
    exit: 2,
    sent: [],
    stderr: 'Add --yes',
  },
  {
    says: 'There the price is told of which a yes is needed',
    rig: live,
    run: 'ship open.json --carrier fastest --key A-1',
    terminal: true,
    piped: true,
    exit: 2,
    sent: [QUOTED],
    stderr: /52\.90 EUR, EXP, .*"A-1" to "Anna Beispiel".* needs a yes/,
  },
  {
    says: 'There a key that is booked is shown without a yes',
    rig: live,
    after: [{ line: `${SHIP} --yes` }],
    run: SHIP,
    terminal: true,
    piped: true,
    exit: 0,
    sent: [],
  },
  ...each({ says: 'A read and a dry run ask nothing', rig: live, terminal: true }, [
    { run: `quote ${PARCEL}`, also: ({ asked }) => expect(asked).toEqual([]) },
    { run: `${SHIP} --dry-run`, also: ({ asked }) => expect(asked).toEqual([]), sent: [] },
  ]),
  {
    says: 'With --yes it goes ahead there, too',
    rig: live,
    run: `${SHIP} --yes`,
    terminal: true,
    piped: true,
    exit: 0,
    sent: [BOOKED],
  },
  {
    says: 'Without a terminal it goes ahead',
    rig: live,
    run: SHIP,
    exit: 0,
    sent: [BOOKED],
    also: ({ asked }) => expect(asked).toEqual([]),
  },
  {
    says: 'A booking on loopback asks nothing',
    rig: files,
    run: SHIP,
    terminal: true,
    exit: 0,
    sent: [BOOKED],
    also: ({ asked }) => expect(asked).toEqual([]),
  },
  {
    says: '--yes never answers to a duplicate',
    rig: live,
    after: [{ line: 'ship order.json --yes', terminal: true }],
    run: 'ship order.json --yes --no-input',
    terminal: true,
    exit: 2,
    sent: [],
  },
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
    says: 'In CI --new-journal goes ahead',
    rig: live,
    env: { CI: 'true' },
    run: `${SHIP} --new-journal`,
    exit: 0,
    sent: [BOOKED],
  },
  {
    says: 'In CI a journal that is kept needs no word',
    rig: live,
    env: { CI: 'true' },
    after: [SHIP],
    run: 'ship eva.json --key A-2',
    exit: 0,
    sent: [BOOKED],
  },
  {
    says: 'In CI, but not against production, a journal is made',
    rig: { files: FILES, env: { CI: 'true' } },
    run: SHIP,
    exit: 0,
    sent: [BOOKED],
  },
]);
