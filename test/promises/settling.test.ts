import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Question } from '../../src/host/question.ts';
import type { Rig } from '../rig/command.ts';
import { createRig } from '../rig/command.ts';
import { bookingAt, claimed, fill, inJournal, labelAt, said, ship, UNKNOWN } from '../rig/journal.ts';
import { BACK, faultOf, LEAVE, type Script, says } from '../rig/person.ts';
import { cannedService, SHIPMENT } from '../rig/service.ts';
import { orderFor } from '../rig/settling.ts';
import {
  answering,
  BOOKED,
  charging,
  DAY,
  failing,
  files,
  inDoubt,
  LABELLED,
  recorded,
  SHIP,
} from './begin.ts';
import { HOOK } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

const MINUTE = 60_000;
const NOBODY = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };
const NOT_CREATED = 'history resolve A-1 --not-created';
const GONE = `${NOT_CREATED} --reason portal`;
const FORCED = `${GONE} --force`;

const RECEIVER = (SHIPMENT as { receiver: object }).receiver;
const shipment = (id: string, receiver: unknown = RECEIVER) => ({
  status: 200,
  body: {
    ...{ id, receiver, status: [{ status: 'on_its_way', milestone: 'in_transit' }] },
    carrier: { id: 'EXP', name: 'Express', price: 12.4, currency: 'EUR' },
  },
});
/** The order of A-1 is unknown at a service that knows S-1, which goes to Anna, S-2 to Berta, and S-3 to France. */
const lost = async (): Promise<Rig> => {
  const rig = await answering({
    '/v1/shipments': { status: 500, body: {} },
    '/v1/shipments/S-1': shipment('S-1'),
    '/v1/shipments/S-2': shipment('S-2', { ...RECEIVER, firstName: 'Berta' }),
    '/v1/shipments/S-3': shipment('S-3', { ...RECEIVER, address: { country: { code: 'FR' } } }),
    '/v1/shipments/S-4': shipment('S-4', { ...RECEIVER, firstName: 'ANNA', lastName: 'Beíspiel' }),
    '/v1/shipments/gone': { status: 404, body: {} },
  })();
  await rig.run(SHIP);
  return rig;
};
/** A-1 is booked, and nobody knows whether its label exists; the shipment has a tracking number. */
const losesLabel = async (): Promise<Rig> => {
  const { body } = shipment('S-1');
  const rig = await answering({
    '/v1/shipments': { status: 201, body },
    '/v2/carriers/create': { status: 500, body: {} },
    '/v1/shipments/S-1': { status: 200, body: { ...body, tracking: { trackingNumber: 'T-1' } } },
  })();
  for (const line of [SHIP, 'label A-1']) await rig.run(line);
  return rig;
};
const isUnknown = async (_: unknown, rig: Rig) =>
  expect(await rig.json('history show A-1')).toMatchObject({ state: 'unknown', settlements: [] });

/** K was said to be not created, and booked again as the second booking; then the answer of the first one came: S-1. */
const disputed = recorded(rig => {
  const again = bookingAt(rig, 2, { ...UNKNOWN, key: 'K' });
  const answered = { kind: 'answered', at: 2, counts: true, state: 'created' } as const;
  const facts = [said('rejected'), answered];
  const ids = { shipment: 'S-1' };
  return [bookingAt(rig, 1, { ...UNKNOWN, key: 'K', ids, facts, keyHolder: again.id }), again];
});
const AGAIN = `bk_${'2'.padStart(32, '0')}`;
const ONCE_MORE = `history resolve ${AGAIN} --not-created --force --reason portal`;

promises('A disputed booking', [
  {
    says: 'It gets its key back if the other one was not created: the key is not called free',
    rig: disputed,
    run: ONCE_MORE,
    stdout: /it was not created\. The key K is that of booking bk_0+1 \(unknown\)\.\n$/,
  },
  {
    says: 'Whoever says it once more by the key does not free the key of what was answered as created: exit 2',
    rig: disputed,
    after: [ONCE_MORE],
    run: 'history resolve K --not-created --reason portal',
    exit: 2,
    stderr: [/exists as its own answer says \(S-1\)/, /--not-created --force --reason TEXT/],
  },
  {
    says: 'The same order again is exit 8, with what its own answer said and which booking does not exist',
    rig: disputed,
    after: [ONCE_MORE],
    run: 'history show K --json',
    json: { state: 'unknown', keyHolder: null, shipmentIds: ['S-1'] },
  },
  {
    says: 'Said to be created, its message names the booking that has its key',
    rig: disputed,
    run: 'history resolve S-1 --created S-1 --unchecked',
    stdout: new RegExp(`created as S-1\\. Its key is that of booking ${AGAIN} \\(unknown\\): if both exist`),
  },
  {
    says: 'Its page names the command that says that it does not exist as it can be typed',
    rig: disputed,
    run: 'history show S-1',
    stdout: /resolve bk_0+1 --not-created --force --reason TEXT/,
  },
  {
    says: 'Its page says which booking had its key, and that this one does not exist',
    rig: disputed,
    after: [ONCE_MORE],
    run: 'history show K',
    stdout: new RegExp(`booking ${AGAIN}, which had its key, does not exist`),
  },
]);

