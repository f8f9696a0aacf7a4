// What may happen to bookings of one key, of one input and of one label, in any order: the machine alone, with the other bookings in
// memory. That both databases do the same is in test/torture/model.test.ts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Booking,
  HOLDING_STATES,
  type LegShipment,
  labelledBy,
  mayExist,
  type NewSettlement,
  NO_RESPONSE,
  NOTHING_MADE,
  type Outcome,
  settlementsOf,
  shipmentsIn,
} from '../../src/booking/booking.ts';
import {
  type Happening,
  isStep,
  MACHINE,
  type Situation,
  type Step,
  stepAfter,
} from '../../src/booking/machine.ts';
import { isDisputed, lastDecision } from '../../src/booking/standing.ts';
import { runs } from '../torture/size.ts';

const MINUTE = 60_000;
const LABEL = 'L-1';

const nameOf = ({ leg, shipment }: LegShipment): string => `${leg} ${shipment}`;

/** The bookings of a journal, and what each of them holds. */
class World {
  now = 1_000_000_000;
  readonly bookings: Booking[] = [];
  readonly shipments = new Map<string, string>();
  readonly labels = new Map<string, string>();

  byId = (id: string): Booking => this.bookings.find(booking => booking.id === id) as Booking;

  holderOfKey = (): Booking | undefined =>
    this.bookings.find(booking => booking.key === 'K' && booking.keyHolder === null && mayExist(booking));

  claim(operation: 'ship' | 'label'): void {
    const isHeld = operation === 'ship' ? this.holderOfKey() !== undefined : this.labels.size > 0;
    if (isHeld) return;
    const booking = newBooking(this.bookings.length, operation, this.now);
    this.bookings.push(booking);
    for (const label of labelledBy(booking)) this.labels.set(nameOf(label), booking.id);
  }

  /** What the journal would see. */
  seen(booking: Booking, happening: Happening): Situation {
    const named =
      happening.kind === 'answered'
        ? happening.outcome.ids
        : happening.kind === 'confirmed'
          ? (happening as NewSettlement).ids
          : happening.kind === 'reopened'
            ? (lastDecision(booking)?.before.ids ?? {})
            : {};
    const shipment = shipmentsIn(named).find(
      candidate => (this.shipments.get(nameOf(candidate)) ?? booking.id) !== booking.id,
    );
    const owner = shipment && this.byId(this.shipments.get(nameOf(shipment)) ?? '');
    const label = labelledBy(booking)[0];
    const holder = label === undefined ? this.holderOfKey() : this.byId(this.labels.get(nameOf(label)) ?? '');
    return {
      now: this.now,
      sentAt: booking.at,
      rival: holder?.id === booking.id ? undefined : holder,
      taken: shipment && owner && { shipment, owner },
    };
  }

  /** Gives what became of it; `undefined`: nothing did. */
  happens(id: string, happening: Happening): Step | undefined {
    const booking = this.byId(id);
    const result = stepAfter(booking, happening, this.seen(booking, happening));
    if (!isStep(result)) return undefined;
    this.write(result);
    return result;
  }

  private write(step: Step): void {
    const { id } = step.booking;
    const booking = { ...step.booking, facts: [...step.booking.facts, ...step.facts] };
    this.bookings[this.bookings.findIndex(before => before.id === id)] = booking;
    for (const shipment of step.shipmentsTaken) this.shipments.set(nameOf(shipment), id);
    for (const shipment of step.shipmentsFreed)
      if (this.shipments.get(nameOf(shipment)) === id) this.shipments.delete(nameOf(shipment));
    for (const [name, owner] of this.labels)
      if (owner === id && step.labelsFreed.some(leg => name.startsWith(leg))) this.labels.delete(name);
    for (const label of step.labelsClaimed)
      if (!this.labels.has(nameOf(label))) this.labels.set(nameOf(label), id);
    for (const label of step.labelsMade) this.labels.set(nameOf(label), id);
    const waiting = this.bookings.filter(({ keyHolder, state }) => keyHolder === id && mayExist({ state }));
    const heir = waiting.at(-1);
    if (step.returnsKey && heir)
      for (const disputed of waiting)
        this.happens(disputed.id, { kind: 'key returned', from: id, to: heir.id });
  }
}

