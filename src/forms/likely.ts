// The countries that a form offers first: where this profile sends from, and where the last order went.
import { textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { isAt } from '../journal/booking.ts';
import type { Session } from '../session/session.ts';

const COUNTRY = 'address.country.code';
const FROM = [`sender.${COUNTRY}`, 'originCountry', 'data.countryFrom'];
const TO = [`receiver.${COUNTRY}`, 'destinationCountry', 'data.countryTo'];
const LOOKED_AT = 20;

/** By the path of the question. */
export async function likelyCountries(session: Session): Promise<ReadonlyMap<string, string>> {
  const from = textAt(session.target().profile.sender, COUNTRY);
  const to = await lastReceiverCountry(session);
  return new Map([
    ...(from === undefined ? [] : FROM.map((path): [string, string] => [path, from])),
    ...(to === undefined ? [] : TO.map((path): [string, string] => [path, to])),
  ]);
}

async function lastReceiverCountry(session: Session): Promise<string | undefined> {
  try {
    const journal = await session.openJournal('look');
    const newest = (await journal?.list({ states: ['created', 'partial'], limit: LOOKED_AT })) ?? [];
    return newest
      .filter(booking => isAt(session.scope(), booking))
      .map(({ request }) => textAt(request, `receiver.${COUNTRY}`))
      .find(country => country !== undefined);
  } catch (error) {
    // A form that books nothing needs no journal, and one that books is refused for it later.
    if (error instanceof Failure && error.code === 'storage') return undefined;
    throw error;
  }
}
