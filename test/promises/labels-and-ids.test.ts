import { expect } from 'vitest';
import { created, scriptedService } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt } from '../rig/journal.ts';
import { numberedService } from '../rig/numbered.ts';
import { failing, files, LABELLED, recorded, SHIP, wrapped } from './begin.ts';
import { FILES, HOOK } from './orders.ts';
import { each, promises } from './promise.ts';

const numbered =
  (options = {}) =>
  async () =>
    (await numberedService({ files: FILES, ...options })).rig;
const TO = (name: string) => `--set receiver.firstName=${name}`;
const PAIR = (key: string) => `ship-dual pair.json --key ${key} ${TO(key)}`;
const ONE = (key: string, more = '') => `ship order.json --key ${key} ${TO(key)} ${more}`;

promises('A shipment is labelled once', [
  {
    says: 'A label that `ship-dual --label` made is claimed as well',
    rig: files,
    after: ['ship-dual pair.json --label --key P-1'],
    run: 'label --key P-1 --json',
    sent: [],
  },
  {
    says: 'Only missing ones are requested',
    rig: failing('label-domestic'),
    after: [{ line: 'ship-dual pair.json --label --key P-1', exit: 9 }],
    run: 'label --key P-1',
    exit: 5,
    sent: [LABELLED],
    also: ({ requests }) => expect(Object.keys(JSON.parse(requests[0]?.body ?? ''))).toEqual(['domestic']),
  },
  {
    says: 'A label that is unknown is not requested again',
    rig: recorded(rig => [bookingAt(rig, 1)], { faults: [{ kind: 500, probability: 1 }] }),
    after: [{ line: 'label K-1', exit: 8 }],
    run: 'label K-1',
    exit: 8,
    sent: [],
  },
  {
    says: 'A domestic and an international shipment may have the same number: they are two labels',
    rig: numbered(),
    after: [ONE('S'), PAIR('P1'), PAIR('P2'), 'label P1'],
    run: 'label P2 --json',
    json: { international: { trackingNumber: 'i103' }, domestic: { trackingNumber: 'd102' } },
  },
  ...each(
    {
      says: 'As a REF their number names two orders: exit 2 with both',
      rig: numbered(),
      after: [PAIR('P1'), ONE('S'), PAIR('P2')],
      exit: 2,
      stderr: /"102" names 2 orders\b.*"(S|P2)".*"(S|P2)"/,
    },
    ['label 102', 'track 102', 'history show 102', 'history cancelled 102 --reason x'],
  ),
  {
    says: 'In `track --domestic` it is the domestic one',
    rig: numbered(),
    after: [PAIR('P1'), ONE('S'), PAIR('P2')],
    run: 'track 102 --domestic --json',
    json: { tracking: { trackingNumber: 'd102' } },
  },
  {
    says: 'An unknown pair is resolved as what it is',
    rig: numbered({ lost: 'P2' }),
    after: [PAIR('P1'), { line: PAIR('P2'), exit: 8 }],
    run: 'history resolve P2 --created 102 --domestic 102 --json',
    json: { state: 'created', shipmentIds: ['102', '102'] },
  },
]);

