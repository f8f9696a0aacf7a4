// What TLS connections trust beside the usual authorities, and the certificate that says who we are: files in PEM.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import type { Host } from '../host.ts';
import { messageOf, systemCode, unreadableBecause } from '../system-errors.ts';

/** A file, and the option, variable or setting that names the file, for messages. */
export interface NamedFile {
  path: string;
  by: string;
}

export interface CertificateFiles {
  authority?: NamedFile | undefined;
  /** The certificate of this client, shown only to the service and to the address that gives its tokens. */
  cert?: NamedFile | undefined;
  /** The file of the private key; left out if the key is in the file of the certificate. */
  key?: NamedFile | undefined;
}

export interface SecureContexts {
  own: tls.SecureContext;
  /** The context without the certificate of the client. */
  anonymous: tls.SecureContext;
}

type TlsHost = Pick<Host, 'cwd' | 'env'>;

/** The contexts made of these files. Throws `storage` for a file that cannot be used, and `usage` for a key without a certificate. */
export function secureContexts(files: CertificateFiles, host: TlsHost): SecureContexts {
  const { authority, cert, key } = files;
  if (key && !cert) throw new Failure('usage', { kind: 'key-without-certificate', by: key.by });
  const trusted = authority && { ca: [...usualAuthorities(host), ...certificatesIn(authority, host)] };
  const anonymous = tls.createSecureContext(trusted);
  if (!cert) return { own: anonymous, anonymous };
  const client = clientIn(cert, key ?? cert, host);
  try {
    return { own: tls.createSecureContext({ ...trusted, ...client }), anonymous };
  } catch (error) {
    throw new Failure('storage', { kind: 'certificate-refused', ...cert, why: tlsReason(error) });
  }
}

/** The authorities that Node trusts by itself. Node forgets them if it is given other authorities, so these are added. */
function usualAuthorities(host: TlsHost): readonly string[] {
  // Node 20 cannot tell which authorities the environment adds.
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] };
  if (getCACertificates) return getCACertificates('default');
  try {
    const file = host.env.NODE_EXTRA_CA_CERTS;
    return file ? [...tls.rootCertificates, readFileSync(file, 'utf8')] : tls.rootCertificates;
  } catch {
    // Node has warned already that the file cannot be read.
    return tls.rootCertificates;
  }
}

// A TLS context accepts a damaged authority, an empty key, and a key of another kind than its certificate without an error:
// these faults are searched for before.
const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g;

function certificatesIn(file: NamedFile, host: TlsHost): string[] {
  const found = certificateText(file, host).match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Failure('storage', { kind: 'certificate-missing', ...file });
  try {
    for (const pem of found) new X509Certificate(pem);
    return found;
  } catch (error) {
    throw new Failure('storage', { kind: 'certificate-damaged', ...file, why: tlsReason(error) });
  }
}

function clientIn(cert: NamedFile, key: NamedFile, host: TlsHost): { cert: string; key: string } {
  const chain = certificatesIn(cert, host).join('\n');
  const pem = certificateText(key, host);
  let isItsKey: boolean;
  try {
    isItsKey = new X509Certificate(chain).checkPrivateKey(createPrivateKey(pem));
  } catch (error) {
    throw unreadableKey(key, pem, error);
  }
  if (isItsKey) return { cert: chain, key: pem };
  throw new Failure('storage', { kind: 'key-of-other-certificate', ...key, certificate: cert.path });
}

function unreadableKey(file: NamedFile, pem: string, error: unknown): Failure {
  if (!pem.includes('PRIVATE KEY-----')) return new Failure('storage', { kind: 'key-missing', ...file });
  if (pem.includes('ENCRYPTED')) return new Failure('storage', { kind: 'key-with-passphrase', ...file });
  return new Failure('storage', { kind: 'key-unreadable', ...file, why: tlsReason(error) });
}

/** The readable end of an OpenSSL error: `no start line` of `error:0480006C:PEM routines::no start line`. */
const tlsReason = (error: unknown): string => messageOf(error).replace(/^.*:/s, '').trim();

function certificateText(file: NamedFile, host: TlsHost): string {
  try {
    return readFileSync(absolutePath(file.path, host), 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = systemCode(error) === 'ENOENT' ? 'usage' : 'storage';
    throw new Failure(code, { kind: 'pem-file-unreadable', ...file, why: unreadableBecause(error) });
  }
}