const asked = (script: Script): Pick<Promised, 'terminal' | 'answers'> => ({
  terminal: true,
  answers: says(script),
});
const BOTH_FORMS = [
  /It exists: `waybill history resolve bk_\w+ --created SHIPMENT_ID`/,
  /does not \(which counts from 2 Mar 2026 \d\d:15 on\): `waybill history resolve bk_\w+ --not-created --reason TEXT`/,
];

promises('history resolve REF without an option', [
  ...each({ rig: lost, run: 'history resolve A-1' }, [
    {
      says: 'On a terminal it shows order, receiver, carrier and time, warns of a no, and asks whether the booking exists',
      ...asked({ exists: LEAVE }),
      exit: 130,
      also({ questions: [question] }) {
        expect(question).toMatchObject({ kind: 'choice', isOpen: true });
        expect(question?.hint).toMatch(
          /^"A-1" to "Anna Beispiel" \("Berlin", DE\), carrier EXP, booking bk_\w+\nIt was sent 2 Mar .*\nSay no only if .*: if it exists after all, the next run books it a second time\.$/,
        );
      },
    },
    {
      says: 'After a yes it asks for the id, and reads the shipment as --created does',
      ...asked({ exists: 'yes', shipment: 'S-1', confirm: 'yes' }),
      stdout: /created as S-1\.$/m,
      sent: ['GET /v1/shipments/S-1'],
    },
    {
      says: 'An id is required, and going back from it changes the answer',
      ...asked({ exists: ['yes', 'no'], shipment: BACK, confirm: 'yes' }),
      stdout: /was not created, and the key A-1 may be\s+booked again/,
      also: async ({ questions }) =>
        expect(await faultOf(questions[1] as Question, ' ')).toBe('It is required'),
    },
    {
      says: 'A no is asked once more, with how long a carrier may be at work; whoever does not confirm changes nothing',
      ...asked({ exists: 'no', confirm: 'no' }),
      exit: 130,
      stderr: 'the answer was not yes; no booking was changed',
      async also(ran, rig) {
        expect(ran.questions[0]?.hint).not.toContain('at work');
        expect(ran.asked).toEqual([expect.stringMatching(/may be booked again\? .* may be at work on it/)]);
        await isUnknown(ran, rig);
      },
    },
    {
      says: 'Whoever does not know it yet is told whom to ask: exit 8, and nothing is changed',
      ...asked({ exists: 'unsure' }),
      exit: 8,
      stderr: [
        /bk_\w+ is unknown as before, and nothing was changed\. Ask the provider/,
        /a no counts from 2 Mar 2026 \d\d:15 on, 15 minutes after it was sent/,
      ],
      sent: [],
      also: isUnknown,
    },
    { says: 'A script gets both complete commands: exit 2', exit: 2, stderr: BOTH_FORMS, also: isUnknown },
    {
      says: 'So does a person with --no-input: exit 2',
      run: 'history resolve A-1 --no-input',
      terminal: true,
      exit: 2,
      stderr: BOTH_FORMS,
    },
    {
      says: 'So does a person with --json: exit 2',
      run: 'history resolve A-1 --json',
      terminal: true,
      exit: 2,
      stderr: BOTH_FORMS,
    },
    {
      says: 'What was resolved already is not asked about: exit 2',
      after: ['history resolve A-1 --created S-1'],
      terminal: true,
      exit: 2,
      stderr: [/is not unknown any more/, '--reopen'],
    },
  ]),
  {
    says: 'Of a label only whether it exists is asked',
    rig: losesLabel,
    run: 'history resolve S-1',
    ...asked({ exists: 'yes', confirm: 'yes' }),
    stdout: /created as S-1\.$/m,
  },
]);

