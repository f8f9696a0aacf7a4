import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Send } from './deliveries.ts';

const TIMEOUT_MS = 10_000;

/** POSTs one delivery to a receiver on this machine; resolves with the status of its answer. */
export const sendOnLoopback: Send = ({ url, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const target = new URL(url);
    const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(
      target,
      {
        method: 'POST',
        agent: false,
        signal,
        timeout: TIMEOUT_MS,
        lookup: loopback,
        // No authority issues certificates for loopback, and there is no network in between.
        rejectUnauthorized: false,
        headers: {
          ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, latin1(value)])),
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
        },
      },
      answer => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    // As bytes: together with a text, Node would write the headers in the encoding of the text.
    sent.end(Buffer.from(body));
  });

// `something.localhost` is a loopback name, even if a name server says otherwise.
const loopback: LookupFunction = (_name, options, callback) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (options.all) callback(null, addresses);
  else callback(null, '127.0.0.1', 4);
};

// Header values travel as bytes; node takes one byte a character.
const latin1 = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