function newBooking(number: number, operation: 'ship' | 'label', at: number): Booking {
  const isLabel = operation === 'label';
  return {
    id: `bk_${number}`,
    ...{ address: 'https://a.example', account: '', operation, keySpace: isLabel ? 'label' : 'shipment' },
    ...{ key: isLabel ? null : 'K', fingerprint: 'f', orderFingerprint: null, source: null },
    ...{ orderNumber: null, recordName: null, profile: null, sandbox: false, run: null, actor: null },
    ...{
      maxPrice: null,
      rule: null,
      choice: null,
      expected: null,
      at,
      settledAt: null,
      state: 'pending',
      code: null,
      why: '',
    },
    ...NO_RESPONSE,
    ...{ version: 0, facts: [], keyHolder: null, files: {}, milestones: {} },
    ...{ handover: null, toAmazon: null, toWoocommerce: null, toCsv: null },
    holder: { host: 'here', process: 1, start: '1' },
    request: isLabel ? { international: LABEL } : {},
  };
}

// What may happen.

type Act = (world: World) => void;

const outcomeOf = (state: Outcome['state'], shipment: string): Outcome => ({
  ...NO_RESPONSE,
  state,
  code: state === 'created' ? null : state === 'unknown' ? 'outcome_unknown' : 'rejected',
  why: '',
  answer: `{"id":"${shipment}"}`,
  ids: state === 'created' || state === 'partial' ? { shipment } : {},
});

/** The answer to a label names no shipment. */
const answerTo = (booking: Booking, state: Outcome['state'], shipment: string): Outcome => {
  const outcome = outcomeOf(state, shipment);
  if (booking.operation !== 'label') return outcome;
  const labels = state === 'created' ? { international: { made: true } } : {};
  return { ...outcome, ids: {}, labels };
};

const saying = (booking: Booking, kind: NewSettlement['kind'], shipment: string): NewSettlement => {
  const isLabel = booking.operation === 'label';
  const ids = isLabel ? { international: LABEL } : { shipment };
  const labels = isLabel ? { international: { made: true } } : {};
  return {
    ...{ id: booking.id, kind, by: 'anna', reason: 'she asked', run: null, mayBeEarly: true },
    ...NOTHING_MADE,
    ...(kind === 'confirmed' && { ids, labels }),
  };
};

const nth = fc.nat({ max: 5 });
const SHIPMENTS = ['S-1', 'S-2', 'S-3'];
const onOne =
  (pick: number, act: (world: World, booking: Booking) => void): Act =>
  world => {
    const booking = world.bookings[pick % Math.max(world.bookings.length, 1)];
    if (booking) act(world, booking);
  };

const acts = fc.oneof(
  fc.constantFrom<'ship' | 'label'>('ship', 'ship', 'label').map(
    (operation): Act =>
      world =>
        world.claim(operation),
  ),
  fc
    .tuple(
      nth,
      fc.constantFrom<Outcome['state']>('created', 'partial', 'rejected', 'not_sent', 'unknown'),
      fc.constantFrom(...SHIPMENTS),
    )
    .map(([pick, state, shipment]) =>
      onOne(pick, (world, booking) =>
        world.happens(booking.id, { kind: 'answered', outcome: answerTo(booking, state, shipment) }),
      ),
    ),
  nth.map(pick => onOne(pick, (world, { id }) => world.happens(id, { kind: 'lost', why: 'it is gone' }))),
  fc
    .tuple(
      nth,
      fc.constantFrom<NewSettlement['kind']>(
        'confirmed',
        'denied',
        'denied',
        'reopened',
        'cancelled',
        'accepted',
      ),
      fc.constantFrom(...SHIPMENTS),
    )
    .map(([pick, kind, shipment]) =>
      onOne(pick, (world, booking) => world.happens(booking.id, saying(booking, kind, shipment))),
    ),
);

