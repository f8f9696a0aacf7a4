// What a profile keeps of parties and packages, to be picked before anything is typed.
import type { Schema } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import type { PartyRole } from '../contract/parties.ts';
import { findCountries } from '../request/countries.ts';
import { fitParty } from '../request/party.ts';
import { type Parcel, parsePackage } from '../request/specs.ts';
import type { Session } from '../session/session.ts';
import type { CustomQuestion } from './engine/form.ts';
import { partyWords } from './review-lines.ts';

const TYPED = '';

type FindQuestion = (path: string) => Promise<CustomQuestion | undefined>;

/** Somebody whom the profile keeps, or else to be typed. */
export const savedPartyQuestion =
  (session: Session, schema: Schema, role: PartyRole): FindQuestion =>
  async () => {
    const widest = OPERATIONS.createDualShipment.body ?? schema;
    const parties = Object.entries(session.target().profile.parties ?? {}).map(
      ([name, party]) => [name, fitParty(schema, widest, role, party).party] as const,
    );
    if (parties.length === 0) return undefined;
    return {
      question: {
        kind: 'choice',
        id: role,
        message: `The ${role}`,
        choices: [
          ...parties.map(([name, party]) => ({ value: name, name: `@${name}  ${partyWords(party)}` })),
          { value: TYPED, name: 'Somebody else, to be typed' },
        ],
      },
      parse: answer => parties.find(([name]) => name === answer)?.[1],
    };
  };

/** A package that the profile keeps, or else to be typed. */
export const savedParcelQuestion =
  (session: Session, shape: (parcel: Parcel) => unknown): FindQuestion =>
  async path => {
    const presets = Object.entries(session.target().profile.parcels ?? {});
    if (presets.length === 0) return undefined;
    return {
      question: {
        kind: 'choice',
        id: path,
        message: 'Package',
        choices: [
          ...presets.map(([name, spec]) => ({ value: spec, name: `@${name}  ${spec}` })),
          { value: TYPED, name: 'Another one, to be typed' },
        ],
      },
      parse: answer => (answer === TYPED ? undefined : shape(parsePackage(answer))),
    };
  };

/** The document leaves the country of origin open; a person is better served by the list of countries. */
export const originCountryQuestion: FindQuestion = async path => ({
  question: {
    kind: 'search',
    id: path,
    message: `Item ${Number(/\d+/.exec(path)?.[0] ?? 0) + 1}: Country where the goods were made`,
    find: async term =>
      (await findCountries(term)).map(({ code, name }) => ({ value: code, name: `${name} (${code})` })),
  },
  parse: answer => answer,
});