promises('history resolve --created', [
  ...each({ rig: lost }, [
    {
      says: 'It reads the shipment, and takes carrier, price and status from it',
      run: 'history resolve A-1 --created S-1 --json',
      json: { state: 'created', shipmentIds: ['S-1'], carrier: 'EXP', price: 12.4, currency: 'EUR' },
      stderr: 'on_its_way',
      sent: ['GET /v1/shipments/S-1'],
    },
    {
      says: 'The order is booked then: the same command shows it, and sends nothing',
      after: ['history resolve A-1 --created S-1'],
      run: `${SHIP} -q`,
      stdout: /^S-1\n$/,
      sent: [],
    },
    {
      says: 'A shipment that the service does not know is exit 4',
      run: 'history resolve A-1 --created gone',
      exit: 4,
      also: isUnknown,
    },
    ...each({ says: 'Another receiver is exit 2, by name and country', exit: 2, also: isUnknown }, [
      { run: 'history resolve A-1 --created S-2', stderr: 'Berta' },
      { run: 'history resolve A-1 --created S-3', stderr: 'FR' },
    ]),
    { says: 'Receivers are compared without case and marks', run: 'history resolve A-1 --created S-4' },
  ]),
  {
    says: 'It shows the shipment that it read in lines, also where nobody is at a terminal',
    rig: lost,
    run: 'history resolve A-1 --created S-1',
    stderr: /^Shipment +S-1$/m,
  },
  ...each(
    {
      says: 'A word that stands for an id is no id',
      rig: inDoubt('A-1'),
      exit: 2,
      sent: [],
      also: isUnknown,
    },
    [
      {
        run: 'history resolve A-1 --created SHIPMENT_ID --unchecked',
        stderr: 'replace SHIPMENT_ID with the id from the provider. Nothing was changed',
      },
      {
        rig: failing('500'),
        after: [{ line: 'ship-dual pair.json --key A-1', exit: 8 }],
        run: 'history resolve A-1 --created I-1 --domestic DOMESTIC_ID --unchecked',
        stderr: 'replace DOMESTIC_ID',
      },
    ],
  ),
  {
    says: 'It is not one shipment with an order that is itself unknown',
    rig: inDoubt('A-1', 'A-2'),
    run: 'history resolve A-1 --same-as A-2',
    exit: 2,
    stderr: /error: booking bk_\w+ is itself unknown: resolve it first\. Nothing was changed$/m,
    also: isUnknown,
  },
  ...each({ says: '--unchecked asks nobody', rig: lost, sent: [] }, [
    'history resolve A-1 --created S-2 --unchecked',
    'history resolve A-1 --created gone --unchecked',
  ]),
  ...each(
    {
      says: 'A shipment that another booking of the address has is exit 2, always',
      rig: inDoubt('A-1'),
      exit: 2,
      sent: [],
      stderr: /is the shipment of booking bk_\w+ \(key "K-9"\)/,
    },
    ['history resolve A-1 --created S-9', 'history resolve A-1 --created S-9 --unchecked'].map(run => ({
      run,
      rig: async () => {
        const rig = await inDoubt('A-1')();
        await fill(rig, 'state', [bookingAt(rig, 9)]);
        return rig;
      },
    })),
  ),
  {
    says: 'A pair is resolved with both legs',
    rig: failing('500'),
    after: [{ line: 'ship-dual pair.json --key P-1', exit: 8 }],
    run: 'history resolve P-1 --created I-1 --domestic D-1 --unchecked --json',
    json: { state: 'created', shipmentIds: ['I-1', 'D-1'] },
  },
  {
    says: 'A price above its bound is exit 11 then',
    rig: async () => {
      const { env } = await cannedService({ '/v1/shipments/S-1': shipment('S-1') });
      const rig = await createRig({ ...files, env });
      const address = env.WAYBILL_BASE_URL ?? '';
      await fill(rig, 'state', [
        bookingAt(rig, 1, { ...UNKNOWN, address, maxPrice: '5 EUR', request: SHIPMENT }),
      ]);
      return rig;
    },
    after: ['history resolve K-1 --created S-1'],
    run: 'history show K-1 --json',
    json: { exitCode: 11, overPrice: true },
  },
  ...each(
    {
      says: 'Where the service cannot be asked, --unchecked is named',
      rig: inDoubt('A-1'),
      also: isUnknown,
      run: 'history resolve A-1 --created S-1',
    },
    [
      { env: { WAYBILL_TOKEN: 'wrong' }, exit: 3, stderr: '--unchecked' },
      {
        env: NOBODY,
        exit: 2,
        stderr: /was sent to http.*\. Set WAYBILL_BASE_URL=http\S+ and WAYBILL_TOKEN, or add --unchecked/,
        sent: [],
      },
    ],
  ),
  {
    says: 'Another account is not asked, which knows no such shipment',
    rig: async () => {
      const rig = await createRig(files);
      const shop = (account: string) => ({ baseUrl: rig.address, account });
      rig.file('config/config.json', { profiles: { one: shop('1'), two: shop('2') } });
      await fill(rig, 'state', [bookingAt(rig, 1, { ...UNKNOWN, account: '2', profile: 'two' })]);
      return rig;
    },
    run: 'history resolve K-1 --created S-1 --profile one',
    exit: 2,
    stderr: /account 2, .* account 1\. Add --profile two, or add --unchecked to ask nobody/,
    sent: [],
  },
  ...each(
    {
      says: 'A shipment means its label where that is what is unknown, and a label has no price of its own',
      rig: losesLabel,
    },
    [
      {
        run: 'history resolve A-1 --created S-1 --json',
        json: { operation: 'label', state: 'created', price: null },
      },
      {
        run: 'history resolve S-1 --not-created --force --reason gone --json',
        json: { operation: 'label', state: 'rejected' },
        also: async (_, rig) =>
          expect(await rig.json('history show A-1')).toMatchObject({ state: 'created', settlements: [] }),
      },
    ],
  ),
]);

