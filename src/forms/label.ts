// Questions of `label` without a shipment: one of those that were booked here and have no label yet, or one by its id.

import { bodyOf, LEGS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { isRequired } from '../host/question.ts';
import { bookingWords } from '../order/question.ts';
import { targetWords } from '../profile/target.ts';
import type { Session } from '../session/session.ts';
import { messageOf } from '../system-errors.ts';
import type { MakeForm } from './form.ts';

/** How many orders are listed. */
const LISTED = 20;

/** The bookings that a person picks to be labelled; `before` are ticked. `undefined`: the form asks for another shipment, or there is none. */
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

/** Where the labels go, if the command does not say it: one PDF. `refuse`: throws if it cannot be that file. */
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
