// What a person says about bookings, and an answer that comes after that: one suite for both journals. That a key, an input and a
// label have one booking, whatever is said and answered in whatever order, is in test/torture/model.test.ts.
import { expect, test } from 'vitest';
import type { Intent } from '../../src/booking/booking.ts';
import { needsAcceptance } from '../../src/booking/standing.ts';
import type { Journal } from '../../src/journal/journal.ts';
import {
  booked,
  claimed,
  ended,
  journalRig,
  kindOf,
  label,
  NOON,
  ofLeg,
  SCOPE,
  settle,
  settled,
  ship,
} from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const S1 = { shipment: 'S-1' };
const S2 = { shipment: 'S-2' };
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
    expect(await show(journal, id)).toMatchObject({ state: 'unknown', facts: [] });
    const elsewhere = await unknown(journal, ship({ scope: { address: 'https://else', account: '' } }));
    expect(await settle(journal, elsewhere, 'created', S1)).toEqual([]);
  });

  test('of several is recorded whole or not at all, each once, and none of two gets one shipment', async () => {
    const { journal } = await journalRig(kind);
    const [a, b, c] = [
      await unknown(journal, ship({ key: 'A' })),
      await unknown(journal, ship({ key: 'B' })),
      await unknown(journal, ship({ key: 'C' })),
    ];
    const obstacles = await journal.settle([
      settled(a, 'created', S1),
      settled(b, 'created', S1),
      settled(c, 'rejected'),
      settled(c, 'created', S2),
    ]);
    expect(obstacles).toMatchObject([
      { id: b, kind: 'taken', booking: { id: a } },
      { id: c, kind: 'state' },
    ]);
    expect(await journal.list({ states: ['unknown'] })).toHaveLength(3);
  });
});

describeBoth('A booking whose answer came late', kind => {
  test('has the labels that it names, although another booking has its key', async () => {
    const { journal } = await journalRig(kind);
    const pair = { ...ship({ key: 'P' }), operation: 'ship-dual' } as const;
    const id = await unknown(journal, pair);
    await settle(journal, id, 'rejected');
    const keyHolder = await claimed(journal, pair);
    const made = {
      ids: { international: 'S-1', domestic: 'D-1' },
      labels: { international: { made: true } },
    };
    await journal.recordOutcome(id, ended('created', made));
    expect(await show(journal, id)).toMatchObject({ state: 'unknown', keyHolder });
    const isTaken = { kind: 'taken', booking: { id } };
    expect(await journal.claim(label(['S-1']))).toMatchObject(isTaken);
    expect(await settle(journal, id, 'created', made.ids, { labels: made.labels })).toEqual([]);
    expect(await settle(journal, id, 'reopened')).toEqual([]);
    expect(await journal.claim(label(['S-1']))).toMatchObject(isTaken);
    await settle(journal, id, 'rejected', {}, { mayBeEarly: true });
    expect(await kindOf(journal.claim(label(['S-1'])))).toBe('claimed');
  });

  test('and does not count has it once, also if that is recorded again', async () => {
    const { journal } = await journalRig(kind);
    const id = await unknown(journal);
    await settle(journal, id, 'created', S1);
    for (let count = 0; count < 2; count += 1)
      expect(await journal.recordOutcome(id, ended('rejected'))).toMatchObject({ late: { counts: false } });
    expect((await show(journal, id)).facts.map(fact => fact.kind)).toEqual(['confirmed', 'answered']);
  });
});

describeBoth('Orders that are said to be one shipment', kind => {
  /** C is said to be S-1, and A to be one shipment with it. */
  async function same(journal: Journal) {
    const c = await unknown(journal, ship({ key: 'C' }));
    const a = await unknown(journal, ship({ key: 'A' }));
    expect(await settle(journal, c, 'created', S1)).toEqual([]);
    expect(await settle(journal, a, 'created', S1, { sameAs: c })).toEqual([]);
    return { a, c };
  }

  test('need one that has the shipment: not one that is unknown, has another one, or is itself that of another order', async () => {
    const { journal } = await journalRig(kind);
    const { a, c } = await same(journal);
    const b = await unknown(journal, ship({ key: 'B' }));
    const other = await booked(journal, ship({ key: 'O' }), 'created', { ids: S2 });
    const open = await unknown(journal, ship({ key: 'U' }));
    for (const sameAs of [a, other, open])
      expect(await settle(journal, b, 'created', S1, { sameAs })).toMatchObject([
        { id: b, kind: 'no owner', booking: { id: sameAs } },
      ]);
    expect(await settle(journal, b, 'created', S1, { sameAs: c })).toEqual([]);
  });

  test('keep the one that has the shipment: it is reopened only with them', async () => {
    const { journal } = await journalRig(kind);
    const { a, c } = await same(journal);
    expect(await settle(journal, c, 'reopened')).toMatchObject([
      { id: c, kind: 'declared', others: [{ id: a }] },
    ]);
    expect(await journal.bookingOf(SCOPE, ofLeg('S-1'))).toMatchObject({ id: c, state: 'created' });
    expect(await journal.settle([settled(a, 'reopened'), settled(c, 'reopened')])).toEqual([]);
    expect(await journal.bookingOf(SCOPE, ofLeg('S-1'))).toBeUndefined();
  });

  test('have it still if the answer of the other one names another shipment', async () => {
    const { journal } = await journalRig(kind);
    const { a, c } = await same(journal);
    await journal.recordOutcome(c, ended('created', { ids: S2 }));
    expect(await journal.bookingOf(SCOPE, ofLeg('S-2'))).toMatchObject({ id: c });
    expect(await journal.bookingOf(SCOPE, ofLeg('S-1'))).toMatchObject({ id: a });
  });
});