promises('history resolve --not-created', [
  ...each({ rig: inDoubt('A-1'), exit: 2, also: isUnknown }, [
    { says: 'Without a terminal it needs --reason', run: `${NOT_CREATED} --force`, stderr: 'reason' },
    ...each({ says: 'It is refused until 15 minutes after the request was sent' }, [
      { run: `${GONE} --json`, error: { retry: 'later', retryAt: '2026-03-02T09:15:00.000Z' } },
      { after: [{ later: 14 * MINUTE }], run: GONE },
      { run: `${GONE} --yes`, terminal: true },
    ]),
  ]),
  { says: 'After 15 minutes it is taken', rig: inDoubt('A-1'), after: [{ later: 15 * MINUTE }], run: GONE },
  { says: '--force does not wait', rig: inDoubt('A-1'), run: FORCED, sent: [] },
  ...each({ rig: inDoubt('A-1'), run: NOT_CREATED, terminal: true }, [
    {
      says: 'On a terminal a person is told how long ago it was sent, and asked',
      after: [{ later: 3 * MINUTE }],
      exit: 130,
      also: async (ran, rig) => {
        expect(ran.asked).toEqual([expect.stringContaining('3 min ago')]);
        await isUnknown(ran, rig);
      },
    },
    { says: 'On a terminal a yes is enough', answer: true },
  ]),
  { says: 'It frees the key', rig: inDoubt('A-1'), after: [FORCED], run: SHIP, sent: [BOOKED] },
  {
    says: 'It is added to the record and replaces nothing: answer, status and reason stay, with who, when, why and which run',
    rig: inDoubt('A-1'),
    after: [`${FORCED} --actor anna --run 'night 7'`],
    run: 'history show A-1 --json',
    json: {
      ...{ state: 'rejected', httpStatus: 500, why: expect.stringContaining('500') },
      settlements: [
        {
          state: 'rejected',
          by: 'anna',
          run: 'night 7',
          reason: 'portal',
          at: expect.stringMatching(/^2026-03-02T/),
        },
      ],
    },
  },
  {
    says: 'Of several all are settled, or none',
    rig: inDoubt('A-1', 'A-2'),
    run: 'history resolve A-1 A-2 NONE --not-created --reason gone --force',
    exit: 4,
    also: isUnknown,
  },
  {
    says: 'Of several all are settled',
    rig: inDoubt('A-1', 'A-2'),
    run: 'history resolve A-1 A-2 --not-created --reason gone --force --json',
    json: [{ state: 'rejected' }, { state: 'rejected' }],
  },
  {
    says: 'Of a webhook it is taken as well',
    rig: failing('500'),
    after: [{ line: `${HOOK} --key H-1`, exit: 8 }],
    run: 'history resolve H-1 --not-created --reason gone --force --json',
    json: { state: 'rejected' },
  },
  {
    says: 'Of one that was sent in the future, because the clock was set back, it is 15 minutes at most',
    rig: recorded(rig => [bookingAt(rig, 1, { ...UNKNOWN, at: rig.clock.now + 365 * DAY })]),
    run: 'history resolve K-1 --not-created --reason portal --json',
    exit: 2,
    error: { retry: 'later', retryAt: '2026-03-02T09:15:00.000Z' },
  },
  {
    says: 'Of several each is settled once, whichever names are given',
    rig: inDoubt('A-1', 'A-2'),
    run: 'history resolve A-1 A-2 A-1 --not-created --reason gone --force --json',
    json: [{ key: 'A-1' }, { key: 'A-2' }],
  },
  {
    says: 'What was resolved is told with who said it, and keeps the others unknown',
    rig: inDoubt('A-1', 'A-2'),
    after: ['history resolve A-2 --not-created --reason gone --force --actor anna'],
    run: 'history resolve A-1 A-2 --not-created --reason gone --force',
    exit: 2,
    stderr: /anna resolved it as not created at .*--reopen/,
    also: isUnknown,
  },
  ...[NOBODY, {}].map(env => ({
    says: 'It means what may exist, though the key was tried in vain at another address',
    rig: async () => {
      const rig = await inDoubt()();
      await rig.run(`${SHIP} --retries 0`, { env: NOBODY });
      await rig.unknown('A-1');
      return rig;
    },
    run: `${FORCED} --json`,
    env,
    json: { httpStatus: 500 },
  })),
]);

