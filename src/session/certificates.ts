// Which certificates a run trusts and shows: by flag, environment and profile, in that order.
import type { Host } from '../host.ts';
import type { CertificateFiles, NamedFile, SecureContexts } from '../http/tls.ts';
import { setting } from '../profile/environment.ts';
import type { Target } from '../profile/target.ts';
import type { Globals } from './globals.ts';

/** Those of the profile go only with its own address. */
export function certificateFiles(
  { cacert }: Pick<Globals, 'cacert'>,
  { name, tls: { caCert, clientCert, clientKey } }: Target,
  { env }: Pick<Host, 'env'>,
): CertificateFiles {
  const file = (path: string | undefined, by: string): NamedFile | undefined =>
    path === undefined ? undefined : { path, by };
  const ofProfile = (path: string | undefined, key: string) => file(path, `${key} of profile ${name}`);
  return {
    authority:
      file(cacert, '--cacert') ??
      file(setting(env, 'WAYBILL_CACERT'), 'WAYBILL_CACERT') ??
      ofProfile(caCert, 'caCert'),
    cert: ofProfile(clientCert, 'clientCert'),
    key: ofProfile(clientKey, 'clientKey'),
  };
}

/** Reads the files; `undefined` if none is named. Throws `storage`, `usage`. */
export async function certificatesOf(
  globals: Pick<Globals, 'cacert'>,
  target: Target,
  host: Pick<Host, 'env' | 'cwd'>,
): Promise<SecureContexts | undefined> {
  const files = certificateFiles(globals, target, host);
  if (!files.authority && !files.cert && !files.key) return undefined;
  // Few runs need what it loads.
  const { secureContexts } = await import('../http/tls.ts');
  return secureContexts(files, host);
}
