import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import type { Act } from '../../session/command.ts';
import { openSession, type Session } from '../../session/session.ts';

// No service gives this id to a shipment: a "not found" proves that address and credentials work.
const NO_SHIPMENT = 'waybill-profile-test-0';

export const define = (command: Command, act: Act): Command => command.action(act<object>(test));

async function test(session: Session, _: object, name?: string): Promise<void> {
  const tested =
    name === undefined ? session : openSession(session.host, { ...session.globals, profile: name });
  try {
    await tested.printer.result(await testAccess(tested), { essential: () => ['ok'], table: accessWords });
  } finally {
    if (tested !== session) await tested.close();
  }
}

/** Reads a shipment that does not exist; `ms` is how long it took. Throws if address or credentials do not work. */
export async function testAccess(session: Session) {
  const started = session.host.now();
  try {
    await session.read(OPERATIONS.getShipment, { parameters: { shipmentId: NO_SHIPMENT } });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
  }
  return { ok: true, address: session.address(), ms: session.host.now() - started };
}

export const accessWords = ({ address, ms }: { address: string; ms: number }): string =>
  `ok: ${address} accepts the credentials (${ms} ms)`;