promises('history resolve', [
  ...each({ says: 'A wrong use of it is exit 2', rig: inDoubt('A-1', 'A-2'), exit: 2, also: isUnknown }, [
    'history resolve',
    'history resolve A-1',
    'history resolve A-1 A-2 --created S-1',
    'history resolve A-1 --domestic D-1',
    'history resolve A-1 --reopen',
    { run: 'history resolve --file unknown.csv A-1', stderr: '--file names the bookings' },
    { run: 'history resolve --file unknown.csv --not-created', stderr: 'cannot be used' },
    'history resolve A-1 --not-created --created S-1',
    'history resolve A-1 --not-created --domestic D-1',
    'history resolve A-1 A-1 --created S-1 --reopen',
  ]),
  {
    says: 'The message of exit 8 says what to ask the provider and how long to wait, and names resolve without the flag that frees the key',
    rig: failing('500'),
    run: SHIP,
    exit: 8,
    stderr: [
      /Ask the provider .*\(a no counts from 2 Mar 2026 \d\d:15 on, 15 minutes after it was sent\)/,
      'run `waybill history resolve A-1 --created SHIPMENT_ID`, else `waybill history resolve A-1` (it asks, or says what to type)',
    ],
    lacks: ['--not-created', '--allow-duplicate'],
  },
  {
    says: 'A key that may be the id of a shipment, too, is not named there',
    rig: failing('500'),
    run: 'ship order.json --key 5001',
    exit: 8,
    stderr: /else `waybill history resolve bk_\w+`/,
  },
  ...each({ rig: inDoubt('A-1') }, [
    {
      says: '--reopen takes it back to unknown: the key is not booked again',
      after: [FORCED, 'history resolve A-1 --reopen'],
      run: SHIP,
      exit: 8,
      sent: [],
    },
    {
      says: '--reopen is in the record as well',
      after: [FORCED],
      run: "history resolve A-1 --reopen --reason 'the other one'",
      also: async (_, rig) =>
        expect(await rig.json('history show A-1')).toMatchObject({
          ...{ state: 'unknown', exitCode: 8 },
          settlements: [{ state: 'rejected' }, { state: 'reopened', reason: 'the other one' }],
        }),
    },
    {
      says: '--reopen is exit 2 where the key was booked again',
      after: [FORCED, SHIP],
      run: 'history list --state rejected -q',
      also: async ({ stdout }, rig) =>
        expect((await rig.run(`history resolve ${stdout.trim()} --reopen`)).exitCode).toBe(2),
    },
  ]),
  {
    says: 'An order that is not unknown is not resolved',
    rig: files,
    after: [SHIP],
    run: 'history resolve A-1 --not-created --reason x --force',
    exit: 2,
  },
  {
    says: 'A booking that is being sent is not resolved: its answer has not come',
    rig: async () => {
      const rig = await createRig(files);
      const scope = { address: rig.address, account: '' };
      await inJournal(rig, 'state', journal => claimed(journal, ship({ scope, key: 'A-1' })));
      return rig;
    },
    run: FORCED,
    exit: 2,
    stderr: /being sent: wait/,
  },
]);

/** The CSV of the unknown orders A and B, in which a person filled in `resolution` and more. */
const filledIn =
  (header: string, a: string, b: string, by = ',') =>
  async (): Promise<Rig> => {
    const rig = await inDoubt('A', 'B')();
    const id = async (key: string) => (await rig.json(`history show ${key}`)).id;
    const rows = [`id,${header}`, `${await id('A')},${a}`, `${await id('B')},${b}`];
    rig.file('unknown.csv', `${rows.join('\r\n')}\r\n`.replaceAll(',', by));
    return rig;
  };
/** The same of an unknown pair. */
const pairIn = (header: string, cells: string) => async (): Promise<Rig> => {
  const rig = await createRig(failing('500'));
  await rig.run('ship-dual pair.json --key P-1');
  rig.file('unknown.csv', `${header}\r\n${(await rig.json('history show P-1')).id},${cells}\r\n`);
  return rig;
};
const FILE = 'history resolve --file unknown.csv --unchecked --force --json';
const RESOLVED = { created: 1, notCreated: 1, left: 0 };

