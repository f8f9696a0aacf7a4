// The form of a saved party.

import { bodyOf, OPERATIONS } from '../contract/operations.ts';
import { fieldsOf, type Issue } from '../contract/shapes.ts';
import { savedParty } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import { doubtsIn, valueChecks } from './doubts.ts';
import { fill } from './fill.ts';
import { type Desk, enteredIn, type Form, fieldLabel } from './form.ts';
import { PARTY } from './ship.ts';

const ASKED = { schema: savedParty, fields: PARTY, groupNames: {} };

/** The fields in the order in which a person thinks of them. */
const LINES = fieldsOf(savedParty)
  .filter(({ kind }) => kind !== 'object')
  .map(({ pattern }) => ({
    path: pattern,
    label: fieldLabel(ASKED, pattern, {}),
  }))
  .sort((one, other) => rank(one.path) - rank(other.path));

function rank(path: string): number {
  const order = Object.keys(PARTY);
  const at = order.indexOf(path);
  return at < 0 ? order.length : at;
}

const formOf = (name: string): Form => ({
  ...ASKED,
  review: async party => ({
    summary: [],
    warnings: warningsAbout(party),
    lines: LINES,
    submitLabel: `Save it as @${name}`,
    otherChoices: [{ value: 'discard', name: 'Leave, and save nothing' }],
  }),
});

/** What is doubtful about a party. The warnings of a request are about a role. */
const warningsAbout = (party: unknown): string[] =>
  doubtsIn(bodyOf(OPERATIONS.createDualShipment), { receiver: party }).map(warning =>
    warning.replace(/^receiver(\.| )/, (_, end) => (end === '.' ? '' : 'The party ')),
  );

/** Asks for what is missing, and lets the person change any field. Throws `interrupted` if nothing is to be saved. */
export async function askForParty(
  desk: Pick<Desk, 'ask'>,
  name: string,
  start: unknown,
  validate: (party: unknown) => Issue[],
): Promise<unknown> {
  const context = {
    form: formOf(name),
    defaults: {},
    checks: valueChecks(savedParty),
    validate,
    ask: desk.ask,
    // A party is short: no draft of it is kept.
    keep() {},
  };
  const { entered, decision } = await fill(context, enteredIn(start));
  if (decision !== 'submit') throw new Failure('interrupted', `the party ${name}: nothing was saved`);
  return entered.body;
}
