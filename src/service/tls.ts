// What TLS connections trust beside the usual authorities, and the certificate that says who we are: files in PEM.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { Failure, messageOf, systemCode, unreadableBecause } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import { absolutePath } from '../host/folder.ts';
import type { Host } from '../host.ts';

/** A file, and the option, variable or setting that names it, for messages. */
export interface NamedFile {
  path: string;
  by: string;
}

export interface CertificateFiles {
  authority?: NamedFile | undefined;
  /** That of this client, only for the service and for the address that gives its tokens. */
  cert?: NamedFile | undefined;
  /** Left out: the key is in the file of the certificate. */
  key?: NamedFile | undefined;
}

export interface SecureContexts {
  own: tls.SecureContext;
  /** Without the certificate of the client. */
  anonymous: tls.SecureContext;
}

type TlsHost = Pick<Host, 'cwd' | 'env'>;

/** Throws `storage` for a file that cannot be used, and `usage` for a key without a certificate. */
export function secureContexts({ authority, cert, key }: CertificateFiles, host: TlsHost): SecureContexts {
  if (key && !cert)
    throw new Failure('usage', `${key.by} is set, but clientCert is not`, {
      hint: 'A key needs its certificate',
    });
  const trusted = authority && { ca: [...usualAuthorities(host), ...certificatesIn(authority, host)] };
  const anonymous = tls.createSecureContext(trusted);
  if (!cert) return { own: anonymous, anonymous };
  const client = clientIn(cert, key ?? cert, host);
  try {
    return { own: tls.createSecureContext({ ...trusted, ...client }), anonymous };
  } catch (error) {
    throw refuse(
      cert,
      `the certificate in ${cert.path} cannot be used for TLS (${tlsReason(error)})`,
      'Ask for a new one',
    );
  }
}

/** The authorities that Node trusts by itself: it forgets them if it is given others. */
function usualAuthorities({ env }: TlsHost): readonly string[] {
  // Node 20 cannot tell which authorities the environment adds.
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] };
  if (getCACertificates) return getCACertificates('default');
  try {
    const file = env.NODE_EXTRA_CA_CERTS;
    return file ? [...tls.rootCertificates, readFileSync(file, 'utf8')] : tls.rootCertificates;
  } catch {
    // Node has warned of it.
    return tls.rootCertificates;
  }
}

// A context says nothing of a damaged authority, of an empty key, and of a key of another kind than its certificate:
// each is looked at before.
const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g;

function certificatesIn(file: NamedFile, host: TlsHost): string[] {
  const found = textOf(file, host).match(CERTIFICATE) ?? [];
  if (found.length === 0)
    throw refuse(
      file,
      `the file ${file.path} has no certificate in PEM (-----BEGIN CERTIFICATE-----)`,
      '`openssl x509 -inform der -in FILE -out FILE.pem` makes PEM of a binary one',
    );
  try {
    for (const pem of found) new X509Certificate(pem);
    return found;
  } catch (error) {
    throw refuse(
      file,
      `a certificate in ${file.path} is damaged (${tlsReason(error)})`,
      'Copy the file again',
    );
  }
}

function clientIn(cert: NamedFile, key: NamedFile, host: TlsHost): { cert: string; key: string } {
  const chain = certificatesIn(cert, host).join('\n');
  const pem = textOf(key, host);
  let isItsKey: boolean;
  try {
    isItsKey = new X509Certificate(chain).checkPrivateKey(createPrivateKey(pem));
  } catch (error) {
    throw unreadableKey(key, pem, error);
  }
  if (isItsKey) return { cert: chain, key: pem };
  throw refuse(
    key,
    `the key in ${key.path} does not belong to the first certificate in ${cert.path}`,
    'Give the key that the certificate was made for',
  );
}

function unreadableKey(file: NamedFile, pem: string, error: unknown): Failure {
  if (!pem.includes('PRIVATE KEY-----'))
    return refuse(
      file,
      `the file ${file.path} has no private key in PEM (-----BEGIN PRIVATE KEY-----)`,
      'The setting clientKey names the file of the key',
    );
  if (pem.includes('ENCRYPTED'))
    return refuse(
      file,
      `the key in ${file.path} has a passphrase, which waybill does not ask for`,
      '`openssl pkey -in FILE -out NEW` writes it without one; only you should be able to read that file',
    );
  return refuse(
    file,
    `the key in ${file.path} cannot be read: it is damaged, or of a kind that waybill does not know (${tlsReason(error)})`,
    'Copy the file again',
  );
}

/** `no start line` of `error:0480006C:PEM routines::no start line`. */
const tlsReason = (error: unknown): string => messageOf(error).replace(/^.*:/s, '').trim();

function textOf(file: NamedFile, host: TlsHost): string {
  try {
    return readFileSync(absolutePath(file.path, host), 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw refuse(
      file,
      `the file ${file.path} cannot be read: ${unreadableBecause(error)}`,
      'Give the path of a file that this user can read',
      systemCode(error) === 'ENOENT' ? 'usage' : 'storage',
    );
  }
}

const refuse = ({ by }: NamedFile, why: string, cure: string, code: FailureCode = 'storage') =>
  new Failure(code, `${by}: ${why}`, { hint: cure });