promises('history resolve --file', [
  ...[',', ';', '\t', '|'].map(by => ({
    says: `It takes any delimiter (${JSON.stringify(by)})`,
    rig: filledIn('resolution,shipmentId,reason', 'created,S-1,', 'not-created,,portal', by),
    run: FILE,
    json: RESOLVED,
  })),
  {
    says: 'A first line sep=; is obeyed, and a cell ="S-1" is what it shows',
    rig: async () => {
      const rig = await filledIn(
        'resolution,shipmentId,reason',
        '="created","=""S-1""",',
        'not-created,,portal',
        ';',
      )();
      rig.file('unknown.csv', `sep=;\r\n${readFileSync(join(rig.folder, 'unknown.csv'), 'utf8')}`);
      return rig;
    },
    run: FILE,
    json: RESOLVED,
  },
  {
    says: 'Rows that are not filled in are left',
    rig: filledIn('resolution,shipmentId', 'created,S-1', ','),
    run: FILE,
    json: { created: 1, notCreated: 0, left: 1 },
  },
  {
    says: 'It takes the CSV that `history list --state unknown` writes',
    rig: async () => {
      const rig = await inDoubt('A')();
      const { stdout } = await rig.run('history list --state unknown -o csv');
      rig.file('unknown.csv', stdout.replace(/,(\r?\n)$/, ',not-created$1'));
      return rig;
    },
    run: `${FILE} --reason portal`,
    json: { notCreated: 1 },
  },
  ...each(
    { says: 'It is validated whole before anything is written', exit: 2 },
    [
      { rig: filledIn('resolution,shipmentId', 'created,S-1', 'created,'), run: FILE },
      { rig: filledIn('resolution,shipmentId', 'created,S-1', 'creatd,S-2'), run: FILE },
      { rig: filledIn('resolution,shipmentId', 'created,S-1', 'created,S-1'), run: FILE },
      { rig: filledIn('resolution,shipmentId,reason', 'created,S-1,', 'not-created,,'), run: FILE },
    ].map(row => ({
      ...row,
      also: async (_: unknown, rig: Rig) =>
        expect(await rig.json('history list --state unknown')).toHaveLength(2),
    })),
  ),
  {
    says: 'Without a reason in the row, that of the command is taken',
    rig: filledIn('resolution', 'not-created', 'not-created'),
    run: `${FILE} --reason portal`,
    json: { notCreated: 2 },
  },
  {
    says: 'The 15 minutes hold for it, too',
    rig: filledIn('resolution', 'not-created', 'not-created'),
    run: 'history resolve --file unknown.csv --reason portal --json',
    exit: 2,
    error: { retry: 'later', retryAt: expect.stringMatching(/^2026-03-02T09:15/) },
  },
  {
    says: 'What a spreadsheet protected is read as it was',
    rig: filledIn('resolution,shipmentId', "created,'-S-1", ','),
    run: FILE,
    also: async (_, rig) => expect(await rig.json('history show A')).toMatchObject({ shipmentIds: ['-S-1'] }),
  },
  {
    says: 'Why an order is unknown, which the list writes as its reason, is no reason to resolve it',
    rig: async () => {
      const rig = await inDoubt('A')();
      const { stdout } = await rig.run('history list --state unknown -o csv');
      rig.file('unknown.csv', stdout.replace(/,(\r?\n)$/, ',not-created$1'));
      return rig;
    },
    run: FILE,
    exit: 2,
    stderr: 'needs a reason',
  },
  {
    says: 'On a terminal a person is asked before',
    rig: filledIn('resolution', 'not-created', 'not-created'),
    run: 'history resolve --file unknown.csv',
    terminal: true,
    exit: 130,
    also: ({ asked }) => expect(asked).toEqual([expect.stringMatching(/0 exist.* 2 do not.* 0 min ago/)]),
  },
  {
    says: 'A file without the column is exit 2, with the command that writes one',
    rig: { files: { 'unknown.csv': 'id\n' } },
    run: `${FILE} --no-sandbox`,
    exit: 2,
    stderr: 'waybill history list --state unknown -o csv --no-sandbox > unknown.csv',
  },
  ...each({ says: 'Of a pair both legs are needed', run: FILE }, [
    { rig: pairIn('id,resolution,shipmentId', 'created,S-1'), exit: 2, stderr: 'domesticShipmentId' },
    {
      rig: pairIn('id,resolution,shipmentId,domesticShipmentId', 'created,S-1,D-1'),
      also: async (_, rig) =>
        expect(await rig.json('history show P-1')).toMatchObject({ shipmentIds: ['S-1', 'D-1'] }),
    },
  ]),
]);

