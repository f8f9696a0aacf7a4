import type { Command } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { anyTable } from '../output/table.ts';
import type { Act } from './act.ts';
import { openSession, type Session } from './session.ts';

// No service gives this id to a shipment: being told so proves that address and credentials work.
const IMPROBABLE = 'waybill-profile-test-0';

export function defineTest(command: Command, act: Act): void {
  command.argument('[name]', 'else the current one').action(act<object>(test));
}

export function defineWhoami(command: Command, act: Act): void {
  command.action(act<object>(whoami));
}

async function test(session: Session, _: object, name?: string): Promise<void> {
  if (name === undefined) return probe(session);
  const named = openSession(session.host, { ...session.globals, profile: name });
  try {
    await probe(named);
  } finally {
    await named.close();
  }
}

async function probe(session: Session): Promise<void> {
  await session.printer.result(await prove(session), { essential: () => ['ok'], table: wordsOf });
}

export interface Proof {
  ok: true;
  address: string;
  /** How long it took. */
  ms: number;
}

/** Reads a shipment that is not there. Throws the Failure of an address or of credentials that do not work. */
export async function prove(session: Session): Promise<Proof> {
  const started = session.host.now();
  try {
    await session.read(OPERATIONS.getShipment, { parameters: { shipmentId: IMPROBABLE } });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
  }
  return { ok: true, address: session.address(), ms: session.host.now() - started };
}

export const wordsOf = ({ address, ms }: Proof): string => `ok: ${address} takes the credentials (${ms} ms)`;

/** Without network: what would be used, and why. */
async function whoami(session: Session): Promise<void> {
  const { name, profile, from, sandbox, sources } = session.target();
  const about = {
    profile: name ?? null,
    profileFrom: sources.profile,
    address: from === 'nowhere' ? null : session.address(),
    addressFrom: sources.address,
    sandbox,
    credentialsFrom: sources.credentials,
    account: profile.account ?? null,
  };
  await session.printer.result(about, {
    essential: body => [body.profile ?? body.address ?? ''],
    table: (body, look) => anyTable(look, body),
  });
}
