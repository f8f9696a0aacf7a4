import { expect } from 'vitest';
import { jsonLines, order, orders } from '../rig/batch.ts';
import { createRig, type RigOptions } from '../rig/command.ts';
import { asProduction, ELSEWHERE } from '../rig/production.ts';
import { event } from '../rig/sockets.ts';
import { BOOKED, QUOTED, scripted, wrapped } from './begin.ts';
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
    return wrapped(rig, (argv, options) => rig.run(argv, { ...options, env: { ...env, ...options?.env } }));
  };
const odd = order('ODD', { customs: { totalGoodsValue: 1, currency: 'EUR' } });
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
      answers: (() => {
        const said = ['e', 'no'];
        return async () => said.shift();
      })(),
      exit: 130,
      sent: [QUOTED, QUOTED],
      stderr: /105\.80 EUR.*EXP 2/,
    },
  ]),
  {
    says: 'With --yes it does not ask',
    rig: desk(...orders(1)),
    run: `${ASKED} --yes`,
    terminal: true,
    sent: booked(1),
    also: ({ asked }) => expect(asked).toEqual([]),
  },
  {
    says: 'Progress is a bar with done, rate and time left',
    rig: of(...orders(4)),
    run: `${ASKED} --rate 2`,
    terminal: true,
    env: { NO_COLOR: '1' },
    stderr: /\[#+-+\] \d\/4 done, .*[\d.]+\/s, .* left/,
  },
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
]);
