// The files of TLS: a further authority, and the certificate of this client with its key.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Failure, messageOf, unreadableBecause } from '../errors.ts';
import { absolutePath } from '../folder.ts';
import type { Host } from '../host.ts';

/** A file, and the option, variable or setting that names it, for messages. */
export interface NamedFile {
  path: string;
  by: string;
}

export interface CertificateFiles {
  authority?: NamedFile | undefined;
  cert?: NamedFile | undefined;
  /** Left out: the key is in the file of the certificate. */
  key?: NamedFile | undefined;
}

interface Pems {
  authorities?: string;
  client?: { cert: string; key: string };
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g;
const KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----.*?-----END (?:[A-Z]+ )?PRIVATE KEY-----/s;

/** Reads and checks the files. Throws `storage`, and `usage` for a key without a certificate. */
export function readCertificates({ authority, cert, key }: CertificateFiles, host: Pick<Host, 'cwd'>): Pems {
  if (key && !cert)
    throw new Failure(
      'usage',
      `${key.by} is set, but clientCert is not; nothing was sent. A key needs its certificate`,
    );
  return {
    ...(authority && { authorities: certificatesIn(authority, host).join('\n') }),
    ...(cert && { client: clientIn(cert, key ?? cert, host) }),
  };
}

function clientIn(cert: NamedFile, key: NamedFile, host: Pick<Host, 'cwd'>): { cert: string; key: string } {
  const certificates = certificatesIn(cert, host);
  const pem = keyIn(key, cert, host);
  const [own = ''] = certificates;
  if (!new X509Certificate(own).checkPrivateKey(createPrivateKey(pem)))
    throw refuse(
      key,
      `the key in ${key.path} does not belong to the first certificate in ${cert.path}`,
      'Give the key that the certificate was made for',
    );
  return { cert: certificates.join('\n'), key: pem };
}

function certificatesIn(file: NamedFile, host: Pick<Host, 'cwd'>): string[] {
  const found = textOf(file, host).match(CERTIFICATE) ?? [];
  if (found.length === 0)
    throw refuse(
      file,
      `the file ${file.path} has no certificate in PEM (-----BEGIN CERTIFICATE-----)`,
      `\`openssl x509 -inform der -in FILE -out FILE.pem\` makes PEM of a binary one`,
    );
  for (const pem of found)
    try {
      new X509Certificate(pem);
    } catch (error) {
      throw refuse(
        file,
        `a certificate in ${file.path} is damaged: ${messageOf(error)}`,
        'Copy the file again',
      );
    }
  return found;
}

function keyIn(file: NamedFile, cert: NamedFile, host: Pick<Host, 'cwd'>): string {
  const [pem] = textOf(file, host).match(KEY) ?? [];
  if (pem === undefined)
    throw refuse(
      file,
      `the file ${file.path} has no private key in PEM (-----BEGIN PRIVATE KEY-----)`,
      file === cert ? 'The setting clientKey names the file of the key' : 'Give the file of the key',
    );
  if (/ENCRYPTED/.test(pem))
    throw refuse(
      file,
      `the key in ${file.path} has a passphrase, which waybill does not ask for`,
      '`openssl pkey -in FILE -out NEW` writes it without one; only you should be able to read that file',
    );
  try {
    createPrivateKey(pem);
    return pem;
  } catch (error) {
    throw refuse(file, `the key in ${file.path} cannot be read: ${messageOf(error)}`, 'Copy the file again');
  }
}

function textOf(file: NamedFile, host: Pick<Host, 'cwd'>): string {
  try {
    return readFileSync(absolutePath(file.path, host), 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw refuse(
      file,
      `the file ${file.path} cannot be read: ${unreadableBecause(error)}`,
      'Give the path of a file that this user can read',
    );
  }
}

const refuse = ({ by }: NamedFile, why: string, cure: string) =>
  new Failure('storage', `${by}: ${why}; nothing was sent. ${cure}`);
