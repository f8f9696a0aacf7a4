// An order without a key and its plan are one order, also where the answer of the first one comes after a person gave it up and
// the other one was booked.
import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { describeBoth, type JournalKind } from '../rig/postgres.ts';
import { errorOf, PROPOSALS, UNDECIDED } from '../rig/service.ts';
import { served } from '../rig/sockets.ts';

const TERMS = { id: 'EXP', serviceType: 'express', isValid: true, deliveryTime: '1-3 days', price: 20 };
const OFFER = { chargeableWeight: 5, proposals: [{ ...TERMS, currency: 'EUR', kg: 5 }] };
const CARRIER = { id: 'EXP', price: 20, currency: 'EUR' };

const ORDER = 'ship -f order.json --carrier EXP';
const PLAN = 'ship -f plan.json';

/** The plan of an order, and a service whose first shipment is answered with this status, after that; the second one after `later`. */
async function planned(
  journal: JournalKind,
  status: number,
  meanwhile: (rig: Rig) => Promise<void>,
  later?: () => Promise<void>,
) {
  let shipments = 0;
  const address = await served(async (request, response) => {
    await request.toArray();
    if (request.url === PROPOSALS) return void response.writeHead(201).end(JSON.stringify(OFFER));
    shipments += 1;
    const isFirst = shipments === 1;
    const answer = { id: `S-${shipments}`, carrier: CARRIER };
    if (isFirst) await meanwhile(rig);
    else await later?.();
    response.writeHead(isFirst ? status : 201).end(JSON.stringify(answer));
  });
  const env = { WAYBILL_BASE_URL: address };
  const rig: Rig = await createRig({ journal, env, files: { 'order.json': UNDECIDED } });
  expect((await rig.run(`${ORDER} --plan plan.json`)).exitCode).toBe(0);
  return rig;
}

/** A person says that the only booking was not created; gives its id. */
async function givenUp(rig: Rig): Promise<string> {
  const [{ id }] = await rig.json('history list');
  expect((await rig.run(`history resolve ${id} --not-created --force --reason gone`)).exitCode).toBe(0);
  return id;
}

describeBoth('An order that was given up, and booked again', journal => {
  test.each([
    ['as its plan', ORDER, PLAN],
    ['as the order of which it was the plan', PLAN, ORDER],
  ])('%s: its late answer is exit 8, and both ids are told', async (_, first, second) => {
    let id = '';
    let other: Ran | undefined;
    const rig = await planned(journal, 201, async rig => {
      await rig.later(2 * 60 * 60 * 1000);
      id = await givenUp(rig);
      other = await rig.run(`${second} -q`);
    });
    const ran = await rig.run(first);
    expect([other?.exitCode, other?.stdout]).toEqual([0, 'S-2\n']);
    expect(ran.exitCode, ran.stderr).toBe(8);
    expect(ran.stderr).toMatch(/the same was booked again as bk_\w+, which is S-2; .* created as S-1/s);
    expect(await rig.json(`history show ${id}`)).toMatchObject({ state: 'unknown', shipmentIds: ['S-1'] });
    expect(await rig.json('history show S-2')).toMatchObject({ state: 'created' });
  });

  test('is told of the first one, whose late answer came while it was sent', async () => {
    const moments = new EventEmitter();
    const [arrived, ended] = ['arrived', 'ended'].map(name => once(moments, name));
    let other: Promise<Ran> | undefined;
    const rig = await planned(
      journal,
      201,
      async rig => {
        await rig.later(2 * 60 * 60 * 1000);
        await givenUp(rig);
        other = rig.run(`${PLAN} --json`);
        await arrived;
      },
      async () => {
        moments.emit('arrived');
        await ended;
      },
    );
    expect((await rig.run(ORDER)).exitCode).toBe(8);
    moments.emit('ended');
    const { exitCode, stdout, stderr } = (await other) ?? {};
    expect([exitCode, JSON.parse(stdout ?? '')]).toMatchObject([0, { id: 'S-2' }]);
    const { id } = await rig.json('history show S-1');
    expect(stderr).toContain(`booking ${id}, which this one replaced, was created, too`);
    // The provider cancels the second one: the first one may be all that there is.
    expect((await rig.run('history cancelled S-2 --reason portal')).exitCode).toBe(0);
    const again = await rig.run(PLAN);
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining(`Book no replacement before you know whether booking ${id} exists`),
    ]);
  });

  test.each([
    ['as its plan', ORDER, PLAN],
    ['as the order of which it was the plan', PLAN, ORDER],
  ])('%s is not reopened: exit 2, with the other one', async (_, first, second) => {
    const rig = await planned(journal, 500, async () => {});
    expect((await rig.run(first)).exitCode).toBe(8);
    const id = await givenUp(rig);
    expect((await rig.run(second)).exitCode).toBe(0);
    const reopened = await rig.run(`history resolve ${id} --reopen --json`);
    expect([reopened.exitCode, errorOf(reopened).message]).toEqual([
      2,
      expect.stringMatching(`booking ${id} was booked again as bk_`),
    ]);
    expect(await rig.json(`history show ${id}`)).toMatchObject({ state: 'rejected' });
  });
});
