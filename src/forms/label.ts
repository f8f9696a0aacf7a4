// The form of `label`: which of the shipments that were booked on this machine.
import { bodyOf, LEGS } from '../contract/operation.ts';
import { textAt } from '../contract/paths.ts';
import { type Booking, isAt } from '../journal/booking.ts';
import { labelBody } from '../order/find.ts';
import { isRequired } from '../prompts/question.ts';
import { placeOf } from '../session/address.ts';
import type { Session } from '../session/session.ts';
import type { CustomQuestion } from './engine/form.ts';
import type { MakeForm } from './run.ts';
import { bookingWords } from './words.ts';

const MAX_SHIPMENTS = 20;
const OTHER = '';

export const labelForm: MakeForm = (session, { operation }) => ({
  schema: bodyOf(operation),
  fields: { international: {}, domestic: {} },
  groupNames: {},
  customQuestions: { '': async () => shipmentQuestion(session) },
  review: async body => ({
    summary: [`A label is a booking, at ${placeOf(session.target())}`],
    lines: LEGS.map(leg => ({
      label: leg === 'international' ? 'International' : 'Domestic',
      path: leg,
      text: textAt(body, [leg]) ?? 'none',
      problem: LEGS.every(other => textAt(body, [other]) === undefined) ? 'one id is needed' : undefined,
    })),
    submitLabel: 'Make the label',
  }),
});

async function shipmentQuestion(session: Session): Promise<CustomQuestion> {
  const bookings = await newestShipments(session);
  if (bookings.length === 0)
    return {
      question: {
        kind: 'text',
        id: 'international',
        message: 'International shipment id',
        hint: 'No shipment was booked here yet. For a domestic one: --domestic ID',
        check: isRequired,
      },
      parse: answer => ({ international: answer.trim() }),
    };
  return {
    question: {
      kind: 'choice',
      id: 'shipment',
      message: 'Which shipment?',
      choices: [
        ...bookings.map(booking => ({ value: booking.id, name: bookingWords(booking) })),
        { value: OTHER, name: 'Another one, by its id' },
      ],
    },
    parse(answer) {
      const picked = bookings.find(({ id }) => id === answer);
      return picked && labelBody(picked.ids);
    },
  };
}

/** Those of this account. */
async function newestShipments(session: Session): Promise<Booking[]> {
  const journal = await session.openJournal('look');
  const all = (await journal?.list({ states: ['created', 'partial'], limit: 10 * MAX_SHIPMENTS })) ?? [];
  return (
    all
      .filter(booking => isAt(session.scope(), booking))
      // A booking of labels or of a subscription has no shipment.
      .filter(({ ids }) => Object.keys(labelBody(ids)).length > 0)
      .slice(0, MAX_SHIPMENTS)
  );
}