const dear = charging(499);
const booked = { line: `${SHIP} --max-price 60EUR`, exit: 11 };

promises('history accept', [
  {
    says: 'It says that a price above its bound is known, with who, when and why',
    rig: dear,
    after: [booked, "history accept A-1 --reason 'by phone' --actor anna"],
    run: 'history show A-1 --json',
    json: {
      exitCode: 0,
      overPrice: true,
      settlements: [{ state: 'accepted', by: 'anna', reason: 'by phone' }],
    },
  },
  ...each({ says: 'Only what is above its bound is accepted', rig: files, exit: 2 }, [
    { after: [SHIP], run: 'history accept A-1' },
    { after: [`${SHIP} --max-price 60EUR`], run: 'history accept A-1' },
    { rig: inDoubt('A-1'), run: 'history accept A-1' },
  ]),
  {
    says: 'Only that ends exit 11, also after --reopen',
    rig: recorded(rig => [
      bookingAt(rig, 1, { ...UNKNOWN, maxPrice: '5 EUR', overPrice: true, request: JSON.parse(orderFor()) }),
    ]),
    after: [
      'history resolve K-1 --created S-1 --unchecked',
      'history resolve K-1 --reopen',
      'history resolve K-1 --created S-1 --unchecked',
    ],
    run: 'history show K-1 --json',
    json: { exitCode: 11 },
  },
  {
    says: 'Again it says who accepted it before',
    rig: dear,
    after: [booked, 'history accept A-1 --actor anna'],
    run: 'history accept A-1 --actor berta',
    stdout: 'anna',
  },
  ...each(
    {
      says: 'A label of what nobody accepted is not made: exit 11',
      rig: dear,
      after: [booked],
      exit: 11,
      error: { code: 'over_price', created: false },
      sent: [],
    },
    ['label A-1 --json', 'label A-1 --dry-run --json'],
  ),
  {
    says: 'A tracking number means its order, and one that was accepted before keeps none from the others',
    rig: recorded(rig => [
      bookingAt(rig, 1, { maxPrice: '5 EUR', overPrice: true }),
      labelAt(rig, 101, 1),
      bookingAt(rig, 2, { maxPrice: '5 EUR', overPrice: true }),
    ]),
    after: ['history accept T-1 --actor anna'],
    run: 'history accept K-2 K-1 --json',
    json: [
      { key: 'K-2', exitCode: 0, settlements: [{ state: 'accepted' }] },
      { key: 'K-1', exitCode: 0, settlements: [{ by: 'anna' }] },
    ],
  },
]);

const CANCELLED = 'history cancelled A-1 --reason phone';

