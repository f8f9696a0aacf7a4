// What `label` asks for: which of the shipments that were booked here.

import { bodyOf, LEGS } from '../contract/operation.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Booking } from '../journal/journal.ts';
import { placeOf } from '../session/address.ts';
import type { Session } from '../session/session.ts';
import type { CustomQuestion } from './engine/form.ts';
import type { MakeInterview } from './interview.ts';

const MAX_SHIPMENTS = 20;
const TYPED = '';

export const labelInterview: MakeInterview = (session, { operation, dryRun }) => ({
  form: {
    operation,
    schema: bodyOf(operation),
    order: ['international', 'domestic'],
    alwaysAsk: [],
    derived: [],
    groupNames: {},
    customQuestions: { '': async () => shipmentQuestion(session) },
    async review(body) {
      return {
        summary: [`A label is a booking, at ${placeOf(session.target())}`],
        lines: LEGS.map(leg => ({
          label: leg === 'international' ? 'International' : 'Domestic',
          path: leg,
          text: textAt(body, [leg]) ?? 'none',
          ...(LEGS.every(other => textAt(body, [other]) === undefined) && { problem: 'one id is needed' }),
        })),
        submitLabel: dryRun ? 'Show the request' : 'Make the label',
      };
    },
  },
});

/** One of the newest shipments of this account. */
async function shipmentQuestion(session: Session): Promise<CustomQuestion> {
  const booked = await newestShipments(session);
  if (booked.length === 0)
    return {
      question: {
        kind: 'text',
        id: 'international',
        message: 'International shipment id',
        hint: 'No shipment was booked here yet. For a domestic one: --domestic ID',
        check: text => (text.trim() === '' ? 'It is required' : undefined),
      },
      parse: answer => ({ international: answer.trim() }),
    };
  return {
    question: {
      kind: 'choice',
      id: 'shipment',
      message: 'Which shipment?',
      choices: [
        ...booked.map(booking => ({ value: booking.id, name: describe(booking) })),
        { value: TYPED, name: 'Another one, by its id' },
      ],
    },
    parse: answer => legsOf(booked.find(({ id }) => id === answer)),
  };
}

async function newestShipments(session: Session): Promise<Booking[]> {
  const journal = await session.journalIfThere();
  const { address, account } = session.scope();
  const all = (await journal?.list({ states: ['created', 'partial'], limit: 10 * MAX_SHIPMENTS })) ?? [];
  return all
    .filter(booking => booking.address === address && booking.account === account && legsOf(booking))
    .slice(0, MAX_SHIPMENTS);
}

/** The shipments of a booking as the body of a label request names them; a label made none. */
function legsOf(booking: Booking | undefined): Record<string, string> | undefined {
  const { shipment, international, domestic } = booking?.ids ?? {};
  const first = international ?? shipment;
  if (first === undefined && domestic === undefined) return undefined;
  return {
    ...(first !== undefined && { international: first }),
    ...(domestic !== undefined && { domestic }),
  };
}

/** `2026-03-02 09:00  ORDER-1  shp_1 and shp_2  to Jonas Weber, Dresden` */
function describe({ at, key, ids, request }: Booking): string {
  const [name, city] = [['firstName', 'lastName'], ['address.city']].map(paths =>
    paths
      .map(path => textAt(getAt(request, ['receiver']), path))
      .filter(Boolean)
      .join(' '),
  );
  const receiver = [name, city].filter(Boolean).join(', ');
  return [
    new Date(at).toISOString().slice(0, 16).replace('T', ' '),
    key,
    Object.values(ids).join(' and '),
    receiver && `to ${receiver}`,
  ]
    .filter(Boolean)
    .join('  ');
}
