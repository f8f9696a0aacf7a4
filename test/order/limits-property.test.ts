// Whatever is proposed, bounded, limited, in flight and unknown: nothing is booked above the strictest bound or limit.
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { BARE } from '../rig/profile.ts';
import { PROPOSALS, UNDECIDED } from '../rig/service.ts';
import { served } from '../rig/sockets.ts';
import { runs } from '../torture/size.ts';

const price = fc.integer({ min: 1, max: 40 });
const currency = fc.constantFrom('EUR', 'EUR', 'EUR', 'USD');
const proposal = fc.record({
  id: fc.constantFrom('A', 'B'),
  isValid: fc.constantFrom(true, true, true, false),
  price: fc.oneof({ weight: 5, arbitrary: price }, fc.constantFrom(0, null, 'on request')),
  currency,
  deliveryTime: fc.constantFrom('1-2 days', '3-5 days'),
});
const order = fc.record({
  proposals: fc.array(proposal, { minLength: 1, maxLength: 4 }),
  carrier: fc.constantFrom('cheapest', 'fastest', 'A'),
  bound: fc.option(price, { nil: undefined }),
  /** Is its answer lost? It may exist all the same. */
  isLost: fc.constantFrom(false, false, false, true),
  byPlan: fc.boolean(),
});
const limit = fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined });
const limits = fc.record({ maxPrice: limit, maxPerDay: limit });

type Proposal = typeof proposal extends fc.Arbitrary<infer P> ? P : never;
type Limits = typeof limits extends fc.Arbitrary<infer L> ? L : never;

const strictest = (...all: (number | undefined)[]) =>
  Math.min(...all.map(one => one ?? Number.POSITIVE_INFINITY));

const euros = (amount: number | undefined) => (amount === undefined ? undefined : `${amount}EUR`);

/** What the service charges for a carrier: the dearest of its proposals, because the id alone is booked. */
function charged(proposals: readonly Proposal[], id: string) {
  const own = proposals.filter(one => one.id === id && one.isValid);
  return own.reduce((most, one) => (Number(one.price) > Number(most.price) ? one : most), own[0] as Proposal);
}

test('Nothing is booked above the strictest of --max-price and the limits of profile and environment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(order, { minLength: 1, maxLength: 5 }),
      limits,
      limits,
      fc.boolean(),
      async (orders, ofProfile: Limits, ofEnvironment: Limits, atOnce) => {
        let proposed: readonly Proposal[] = [];
        let isLost = false;
        const booked: { price: number; currency: string; key: string }[] = [];
        const byKey = new Map<string, (typeof orders)[number]>();
        const address = await served(async (request, response) => {
          const body = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8') || '{}');
          const own = byKey.get(body.receiver?.lastName ?? '') ?? { proposals: proposed, isLost };
          if (request.url === PROPOSALS)
            return void response
              .writeHead(201)
              .end(JSON.stringify({ chargeableWeight: 5, proposals: proposed }));
          const { price: told, currency: unit } = charged(own.proposals, body.carrier.id);
          booked.push({ price: Number(told), currency: unit, key: body.receiver.lastName });
          if (own.isLost) return void response.socket?.resetAndDestroy();
          response.writeHead(201).end(
            JSON.stringify({
              id: `S-${booked.length}`,
              carrier: { id: body.carrier.id, price: told, currency: unit },
            }),
          );
        });
        const policy = Object.fromEntries(
          Object.entries(ofProfile).flatMap(([name, amount]) =>
            amount === undefined ? [] : [[name, euros(amount)]],
          ),
        );
        const rig = await createRig({
          env: {
            ...BARE,
            WAYBILL_PROFILE: 'shop',
            WAYBILL_POLICY_MAX_PRICE: euros(ofEnvironment.maxPrice) ?? '',
            WAYBILL_POLICY_MAX_PER_DAY: euros(ofEnvironment.maxPerDay) ?? '',
          },
        });
        const credentials = { kind: 'token', token: 'a token of a test' };
        rig.file('config/config.json', { profiles: { shop: { baseUrl: address, credentials, policy } } });
        const one = async (at: number) => {
          const { carrier, bound, byPlan, ...service } = orders[at] ?? ({} as never);
          const key = `K-${at}`;
          byKey.set(key, orders[at] as never);
          const receiver = { ...(UNDECIDED.receiver as object), lastName: key };
          rig.file(`${key}.json`, { ...UNDECIDED, receiver });
          if (!atOnce) ({ proposals: proposed, isLost } = service);
          const ship = `ship -f ${key}.json --key ${key} --carrier ${carrier} ${bound ? `--max-price ${bound}EUR` : ''}`;
          const may = { may: ['reads' as const] };
          if (!byPlan) return (await rig.run(ship, may)).exitCode;
          const planned = await rig.run(`${ship} --plan ${key}.plan`, may);
          return planned.exitCode === 0
            ? (await rig.run(`ship -f ${key}.plan`, may)).exitCode
            : planned.exitCode;
        };
        proposed = orders[0]?.proposals ?? [];
        // At once they share the proposals of the first, and what is in flight counts.
        if (atOnce) for (const each of orders) each.proposals = [...proposed];
        const indexes = orders.map((_, at) => at);
        if (atOnce) await Promise.all(indexes.map(one));
        else for (const at of indexes) await one(at);

        const perOrder = strictest(ofProfile.maxPrice, ofEnvironment.maxPrice);
        const perDay = strictest(ofProfile.maxPerDay, ofEnvironment.maxPerDay);
        const isLimited = Number.isFinite(strictest(perOrder, perDay));
        for (const { price: cost, currency: unit, key } of booked) {
          const { bound, byPlan } = byKey.get(key) ?? ({} as never);
          if (!isLimited && bound === undefined && !byPlan) continue;
          expect(cost).toBeGreaterThan(0);
          if (isLimited || bound !== undefined) expect(unit).toBe('EUR');
          expect(cost).toBeLessThanOrEqual(strictest(perOrder, perDay, bound));
        }
        const sum = booked.reduce((all, { price: cost }) => all.plus(cost || 0), new Big(0));
        if (Number.isFinite(perDay)) expect(sum.toNumber()).toBeLessThanOrEqual(perDay);
      },
    ),
    runs(60),
  );
});
