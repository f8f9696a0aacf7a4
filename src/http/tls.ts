// What TLS connections trust, and with which certificate they say who we are.
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import type { Host } from '../host.ts';

/** All in PEM. */
export interface Certificates {
  /** Further authorities, beside the usual ones. */
  authorities?: string;
  /** The certificate of this client and its key, only for the service and for the address that gives its tokens. */
  client?: { cert: string; key: string };
}

export interface SecureContexts {
  own: tls.SecureContext;
  /** Without the certificate of the client. */
  anonymous: tls.SecureContext;
}

/** Throws if OpenSSL refuses a certificate or key. */
export function secureContexts(
  { authorities, client }: Certificates,
  { env }: Pick<Host, 'env'>,
): SecureContexts {
  const trusted = authorities === undefined ? {} : { ca: [...usualAuthorities(env), authorities] };
  return {
    own: tls.createSecureContext({ ...trusted, ...client }),
    anonymous: tls.createSecureContext(trusted),
  };
}

/** Those that Node trusts by itself: it forgets them if it is given others. */
function usualAuthorities(env: Host['env']): readonly string[] {
  // Node 20 cannot tell which authorities the environment adds.
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] };
  return getCACertificates?.('default') ?? [...tls.rootCertificates, ...extraAuthorities(env)];
}

function extraAuthorities({ NODE_EXTRA_CA_CERTS: file }: Host['env']): string[] {
  try {
    return file ? [readFileSync(file, 'utf8')] : [];
  } catch {
    // Node has warned of it.
    return [];
  }
}
