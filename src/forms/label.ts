// The questions of `label` that names no shipment: which of the shipments that were booked here without a label, or the id of another.

import { bodyOf, LEGS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { isRequired } from '../host/question.ts';
import { bookingWords } from '../order/question.ts';
import { targetWords } from '../profile/target.ts';
import type { Session } from '../session/session.ts';
import { messageOf } from '../system-errors.ts';
import type { MakeForm } from './form.ts';

/** How many orders without a label are listed, at most. */
const LISTED = 20;

/** The bookings that a person picks for labels; `before` are ticked at first. `undefined`: none is picked, or each has its label. */
export async function pickUnlabelled(
  session: Session & Pick<Session, 'ask'>,
  before: readonly { ref: string }[] = [],
): Promise<{ ref: string }[] | undefined> {
  const journal = await session.openJournal('look');
  const orders = (await journal?.orders({ unlabelled: true, scope: session.scope(), limit: LISTED })) ?? [];
  const choices = orders.map(({ booking }) => ({ value: booking.id, name: bookingWords(booking) }));
  if (choices.length === 0) return undefined;
  const answer = await session.ask({
    kind: 'several',
    id: 'labels',
    message: 'Labels of which shipments? (none: another one, by its id)',
    choices,
    picked: before.map(({ ref }) => ref),
    esc: 'leave',
  });
  const picked = (answer ?? '').split(',').filter(Boolean);
  return picked.length === 0 ? undefined : picked.map(ref => ({ ref }));
}

/** Asks for the name of the PDF in which all labels are saved. `refuse`: throws if that file cannot be used. */
export async function askForMerge(
  session: Pick<Session, 'ask'>,
  refuse: (name: string) => unknown,
): Promise<string | undefined> {
  const answer = await session.ask({
    kind: 'text',
    id: 'merge',
    message: 'Save them as one PDF',
    defaultAnswer: 'labels.pdf',
    check(name) {
      try {
        refuse(name.trim());
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  });
  return answer?.trim();
}

export const labelForm: MakeForm = (session, parts) => ({
  schema: bodyOf(parts.operation),
  fields: { international: {}, domestic: {} },
  groupNames: {},
  customQuestions: {
    '': async () => ({
      question: {
        kind: 'text',
        id: 'international',
        message: 'International shipment id',
        hint: 'For a domestic one: --domestic ID',
        check: isRequired,
      },
      parse: answer => ({ international: answer.trim() }),
    }),
  },
  review: async body => ({
    summary: [`A label is a booking, at ${targetWords(session.target())}`],
    lines: LEGS.map(leg => ({
      label: leg === 'international' ? 'International' : 'Domestic',
      path: leg,
      text: textAt(body, [leg]) ?? 'none',
      problem: LEGS.every(name => textAt(body, [name]) === undefined) ? 'one id is needed' : undefined,
    })),
    submitLabel: 'Make the label',
  }),
});
