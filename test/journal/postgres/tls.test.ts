// The server of a shared journal must prove its identity before it receives anything: the relay of these tests has a
// self-signed certificate.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { PostgresSettings } from '../../../src/journal/postgres/connection.ts';
import { openPostgres } from '../../../src/journal/postgres/database.ts';
import { certificate } from '../../rig/certificates.ts';
import { settingsFor, sharedHost } from '../../rig/journal.ts';
import { describeShared, relayTo, sharedPlace } from '../../rig/postgres.ts';
import { temporaryFolder } from '../../rig/profile.ts';

const PASSWORD = 'hunter2';
const OWN = { host: 'here', process: 1, start: '1' };

/** A relay with a certificate for 127.0.0.1 that asks for a password, and the file of that certificate. */
async function encrypted(parameters: Record<string, string> = {}, hostname = '127.0.0.1') {
  const relay = await relayTo((await sharedPlace()).address, {
    password: PASSWORD,
    certificate,
  });
  const folder = temporaryFolder();
  const file = join(folder, 'cert.pem');
  writeFileSync(file, certificate.cert);
  const url = new URL(relay.address);
  url.hostname = hostname;
  url.password = PASSWORD;
  for (const [name, value] of Object.entries(parameters))
    url.searchParams.set(name, value.replace('FILE', file));
  return { relay, settings: settingsFor(url.href) };
}

const open = async (settings: PostgresSettings) =>
  (await openPostgres(settings, { own: OWN, isAlive: () => undefined }, sharedHost())).close();

describeShared('A connection to a shared journal', () => {
  test.each([
    ['that sslmode=verify-full asks for', { sslmode: 'verify-full', sslrootcert: 'FILE' }],
    ['whose authority is named', { sslrootcert: 'FILE' }],
  ])('%s is encrypted, with a server that can be verified', async (_, parameters) => {
    const { relay, settings } = await encrypted(parameters);
    await open(settings);
    expect(new Set(relay.heard)).toEqual(new Set(['encrypted']));
  });

  test.each([
    ['with a self-signed certificate', { sslmode: 'verify-full' }, '127.0.0.1', /self-signed/],
    ['with a certificate of another name', { sslrootcert: 'FILE' }, 'localhost', /does not match/],
  ])('to a server %s is refused before it receives anything', async (_, parameters, hostname, why) => {
    // Some machines have this variable set; it has no effect here.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { relay, settings } = await encrypted(parameters, hostname);
    const failure = await open(settings).catch(error => error);
    expect(failure).toMatchObject({ code: 'storage', message: expect.stringMatching(why) });
    expect(failure.message).not.toContain(PASSWORD);
    expect(relay.heard).toEqual([]);
  });

  test('to another machine is encrypted, even if the server offers less', async () => {
    const relay = await relayTo((await sharedPlace()).address);
    const settings = { ...settingsFor(relay.address), isHere: false };
    await expect(open(settings)).rejects.toThrow(/The server does not support SSL connections/);
    expect(relay.heard).toEqual([]);
  });

  test('goes to the given host, or to this machine, and never to PGHOST', async () => {
    const { port, username, search } = new URL((await sharedPlace()).address);
    vi.stubEnv('PGHOST', 'elsewhere.invalid');
    // There is no server if that of the tests is on another machine.
    vi.stubEnv('PGPORT', port || '5432');
    const settings = { ...settingsFor(`postgres:///waybill_none${search}`), user: username };
    const failure = await open(settings).catch(error => error);
    expect(failure.message).toMatch(/"waybill_none" does not exist|ECONNREFUSED (127\.0\.0\.1|::1)/);
  });
});
