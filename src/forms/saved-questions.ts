// Questions that offer the saved parties and parcels of the profile before anything is typed.
import type { Schema } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import type { PartyRole } from '../contract/parties.ts';
import { folded } from '../journal/words.ts';
import { fitParty } from '../order/build.ts';
import { type Parcel, parsePackage } from '../order/specs.ts';
import type { Session } from '../session/session.ts';
import type { Form } from './engine/form.ts';
import { partyWords } from './words.ts';

type FindQuestion = NonNullable<Form['customQuestions']>[string];

const TYPED = '';

/** More are searched, and not listed. */
const MOST_LISTED = 8;

/** Is every typed word the beginning of a word of the choice, without case and accents? */
export const isMeant = (name: string, term: string): boolean => {
  const words = folded(name).split(/[^\p{Letter}\p{Number}]+/u);
  return folded(term)
    .split(/[^\p{Letter}\p{Number}]+/u)
    .every(one => words.some(word => word.startsWith(one)));
};

/** Which of the saved ones, or none of them; no question if there are none. `text` and `value` are those of one. */
const savedQuestion =
  <T>(
    message: string,
    saved: Readonly<Record<string, T>> = {},
    text: (one: T) => string,
    value: (one: T) => unknown,
  ): FindQuestion =>
  async id => {
    const choices = Object.entries(saved).map(([name, one]) => ({
      value: name,
      name: `@${name}  ${text(one)}`,
    }));
    if (choices.length === 0) return undefined;
    const typed = { value: TYPED, name: 'None of these: type a new one' };
    const find = async (term: string) => [...choices.filter(choice => isMeant(choice.name, term)), typed];
    return {
      question:
        choices.length > MOST_LISTED
          ? { kind: 'search', id, message, find }
          : { kind: 'choice', id, message, choices: [...choices, typed] },
      parse: answer => (answer === TYPED ? undefined : value(saved[answer] as T)),
    };
  };

export function savedPartyQuestion(session: Session, schema: Schema, role: PartyRole): FindQuestion {
  const widest = OPERATIONS.createDualShipment.body ?? schema;
  const adapted = (saved: unknown) => fitParty(schema, widest, role, saved).party;
  const { parties } = session.target().profile;
  return savedQuestion(`The ${role}`, parties, saved => partyWords(adapted(saved)), adapted);
}

export const savedPackageQuestion = (session: Session, shape: (parcel: Parcel) => unknown): FindQuestion =>
  savedQuestion(
    'Package',
    session.target().profile.parcels,
    spec => spec,
    spec => shape(parsePackage(spec)),
  );
