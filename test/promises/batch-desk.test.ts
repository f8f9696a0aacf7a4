import { expect } from 'vitest';
import { jsonLines, order, orders } from '../rig/batch.ts';
import { createRig, type RigOptions } from '../rig/command.ts';
import { asProduction, ELSEWHERE } from '../rig/production.ts';
import { event } from '../rig/sockets.ts';
import { BOOKED, QUOTED, scripted, withEnv, wrapped } from './begin.ts';
import { each, promises } from './promise.ts';

const of = (...records: unknown[]): RigOptions => ({ files: { 'orders.jsonl': jsonLines(records) } });
const booked = (count: number) => Array(count).fill(BOOKED);
const unknowns = { faults: [{ kind: 500, probability: 1 }] };
/** An order whose weight comes from its carrier. */
const open = (key: string, carrier: string) => ({ ...order(key, { carrier }), chargeableWeight: undefined });

/** A batch on a terminal, against production. */
const desk =
  (...records: unknown[]) =>
  async () => {
    const rig = await createRig(of(...records));
    const env = await asProduction(rig);
    return withEnv(rig, env);
  };
const odd = order('ODD', { customs: { totalGoodsValue: 1, currency: 'EUR' } });
/** What a person answers, one after the other. */
const inTurn = (...answers: string[]) => {
  const left = [...answers];
  return async () => left.shift();
};
const ASKED = 'batch ship orders.jsonl --concurrency 1';

promises('A batch on a terminal', [
  ...each({ run: ASKED, terminal: true }, [
    {
      says: 'It asks once, with the counts, also of records with warnings',
      rig: desk(...orders(2), odd),
      exit: 130,
      sent: [],
      also: ({ asked }) =>
        expect(asked).toEqual([
          expect.stringMatching(
            `Book this\\? ship for 3 records, 1 of them with a warning \\(${ELSEWHERE}\\)`,
          ),
        ]),
    },
    { says: 'A yes books all of them', rig: desk(...orders(2)), answers: async () => 'yes', sent: booked(2) },
    {
      says: 'It offers to estimate first: total by currency, orders by carrier',
      rig: desk(open('A', 'EXP'), open('B', 'fastest')),
      answers: inTurn('e', 'no'),
      exit: 130,
      sent: [QUOTED, QUOTED],
      stderr: /105\.80 EUR.*EXP 2/,
    },
  ]),
  ...each({ terminal: true, also: ({ asked }) => expect(asked).toEqual([]) }, [
    { says: 'With --yes it does not ask', rig: desk(...orders(1)), run: `${ASKED} --yes`, sent: booked(1) },
    {
      says: 'Where nothing is booked it does not ask',
      rig: desk({ originCountry: 'TR', destinationCountry: 'DE', package: '1kg@10x10x10' }),
      run: 'batch quote orders.jsonl',
      sent: [QUOTED],
    },
  ]),
  ...each({ run: `${ASKED} --rate 2`, terminal: true, env: { NO_COLOR: '1' } }, [
    {
      says: 'Progress is a bar with done, rate and time left',
      rig: of(...orders(4)),
      stderr: /\[#+-+\] \d\/4 done, .*[\d.]+\/s, .* left/,
    },
    {
      says: 'Progress counts the records to be sent, and not those booked before',
      rig: of(...orders(2)),
      after: ['batch ship orders.jsonl', { write: { 'orders.jsonl': jsonLines(orders(4)) } }],
      stderr: ' 1/2 done',
      lacks: '3/2 done',
    },
  ]),
  {
    says: 'The bar has what failed and what is unknown',
    rig: { ...of(...orders(2)), ...unknowns },
    run: `${ASKED} --rate 1`,
    terminal: true,
    env: { NO_COLOR: '1' },
    exit: 8,
    stderr: '1 failed, 1 unknown',
  },
  {
    says: 'Elsewhere progress is a line now and then',
    rig: async () => {
      const [patience, allArrived] = event();
      let arrived = 0;
      const rig = await scripted(
        () => {
          arrived += 1;
          if (arrived === 3) allArrived();
          return new Promise(() => {});
        },
        of(...orders(3)),
      )();
      return wrapped(rig, (argv, options) => rig.run(argv, { ...options, patience, afterwards: 20 }));
    },
    run: 'batch ship orders.jsonl',
    exit: 8,
    stderr: /^\[[#-]+\] \d\/3 done, /m,
  },
  {
    says: 'It names what falls out of an estimate',
    rig: desk(open('A', 'EXP'), { ...open('B', 'EXP'), maxPrice: '1EUR' }),
    run: ASKED,
    terminal: true,
    answers: inTurn('e', 'no'),
    exit: 130,
    stderr: [
      /estimate of 1 of 2 records/,
      / {2}Dearest postage {2}A \d/,
      /1 record falls out:\n {2}line 2, B: .*1.00 EUR/,
    ],
  },
  {
    says: 'An estimate leaves out what lacks only its label',
    rig: desk(open('A', 'EXP')),
    after: [
      { line: `${ASKED} --yes`, terminal: true },
      { write: { 'orders.jsonl': jsonLines([open('A', 'EXP'), open('B', 'EXP')]) } },
    ],
    run: `${ASKED} --label`,
    terminal: true,
    answers: inTurn('E', 'no'),
    exit: 130,
    sent: [QUOTED],
    stderr: 'estimate of 1 of 2 records',
  },
  {
    says: 'A short run has no progress, and neither has --quiet',
    rig: of(...orders(3)),
    run: ASKED,
    lacks: 'done,',
    also: async (_, rig) => {
      rig.file('orders.jsonl', jsonLines([order('X')]));
      expect((await rig.run(`${ASKED} -q`, { terminal: true })).stderr).toBe('');
    },
  },
]);