promises('history cancelled', [
  ...each({ rig: files, after: [SHIP] }, [
    {
      says: 'It records that the provider cancelled an order, and says that nobody was told of it',
      run: `${CANCELLED} --actor anna`,
      sent: [],
      stderr: 'nobody was told of it',
      also: async (_, rig) =>
        expect(await rig.json('history show A-1')).toMatchObject({
          ...{ state: 'cancelled', shipmentIds: [expect.any(String)] },
          settlements: [{ state: 'cancelled', by: 'anna', reason: 'phone' }],
        }),
    },
    { says: 'It needs --reason', run: 'history cancelled A-1', exit: 2 },
    { says: '--reopen is of what was cancelled', run: 'history cancelled A-1 --reopen', exit: 2 },
  ]),
  {
    says: 'It is taken back with its own command, and not as if it was resolved',
    rig: files,
    after: [SHIP, CANCELLED],
    run: 'history resolve A-1 --reopen',
    exit: 2,
    stderr: [
      /was cancelled by the provider. Nothing was changed/,
      /history cancelled bk_\w+ --reopen` takes that back/,
    ],
  },
  ...each({ rig: files, after: [SHIP, CANCELLED] }, [
    {
      says: 'It leaves the costs',
      run: 'history summary --json',
      json: [{ shipments: 0, cost: {}, cancelled: 1, cancelledCost: { EUR: 52.9 } }],
    },
    { says: 'It leaves what is under way', run: 'track --active --json', stdout: /^\[\]\n$/, sent: [] },
  ]),
  {
    says: 'It leaves unprinted labels',
    rig: files,
    after: [SHIP, 'label A-1 --download labels', CANCELLED],
    run: 'label --unprinted --json',
    lacks: 'A-1',
  },
  {
    says: 'It keeps its key: the same order again is a `duplicate` that says so',
    rig: files,
    after: [SHIP, CANCELLED],
    run: `${SHIP} --json`,
    exit: 2,
    error: { code: 'duplicate', created: false, message: expect.stringContaining('cancelled') },
    sent: [],
  },
  {
    says: 'It stays in the record, and is listed as such',
    rig: files,
    after: [SHIP, CANCELLED],
    run: 'history list --state cancelled --json',
    json: [{ key: 'A-1', price: 52.9 }],
  },
  ...each({ run: CANCELLED, exit: 2 }, [
    { says: 'What does not exist is not cancelled', rig: failing('422'), after: [{ line: SHIP, exit: 5 }] },
    { says: 'What is unknown is not cancelled', rig: inDoubt('A-1') },
  ]),
  {
    says: 'It is not labelled any more',
    rig: recorded(rig => [bookingAt(rig, 1), labelAt(rig, 101, 2)]),
    after: ['history cancelled K-1 --reason phone'],
    run: 'label K-1',
    exit: 2,
    sent: [],
    lacks: LABELLED,
  },
  {
    says: 'Again it says who said it before',
    rig: files,
    after: [SHIP, `${CANCELLED} --actor anna`],
    run: `${CANCELLED} --actor berta`,
    stdout: 'anna',
    lacks: 'nobody was told',
  },
  {
    says: 'What is no shipment is not cancelled',
    rig: files,
    after: [`${HOOK} --key H-1`],
    run: 'history cancelled H-1 --reason x',
    exit: 2,
    stderr: 'only shipments',
  },
  {
    says: '--reopen takes it back, with both in the record',
    rig: files,
    after: [SHIP, CANCELLED, 'history cancelled A-1 --reopen'],
    run: 'history show A-1 --json',
    json: { state: 'created', settlements: [{ state: 'cancelled' }, { state: 'reopened' }] },
  },
  {
    says: '--reopen gives a partial order its exit code again',
    rig: recorded(rig => [bookingAt(rig, 1, { state: 'partial', code: 'partial', why: 'no label' })]),
    after: ['history cancelled K-1 --reason phone'],
    run: 'history cancelled K-1 --reopen --json',
    json: { state: 'partial', exitCode: 9 },
  },
  {
    says: 'Its page names who said so, how to take it back, and no label',
    rig: files,
    after: [SHIP, `${CANCELLED} --actor anna --run noon`],
    run: 'history show A-1',
    stdout: [/said anna, in noon, because: phone/, 'waybill history cancelled A-1 --reopen'],
    lacks: 'waybill label A-1',
  },
  ...each({ says: 'Nothing sends it again', rig: files, after: [SHIP, CANCELLED], exit: 2, sent: [] }, [
    { run: `${SHIP} --dry-run --json`, error: { code: 'duplicate' } },
    { run: 'label A-1 --json', error: { code: 'duplicate' } },
    { run: 'ship order.json --json', error: { message: expect.stringContaining('cancelled') } },
    {
      after: [SHIP, CANCELLED, { write: { 'orders.jsonl': JSON.stringify({ ...SHIPMENT, key: 'A-1' }) } }],
      run: 'batch ship orders.jsonl --json',
      exit: 9,
      json: { states: { duplicate: 1 } },
    },
  ]),
  ...each({ says: 'Of several that are settled all are, or none', rig: files, exit: 2 }, [
    ...['history cancelled A-1 NONE --reason x', 'history accept A-1 NONE'].map(run => ({
      after: [SHIP],
      run,
      exit: 4,
      also: async (_: unknown, rig: Rig) =>
        expect(await rig.json('history show A-1')).toMatchObject({ settlements: [] }),
    })),
    {
      rig: recorded(rig => [bookingAt(rig, 1), bookingAt(rig, 2, UNKNOWN)]),
      run: 'history cancelled K-1 K-2 --reason x',
      also: async (_, rig) => expect(await rig.json('history show K-1')).toMatchObject({ settlements: [] }),
    },
    {
      rig: recorded(rig => [bookingAt(rig, 1, { maxPrice: '5 EUR', overPrice: true }), bookingAt(rig, 2)]),
      run: 'history accept K-1 K-2',
      also: async (_, rig) => expect(await rig.json('history show K-1')).toMatchObject({ settlements: [] }),
    },
  ]),
  {
    says: 'The summary has its costs apart, and with them the sum of all',
    rig: recorded(rig => [bookingAt(rig, 1), bookingAt(rig, 2), bookingAt(rig, 3)]),
    after: ['history cancelled K-1 K-2 --reason phone'],
    run: 'history summary',
    stdout: [/1 shipment, 0 labels, 12\.40 EUR\. The provider cancelled 2 shipments/, '37.20 EUR'],
  },
]);