/** Runs each sequence, and holds every moment of it against `check`. */
const inEverySequence = (check: (world: World, before: readonly Booking[]) => void) =>
  fc.assert(
    fc.property(fc.array(acts, { maxLength: 40, size: 'max' }), sequence => {
      const world = new World();
      for (const act of sequence) {
        const before = [...world.bookings];
        world.now += MINUTE;
        act(world);
        check(world, before);
      }
    }),
    runs(2000),
  );

describe('In every sequence of what may happen', () => {
  test('a key has one booking, and a label, too', () => {
    inEverySequence(world => {
      const holding = world.bookings.filter(
        ({ key, keyHolder, state }) => key !== null && keyHolder === null && HOLDING_STATES.includes(state),
      );
      expect(holding.length).toBeLessThanOrEqual(1);
      for (const owner of world.labels.values()) {
        expect(mayExist(world.byId(owner))).toBe(true);
      }
    });
  });

  test('a key that an answer freed after a person was asked again has one booking, too, if a second answer comes', () => {
    const world = new World();
    const happens = (happening: (booking: Booking) => Happening) =>
      world.happens('bk_0', happening(world.byId('bk_0')));
    const answers = (state: Outcome['state']) =>
      happens(booking => ({ kind: 'answered', outcome: answerTo(booking, state, 'S-1') }));
    world.claim('ship');
    happens(() => ({ kind: 'lost', why: 'it is gone' }));
    happens(booking => saying(booking, 'confirmed', 'S-2'));
    happens(booking => saying(booking, 'reopened', 'S-2'));
    answers('rejected');
    world.claim('ship');
    expect(answers('created')).toMatchObject({ booking: { keyHolder: 'bk_1' }, disputes: 'bk_1' });
    expect(world.bookings.map(booking => [booking.state, isDisputed(booking)])).toEqual([
      ['unknown', true],
      ['pending', false],
    ]);
  });

  test('who is disputed names a booking that has its key, so that nobody books it meanwhile', () => {
    inEverySequence(world => {
      for (const booking of world.bookings.filter(
        ({ keyHolder, state }) => keyHolder !== null && mayExist({ state }),
      )) {
        const holder = world.byId(booking.keyHolder ?? '');
        expect([mayExist(holder), holder.keyHolder]).toEqual([true, null]);
      }
    });
  });

  test('a shipment has one order, and each shipment that an order has is its own', () => {
    inEverySequence(world => {
      for (const [name, owner] of world.shipments) {
        const { state, ids } = world.byId(owner);
        expect(shipmentsIn(ids).map(nameOf)).toContain(name);
        expect(mayExist({ state })).toBe(true);
      }
    });
  });

  test('nothing that a person or the service said is lost: facts are added, and none is changed', () => {
    inEverySequence((world, before) => {
      for (const earlier of before) {
        const now = world.byId(earlier.id);
        expect(now.facts.slice(0, earlier.facts.length)).toEqual(earlier.facts);
        if (now.state !== earlier.state || now.keyHolder !== earlier.keyHolder)
          expect(now.version).toBeGreaterThan(earlier.version);
        // A person's word replaces nothing that the service said.
        if (settlementsOf(now).length > settlementsOf(earlier).length)
          expect([now.answer, now.httpStatus, now.why]).toEqual([
            earlier.answer,
            earlier.httpStatus,
            earlier.why,
          ]);
      }
    });
  });

  test('what is written is what the table says', () => {
    inEverySequence((world, before) => {
      const stateOf = (booking: Booking) => (isDisputed(booking) ? 'disputed' : booking.state);
      for (const earlier of before) {
        const [from, to] = [stateOf(earlier), stateOf(world.byId(earlier.id))];
        const isInTable = MACHINE.some(
          row => (row.from as readonly string[]).includes(from) && (row.to as readonly string[]).includes(to),
        );
        expect(from === to || isInTable, `${from} became ${to}`).toBe(true);
      }
    });
  });
});
