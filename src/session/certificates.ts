// Which certificates a run trusts and shows: by flag, environment and profile, in that order.
import type { Host } from '../host.ts';
import type { Certificates } from '../http/tls.ts';
import type { CertificateFiles } from '../profile/certificates.ts';
import { setting } from '../profile/environment.ts';
import type { Target } from '../profile/target.ts';
import type { Globals } from './globals.ts';

/** Those of the profile go only with its own address. */
export function certificateFiles(
  { cacert }: Pick<Globals, 'cacert'>,
  { name, tls }: Target,
  { env }: Pick<Host, 'env'>,
): CertificateFiles {
  const ofProfile = (key: keyof typeof tls) => {
    const path = tls[key];
    return path === undefined ? undefined : { path, by: `${key} of profile ${name}` };
  };
  const named = (path: string | undefined, by: string) => (path === undefined ? undefined : { path, by });
  return {
    authority:
      named(cacert, '--cacert') ??
      named(setting(env, 'WAYBILL_CACERT'), 'WAYBILL_CACERT') ??
      ofProfile('caCert'),
    cert: ofProfile('clientCert'),
    key: ofProfile('clientKey'),
  };
}

/** Reads the files; `undefined` if none is named. Throws `storage`, `usage`. */
export async function certificatesOf(
  globals: Pick<Globals, 'cacert'>,
  target: Target,
  host: Pick<Host, 'env' | 'cwd'>,
): Promise<Certificates | undefined> {
  const files = certificateFiles(globals, target, host);
  if (Object.values(files).every(file => file === undefined)) return undefined;
  // Few runs need what it loads.
  const { readCertificates } = await import('../profile/certificates.ts');
  return readCertificates(files, host);
}
