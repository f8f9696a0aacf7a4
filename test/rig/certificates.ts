// Certificates that a test makes for itself (X.509 in DER, signed with ECDSA), because not every machine has openssl.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

export interface Pair {
  /** Both in PEM. */
  key: string;
  cert: string;
}

interface Subject {
  name: string;
  /** Names and addresses that the certificate is for. */
  hosts?: string[];
  ips?: string[];
  isAuthority?: boolean;
  /** Days from now until it ends; below 0 it is over. */
  days?: number;
  /** Has it a key that OpenSSL refuses? */
  isWeak?: boolean;
}

const DAY = 86_400_000;

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const hex = (tag: number, digits: string) => der(tag, Buffer.from(digits, 'hex'));
const oid = (digits: string) => hex(0x06, digits);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const TRUE = hex(0x01, 'ff');
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));

const nameOf = (name: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const time = (ms: number) =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
const extension = (id: string, ...parts: Uint8Array[]) => sequence(oid(id), ...parts);
const pem = (content: Uint8Array) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(content)
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trim()}\n-----END CERTIFICATE-----\n`;

let serial = 1;

/** A certificate and its key. `issuer`: who signs it, with the name of its certificate; by default it signs itself. */
export function certify(
  { name, hosts = [], ips = [], isAuthority = false, days = 2, isWeak = false }: Subject,
  issuer?: { name: string; pair: Pair },
): Pair {
  const { privateKey, publicKey } = isWeak
    ? generateKeyPairSync('rsa', { modulusLength: 512 })
    : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const now = Date.now();
  const alternatives = [
    ...hosts.map(host => der(0x82, Buffer.from(host))),
    ...ips.map(ip => der(0x87, Buffer.from(ip.split('.').map(Number)))),
  ];
  serial += 1;
  const body = sequence(
    der(0xa0, hex(0x02, '02')),
    hex(0x02, `01${serial.toString(16).padStart(4, '0')}`),
    ECDSA_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(time(now - 9 * DAY), time(now + days * DAY)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        extension('551d13', TRUE, der(0x04, sequence(...(isAuthority ? [TRUE] : [])))),
        ...(alternatives.length > 0 ? [extension('551d11', der(0x04, sequence(...alternatives)))] : []),
      ),
    ),
  );
  const key = issuer ? createPrivateKey(issuer.pair.key) : privateKey;
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(body, ECDSA_SHA256, bits(sign('sha256', body, key)))),
  };
}

/** An authority that signs certificates. */
export function authority(name: string): { cert: string; certify(subject: Subject): Pair } {
  const pair = certify({ name, isAuthority: true });
  return { cert: pair.cert, certify: subject => certify(subject, { name, pair }) };
}

/** A certificate that signs itself, for loopback and `service.test`. */
export const certificate = certify({ name: 'localhost', hosts: ['service.test'], ips: ['127.0.0.1'] });