promises('An id belongs to one order', [
  ...each({ rig: numbered({ sameId: '7' }), after: [ONE('A-1')], exit: 8, stderr: /"A-1", booking bk_/ }, [
    { says: 'An answer whose shipment another order has is exit 8, and names that order', run: ONE('A-2') },
    { says: 'Of a pair that is so by one leg', run: PAIR('P-1') },
  ]),
  ...each({ rig: numbered({ sameId: '7' }) }, [
    {
      says: 'In the sandbox it is a warning',
      after: [ONE('A-1', '--sandbox')],
      run: ONE('A-2', '--sandbox'),
      stderr: /warning: .*shipment of another order \("A-1"/,
    },
    { says: 'A pair whose legs have one number is created', run: `${PAIR('P-1')} -q`, stdout: /^7\n7\n$/ },
    {
      says: '--same-as says that both are one shipment: the key stays',
      after: [ONE('A-1'), { line: ONE('A-2'), exit: 8 }, 'history resolve A-2 --same-as A-1'],
      run: `${ONE('A-2')} -q`,
      stdout: /^7\n$/,
    },
  ]),
  {
    says: '--same-as names the order that has the shipment, and so does the page',
    rig: numbered({ sameId: '7' }),
    after: [ONE('A-1'), { line: ONE('A-2'), exit: 8 }],
    run: 'history resolve A-2 --same-as A-1',
    stdout: /is one shipment as 7 with booking bk_\w+ \(key A-1\)/,
    also: async (_, rig) =>
      expect((await rig.run('history show A-2')).stdout).toMatch(/one shipment with booking bk_/),
  },
  {
    says: '--same-as adds nothing to the costs',
    rig: numbered({ sameId: '7' }),
    after: [ONE('A-1'), { line: ONE('A-2'), exit: 8 }, 'history resolve A-2 --same-as A-1'],
    run: 'history summary --json',
    json: [{ shipments: 1, unknown: 0 }],
  },
]);

/** While the booking of K waits, or is in flight, it counts as lost for others, who do that. */
const losing =
  (moment: 'waiting' | 'in flight', ...doing: string[]) =>
  async (): Promise<Rig> => {
    const rig = await createRig(files);
    let isLost = false;
    const lose = async () => {
      if (isLost) return;
      isLost = true;
      await rig.later(2 * 60 * 60 * 1000);
      for (const line of doing) await rig.run(line, { env });
    };
    const { env } = await scriptedService(async (_, attempt) => {
      if (attempt > 1) return created(String(attempt));
      if (moment === 'waiting') return { status: 429 };
      await lose();
      return created('1');
    });
    return wrapped(rig, (argv, options) => rig.run(argv, { ...options, env, onWait: lose }));
  };
const GONE = 'history resolve A-1 --not-created --force --reason gone';

promises('A claim is fenced', [
  {
    says: 'One that was settled as created meanwhile sends nothing, and answers as any other with that key',
    rig: losing('waiting', 'history resolve A-1 --created S-7 --unchecked'),
    run: `${SHIP} -q`,
    stdout: /^S-7\n$/,
  },
  {
    says: 'One that was settled and booked again meanwhile sends nothing: the other one is the answer',
    rig: losing('waiting', GONE, SHIP),
    run: `${SHIP} -q`,
    stdout: /^S-2\n$/,
  },
  {
    says: 'One that was settled as not created meanwhile sends nothing',
    rig: losing('waiting', GONE),
    run: SHIP,
    exit: 7,
    stderr: 'it is not sent',
  },
  {
    says: 'An answer that comes after its booking was settled counts, and is said',
    rig: losing('in flight', GONE),
    run: `${SHIP} -q`,
    stdout: /^S-1\n$/,
    also: async (_, rig) =>
      expect(await rig.json('history show A-1')).toMatchObject({
        ...{ state: 'created', shipmentIds: ['S-1'] },
        settlements: [{ state: 'rejected', reason: 'gone' }],
      }),
  },
  {
    says: 'One whose key was booked again tells both ids: exit 8',
    rig: losing('in flight', GONE, SHIP),
    run: SHIP,
    exit: 8,
    stderr: [/which is S-2/, /created as S-1/],
  },
]);

promises('What is given once is kept', [
  {
    says: 'The secret of a subscription is in the journal, and is shown again',
    rig: files,
    after: [`${HOOK} --key H-1`],
    run: 'history show H-1 --show-secret --json',
    json: {
      answer: { data: { secret: expect.stringMatching(/^\w{8}/), token: expect.stringMatching(/^\w/) } },
    },
  },
  {
    says: 'Without --show-secret it is not shown',
    rig: files,
    after: [`${HOOK} --key H-1`],
    run: 'history show H-1 --json',
    json: { answer: { data: { secret: expect.stringContaining('--show-secret') } } },
  },
]);
