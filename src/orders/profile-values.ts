// What a profile contributes to a body: its parties and its defaults.
import { fieldsOf, hasField } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { PARTIES, type PartyRole } from '../contract/parties.ts';
import { parsePath, setAt } from '../contract/paths.ts';
import { fitParty } from '../request/layers.ts';
import { readObject } from '../session/input-files.ts';
import { findSaved } from '../session/saved.ts';
import type { Session } from '../session/session.ts';

/** The values of the profile that this body has a field for. A party in `overridden` is given whole elsewhere. */
export async function profileValues(
  session: Session,
  schema: Schema,
  overridden: ReadonlySet<string>,
): Promise<unknown> {
  const { profile } = session.target();
  let body: unknown = {};
  for (const role of PARTIES)
    if (hasField(schema, role) && profile[role] !== undefined && !overridden.has(role))
      body = setAt(body, [role], await fitted(session, schema, role, profile[role]));
  for (const { pattern, setting } of fieldsOf(schema))
    if (setting !== undefined && profile[setting] !== undefined)
      body = setAt(body, parsePath(pattern) ?? [], profile[setting]);
  return body;
}

/** The party for a `REF`: a JSON file, or `@name` of one that the profile has saved. */
export async function partyOf(
  session: Session,
  schema: Schema,
  role: PartyRole,
  ref: string,
): Promise<unknown> {
  if (!ref.startsWith('@')) return readObject(ref, session.host);
  const party = findSaved(session.target(), 'parties', ref.slice(1), `--${role} ${ref}: `);
  return fitted(session, schema, role, party);
}

async function fitted(session: Session, schema: Schema, role: PartyRole, saved: unknown): Promise<unknown> {
  const widest = OPERATIONS.createDualShipment.body ?? schema;
  const { party, dropped } = fitParty(schema, widest, role, saved);
  if (dropped.length > 0)
    await session.printer.note(
      `left out of the saved party, because only dual shipments have it: ${dropped.join(', ')}`,
    );
  return party;
}