describeBoth('A settlement of a pair', kind => {
  test('that meets the shipment of another order keeps what the pair had before', async () => {
    const { journal, alter } = await journalRig(kind);
    const dual = { operation: 'ship-dual', keySpace: 'shipment' } as const;
    const ids = { international: 'S-1' };
    const id = await booked(journal, ship({ key: 'P', ...dual }), 'unknown', { ids });
    const one = await unknown(journal, ship({ key: 'ONE' }));
    const other = await booked(journal, ship({ key: 'TWO', ...dual }), 'created', {
      ids: { international: 'S-3', domestic: 'D-3' },
    });
    // As if its answer came after the shipment was asked for.
    await alter(`UPDATE bookings SET ids = '{}' WHERE id = '${other}'`);
    const takes = { international: 'S-1', domestic: 'D-3' };
    expect(await settle(journal, id, 'created', takes)).toMatchObject([
      { id, kind: 'taken', shipment: 'D-3', booking: { id: other } },
    ]);
    expect(await settle(journal, one, 'created', S1)).toMatchObject([{ kind: 'taken', booking: { id } }]);
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
    expect((await journal.bookingOfLabel(SCOPE, ofLeg('A')))?.booking.id).toBe(id);
    await settle(journal, id, 'rejected');
    await journal.prune(NOON * 2);
    expect(await settle(journal, id, 'reopened')).toMatchObject([{ kind: 'pruned' }]);
  });

  test('of a disputed booking has its ids again, and its key if the other does not exist', async () => {
    const { journal } = await journalRig(kind);
    const id = await unknown(journal);
    await settle(journal, id, 'rejected');
    const again = await booked(journal, ship({ key: 'K' }), 'unknown');
    await journal.recordOutcome(id, ended('created', { ids: S1 }));
    await settle(journal, id, 'created', S1);
    await settle(journal, id, 'reopened');
    expect(await show(journal, id)).toMatchObject({ state: 'unknown', ids: S1, keyHolder: again });
    await settle(journal, id, 'rejected');
    expect(await settle(journal, id, 'reopened')).toMatchObject([
      { kind: 'booked again', booking: { id: again } },
    ]);
    await settle(journal, again, 'rejected');
    expect(await settle(journal, id, 'reopened')).toEqual([]);
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({
      kind: 'taken',
      booking: { id, ids: S1, keyHolder: null },
    });
  });

  test('of a shipment frees the labels that it was said to have', async () => {
    const { journal } = await journalRig(kind);
    const id = await unknown(journal);
    const ids = { international: 'S-1', domestic: 'S-2' };
    await settle(journal, id, 'created', ids, { labels: { international: { made: true } } });
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('S-1'))).toMatchObject({ booking: { id } });
    await settle(journal, id, 'reopened');
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('S-1'))).toBeUndefined();
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
    expect(late).toMatchObject({ late: { counts: true, decision: { kind: 'confirmed', by: 'anna@desk' } } });
    expect(late && needsAcceptance(late.booking)).toBe(true);
    expect(late?.booking.facts.map(({ kind }) => kind)).toEqual(['confirmed', 'accepted', 'answered']);
  });
});

