// The form of a saved party.

import { fieldsOf, type Issue } from '../contract/shapes.ts';
import { savedParty } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import { messageWords } from '../say/person.ts';
import type { Session } from '../session/session.ts';
import { fillForm } from './fill.ts';
import { doubtsIn, enteredIn, fieldLabel } from './form.ts';
import { PARTY } from './ship.ts';

const ASKED_FORM = { schema: savedParty, fields: PARTY, groupNames: {} };

/** The fields of a saved party. The review shows those of `PARTY` first, in the order in which a person thinks of them. */
const FIELDS = fieldsOf(savedParty).filter(({ kind }) => kind !== 'object');
const REVIEW_LINES = [...new Set([...Object.keys(PARTY), ...FIELDS.map(({ pattern }) => pattern)])].map(
  path => ({
    path,
    label: fieldLabel(ASKED_FORM, path, {}),
  }),
);

/** Asks for what is missing, and lets the person change any field. Throws `interrupted` if nothing is to be saved. */
export async function askForParty(
  session: Pick<Session, 'ask'>,
  name: string,
  start: unknown,
  validate: (party: unknown) => Issue[],
): Promise<unknown> {
  const context = {
    form: {
      ...ASKED_FORM,
      review: async (party: unknown) => ({
        summary: [],
        warnings: doubtsIn(savedParty, party).map(messageWords),
        lines: REVIEW_LINES,
        submitLabel: `Save it as @${name}`,
        otherChoices: [{ value: 'discard', name: 'Leave, and save nothing' } as const],
      }),
    },
    defaults: {},
    validate,
    mayAsk: () => true,
    ask: session.ask,
    // A party is short: no draft of it is kept.
    keep() {},
  };
  const { entered, decision } = await fillForm(context, enteredIn(start));
  if (decision !== 'submit') throw new Failure('interrupted', `the party ${name}: nothing was saved`);
  return entered.body;
}
