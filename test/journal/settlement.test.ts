// What a person says about bookings: one suite for both journals.
import { expect, test } from 'vitest';
import { needsAcceptance } from '../../src/journal/booking.ts';
import type { Journal } from '../../src/journal/journal.ts';
import {
  booked,
  claimed,
  ended,
  journalRig,
  kindOf,
  label,
  NOON,
  SCOPE,
  settle,
  settled,
  ship,
} from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const S1 = { shipment: 'S-1' };
const RESET = { why: 'the connection was reset', answer: 'half an answ', httpStatus: 502 } as const;

const unknown = (journal: Journal, intent = ship({ key: 'K' })) => booked(journal, intent, 'unknown', RESET);

const show = async (journal: Journal, id: string) => {
  const found = await journal.byId(id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
};

describeBoth('A settlement', kind => {
  test('does not take the shipment of another booking, whatever its account', async () => {
    const { journal } = await journalRig(kind);
    const other = await booked(journal, ship({ key: 'OTHER', scope: { ...SCOPE, account: 'two' } }));
    const id = await unknown(journal);
    expect(await settle(journal, id, 'created', S1)).toMatchObject([
      { id, kind: 'taken', shipment: 'S-1', booking: { id: other } },
    ]);
    expect(await show(journal, id)).toMatchObject({ state: 'unknown', settlements: [] });
    const elsewhere = await unknown(journal, ship({ scope: { address: 'https://else', account: '' } }));
    expect(await settle(journal, elsewhere, 'created', S1)).toEqual([]);
  });

  test('may have a shipment that another booking was said to have, and has not any more', async () => {
    const { journal } = await journalRig(kind);
    const wrong = await unknown(journal, ship({ key: 'WRONG' }));
    const id = await unknown(journal);
    await settle(journal, wrong, 'created', S1);
    await settle(journal, wrong, 'reopened');
    expect(await settle(journal, id, 'created', S1)).toEqual([]);
    expect(await journal.bookingOf(SCOPE, 'S-1')).toMatchObject({ booking: { id } });
  });

  test('of several is recorded whole or not at all, and none of two gets one shipment', async () => {
    const { journal } = await journalRig(kind);
    const ids = [];
    for (const key of ['A', 'B', 'C']) ids.push(await unknown(journal, ship({ key })));
    const [a = '', b = '', c = ''] = ids;
    const all = [settled(a, 'created', S1), settled(b, 'created', S1), settled(c, 'rejected')];
    expect(await journal.settle([...all, settled('bk_none', 'rejected')])).toMatchObject([
      { id: b, kind: 'taken', booking: { id: a } },
      { id: 'bk_none', kind: 'state' },
    ]);
    expect(await journal.settle([settled(c, 'rejected'), settled(c, 'created', S1)])).toMatchObject([
      { id: c, kind: 'state' },
    ]);
    expect(await journal.list({ states: ['unknown'] })).toHaveLength(3);
    expect(
      await journal.settle([all[0], settled(b, 'rejected'), all[2]].filter(one => one !== undefined)),
    ).toEqual([]);
    expect(await journal.list({ states: ['unknown'] })).toEqual([]);
  });

  test('loses what the service told and what the person wrote when it is pruned', async () => {
    const { journal } = await journalRig(kind);
    const id = await unknown(journal);
    await settle(journal, id, 'created', S1, { reason: 'Anna called', evidence: '{"receiver":"Anna"}' });
    await journal.prune(NOON * 2);
    expect(JSON.stringify(await show(journal, id))).not.toContain('Anna');
    expect(await show(journal, id)).toMatchObject({ ids: S1, settlements: [{ by: 'anna@desk', ids: S1 }] });
  });
});

describeBoth('A settlement that is taken back', kind => {
  test('of labels holds them again, unless they were made again or are not known any more', async () => {
    const { journal } = await journalRig(kind);
    const labels = label(['A'], { request: { international: 'A' } });
    const id = await unknown(journal, labels);
    await settle(journal, id, 'rejected');
    const again = await claimed(journal, labels);
    expect(await settle(journal, id, 'reopened')).toMatchObject([{ kind: 'booked again' }]);
    await journal.recordOutcome(again, ended('rejected'));
    expect(await settle(journal, id, 'reopened')).toEqual([]);
    expect((await journal.bookingOfLabel(SCOPE, 'A'))?.booking.id).toBe(id);
    await settle(journal, id, 'rejected');
    await journal.prune(NOON * 2);
    expect(await settle(journal, id, 'reopened')).toMatchObject([{ kind: 'pruned' }]);
  });

  test('of a shipment frees the labels that it was said to have', async () => {
    const { journal } = await journalRig(kind);
    const id = await unknown(journal);
    await settle(
      journal,
      id,
      'created',
      { international: 'S-1', domestic: 'S-2' },
      {
        labels: { international: { made: true } },
      },
    );
    expect(await journal.bookingOfLabel(SCOPE, 'S-1')).toMatchObject({ booking: { id } });
    await settle(journal, id, 'reopened');
    expect(await journal.bookingOfLabel(SCOPE, 'S-1')).toBeUndefined();
  });

  test('of a booking that was overtaken has its ids again, and its key if the other does not exist', async () => {
    const { journal } = await journalRig(kind);
    const id = await unknown(journal);
    await settle(journal, id, 'rejected');
    const again = await booked(journal, ship({ key: 'K' }), 'unknown');
    await journal.recordOutcome(id, ended('created', { ids: S1 }));
    await settle(journal, id, 'rejected');
    await settle(journal, id, 'reopened');
    expect(await show(journal, id)).toMatchObject({ state: 'unknown', ids: S1, overtakenBy: again });
    await settle(journal, id, 'rejected');
    await settle(journal, again, 'rejected');
    expect(await settle(journal, id, 'reopened')).toEqual([]);
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({
      kind: 'taken',
      booking: { id, ids: S1, overtakenBy: null },
    });
  });
});

describeBoth('A booking above its bound', kind => {
  test('that turns out to be another shipment must be accepted again', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'K' }), 'unknown');
    await settle(journal, id, 'created', { shipment: 'S-1' }, { overPrice: true });
    await settle(journal, id, 'accepted');
    const late = await journal.recordOutcome(
      id,
      ended('created', { ids: { shipment: 'S-2' }, overPrice: true }),
    );
    expect(late).toMatchObject({ counts: true, settlement: { state: 'created', by: 'anna@desk' } });
    expect(late && needsAcceptance(late.booking)).toBe(true);
    expect(late?.booking.settlements.map(({ state }) => state)).toEqual(['created', 'accepted']);
  });

  test('of the provider that cancelled keeps key and label, also of one that a person resolved', async () => {
    const { journal } = await journalRig(kind);
    const id = await unknown(journal);
    expect(await settle(journal, id, 'cancelled')).toMatchObject([{ kind: 'state' }]);
    await settle(journal, id, 'created', S1);
    await journal.claim(label(['S-1']));
    expect(await settle(journal, id, 'cancelled')).toEqual([]);
    expect(await settle(journal, id, 'cancelled')).toMatchObject([{ kind: 'state' }]);
    expect(await show(journal, id)).toMatchObject({ state: 'cancelled', ids: S1 });
    expect(await kindOf(journal.claim(ship({ key: 'K' })))).toBe('taken');
    expect(await kindOf(journal.claim(label(['S-1'])))).toBe('taken');
    // Its own answer comes: the shipment is the one that was cancelled.
    await journal.recordOutcome(id, ended('created'));
    expect(await show(journal, id)).toMatchObject({ state: 'cancelled', ids: S1, code: null });
    expect(await settle(journal, id, 'reopened')).toEqual([]);
    expect(await show(journal, id)).toMatchObject({ state: 'created', ids: S1 });
    expect(await settle(journal, id, 'reopened')).toMatchObject([{ kind: 'state' }]);
  });
});