describeBoth('A booking that the provider has cancelled', kind => {
  test('keeps key and label, also if a person resolved it', async () => {
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

describeBoth('An answer', kind => {
  /** A booking that was said not to exist while its answer was on the way. */
  async function denied(journal: Journal, intent: Intent) {
    const id = await booked(journal, intent, 'unknown');
    expect(await settle(journal, id, 'rejected')).toEqual([]);
    return id;
  }

  test('does not take the key from a booking that was made in the meantime, also if it is recorded once more', async () => {
    const { journal } = await journalRig(kind);
    const id = await denied(journal, ship({ key: 'K' }));
    const again = await booked(journal, ship({ key: 'K' }), 'created', { ids: S2 });
    const late = await journal.recordOutcome(id, ended('created', { ids: S1 }));
    expect(late?.booking).toMatchObject({
      state: 'unknown',
      code: 'outcome_unknown',
      ids: S1,
      keyHolder: again,
    });
    // The confirmation was lost on the way.
    expect(await journal.recordOutcome(id, ended('created', { ids: S1 }))).toEqual(late);
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ kind: 'taken', booking: { id: again } });
  });

  test("that names another order's shipment is not dropped: the booking is unknown again, and the order is named", async () => {
    const { journal } = await journalRig(kind);
    const other = await booked(journal, ship({ key: 'C' }), 'created', { ids: S2 });
    const id = await unknown(journal);
    await settle(journal, id, 'created');
    const late = await journal.recordOutcome(id, ended('created', { ids: S2 }));
    expect(late).toMatchObject({ late: { counts: true }, booking: { id, state: 'unknown' } });
    expect(late?.booking.why).toContain(`that of another order ("C", booking ${other})`);
    expect(await journal.byId(other)).toMatchObject({ state: 'created', ids: S2 });
  });

  test('of one that was overtaken last has the key, if several were', async () => {
    const { journal } = await journalRig(kind);
    const one = await denied(journal, ship({ key: 'K' }));
    const two = await denied(journal, ship({ key: 'K' }));
    const again = await claimed(journal, ship({ key: 'K' }));
    for (const [id, ids] of [[two, S2] as const, [one, S1] as const])
      await journal.recordOutcome(id, ended('created', { ids }));
    await journal.recordOutcome(again, ended('rejected'));
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ booking: { id: two } });
    expect(await journal.byId(one)).toMatchObject({ state: 'unknown', keyHolder: two });
    await settle(journal, two, 'rejected');
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ booking: { id: one } });
  });

  test('is not denied by a script that says twice that the key was not created', async () => {
    const { journal } = await journalRig(kind);
    const id = await denied(journal, ship({ key: 'K' }));
    const again = await booked(journal, ship({ key: 'K' }), 'unknown');
    await journal.recordOutcome(id, ended('created', { ids: S1 }));
    expect((await journal.byId(again))?.facts).toMatchObject([{ kind: 'disputed', from: id }]);
    expect(await settle(journal, again, 'rejected')).toEqual([]);
    expect(await settle(journal, id, 'rejected', {}, { mayBeEarly: false })).toMatchObject([
      { id, kind: 'answered', booking: { ids: S1 } },
    ]);
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ kind: 'taken', booking: { id } });
    expect(await settle(journal, id, 'rejected')).toEqual([]);
  });

  test('keeps its key taken where the other booking is the same order without a key', async () => {
    const { journal } = await journalRig(kind);
    const id = await denied(journal, ship({ key: 'K' }));
    const again = await booked(journal, ship(), 'created', { ids: S2 });
    const late = await journal.recordOutcome(id, ended('created', { ids: S1 }));
    expect(late?.booking).toMatchObject({ state: 'unknown', ids: S1, keyHolder: null });
    expect(late?.booking.why).toContain(again);
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ kind: 'taken', booking: { id } });
    // The end of the other one gives back nothing.
    expect(await settle(journal, id, 'created', S1)).toEqual([]);
    expect(await settle(journal, again, 'cancelled')).toEqual([]);
  });

  test('of labels of which one was made again keeps the other one taken', async () => {
    const { journal } = await journalRig(kind);
    const legs = { international: 'A', domestic: 'B' };
    const both = label([], { labels: [ofLeg('A'), ofLeg('B', 'domestic')], request: legs });
    const id = await denied(journal, both);
    const again = await booked(journal, label(['A'], { request: { international: 'A' } }), 'unknown');
    await journal.recordOutcome(id, ended('unknown', RESET));
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id: again } });
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('B', 'domestic'))).toMatchObject({ booking: { id } });
  });

  test('of a pair whose key was booked again keeps the labels of its own shipments', async () => {
    const { journal } = await journalRig(kind);
    const dual = { key: 'P', operation: 'ship-dual', keySpace: 'shipment' } as const;
    const id = await denied(journal, ship(dual));
    await booked(journal, ship(dual), 'created', { ids: { international: 'I-2', domestic: 'D-2' } });
    const ids = { international: 'I-1', domestic: 'D-1' };
    const labels = { international: { made: true, trackingNumber: 'T-1' } };
    await journal.recordOutcome(id, ended('created', { ids, labels }));
    expect(await settle(journal, id, 'created', ids, { labels })).toEqual([]);
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('I-1'))).toMatchObject({ booking: { id } });
    expect(await kindOf(journal.claim(label(['I-1'])))).toBe('taken');
  });

  test('stops the claim that is not sent yet, if the order was booked several times in the meantime', async () => {
    const { journal } = await journalRig(kind);
    const id = await denied(journal, ship());
    const waiting = await claimed(journal, ship());
    await booked(journal, ship({ allowDuplicate: true }), 'created', { ids: S2 });
    await journal.recordOutcome(id, ended('created', { ids: S1 }));
    expect(await journal.byId(id)).toMatchObject({ state: 'unknown', keyHolder: waiting });
    await journal.recordOutcome(waiting, ended('not_sent', { code: 'unavailable' }));
    expect(await journal.byId(id)).toMatchObject({ state: 'unknown', keyHolder: null });
  });

  test('of a booking that the journal does not have any more rejects: it is not dropped', async () => {
    const { journal } = await journalRig(kind);
    await expect(journal.recordOutcome('bk_gone', ended('created'))).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('booking bk_gone is gone from it'),
    });
  });
});
