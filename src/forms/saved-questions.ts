// Questions that offer the saved parties and parcels of the profile before anything is typed.
import type { Schema } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import type { PartyRole } from '../contract/parties.ts';
import { fitParty } from '../request/party.ts';
import { type Parcel, parsePackage } from '../request/specs.ts';
import type { Session } from '../session/session.ts';
import type { CustomQuestion, Form } from './engine/form.ts';
import { countryChoices } from './engine/questions.ts';
import { partyWords } from './words.ts';

type FindQuestion = NonNullable<Form['customQuestions']>[string];

const TYPED = '';

/** Which of these, or none of them; `undefined` if there are none. */
function savedQuestion(
  id: string,
  message: string,
  saved: readonly { name: string; text: string; value(): unknown }[],
): CustomQuestion | undefined {
  if (saved.length === 0) return undefined;
  return {
    question: {
      kind: 'choice',
      id,
      message,
      choices: [
        ...saved.map(({ name, text }) => ({ value: name, name: `@${name}  ${text}` })),
        { value: TYPED, name: 'None of these: type a new one' },
      ],
    },
    parse: answer => saved.find(({ name }) => name === answer)?.value(),
  };
}

export const savedPartyQuestion =
  (session: Session, schema: Schema, role: PartyRole): FindQuestion =>
  async () => {
    const widest = OPERATIONS.createDualShipment.body ?? schema;
    const saved = Object.entries(session.target().profile.parties ?? {}).map(([name, saved]) => {
      const { party } = fitParty(schema, widest, role, saved);
      return { name, text: partyWords(party), value: () => party };
    });
    return savedQuestion(role, `The ${role}`, saved);
  };

export const savedPackageQuestion =
  (session: Session, shape: (parcel: Parcel) => unknown): FindQuestion =>
  async path => {
    const saved = Object.entries(session.target().profile.parcels ?? {}).map(([name, spec]) => ({
      name,
      text: spec,
      value: () => shape(parsePackage(spec)),
    }));
    return savedQuestion(path, 'Package', saved);
  };

/** The service document allows any text as the country of origin; the list of countries is easier to answer. */
export const originCountryQuestion: FindQuestion = async path => ({
  question: {
    kind: 'search',
    id: path,
    message: `Item ${Number(/\d+/.exec(path)?.[0] ?? 0) + 1}: Country where the goods were made`,
    find: countryChoices,
  },
  parse: answer => answer,
});
