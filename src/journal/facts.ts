// The facts of a booking, as the table `facts` has them. The private part of a fact has its own column, so that it can be deleted alone.
import type { Fact } from '../booking/booking.ts';
import { type Db, raw, sql } from './database.ts';

/** The SQL of a booking's facts, as JSON. Most bookings have none: `has_facts` says so without a look into the table. */
export const FACTS = `CASE WHEN bookings.has_facts = 0 THEN '[]' ELSE (SELECT '[' || string_agg(
    '{"kind":"' || kind || '","at":' || facts.at || ',"said":' || said || ',"private":' || private || '}', ',' ORDER BY facts.number
  ) || ']' FROM facts WHERE facts.booking = bookings.id) END`;

/** What stays of the private part of a fact when its booking is pruned. */
const FORGOTTEN = '{}';

interface StoredFact {
  kind: Fact['kind'];
  at: number;
  said: object;
  private: object;
}

/** The facts in the JSON of `FACTS`. Throws if the text is no JSON. */
export const factsFrom = (text: string): Fact[] =>
  (JSON.parse(text) as StoredFact[]).map(({ kind, at, said, private: hidden }) => {
    const fact = { kind, at, ...said, ...hidden };
    return ('by' in fact ? { reason: null, ...fact } : fact) as Fact;
  });

export async function addFacts(db: Db, id: string, facts: readonly Fact[]): Promise<void> {
  for (const fact of facts) {
    const { kind, at, ...rest } = fact;
    const { reason, evidence, ...said } = rest as typeof rest & { reason?: string | null; evidence?: string };
    const hidden = { ...(reason && { reason }), ...(evidence !== undefined && { evidence }) };
    await db.run(sql`INSERT INTO facts (booking, at, kind, other, said, private)
      VALUES (${id}, ${at}, ${kind}, ${otherOf(fact)}, ${JSON.stringify(said)}, ${JSON.stringify(hidden)})`);
  }
}

/** The other booking that a fact names. */
function otherOf(fact: Fact): string | null {
  switch (fact.kind) {
    case 'confirmed':
      return fact.sameAs ?? null;
    case 'shipment of another':
      return fact.owner;
    case 'key returned':
    case 'disputed':
      return fact.from;
    default:
      return null;
  }
}

/** A condition for bookings with a fact whose private part was not deleted. */
export const HAS_PRIVATE_FACTS = raw(
  `has_facts = 1 AND EXISTS (SELECT 1 FROM facts WHERE facts.booking = bookings.id AND private <> '${FORGOTTEN}')`,
);

/** Deletes the private part of all facts of these bookings. */
export async function forgetFacts(db: Db, ids: readonly string[]): Promise<void> {
  await db.run(sql`UPDATE facts SET private = ${FORGOTTEN} WHERE ${db.isOneOf('booking', ids)}`);
}
