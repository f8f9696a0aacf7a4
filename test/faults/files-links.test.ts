// Links of labels to forbidden addresses, and files behind a link that are no PDF.
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { http, type Reply } from '../rig/sockets.ts';
import { type Fault, runFaults } from './fault.ts';
import { download, type LabelScene, PDF } from './files-rig.ts';

// Every message says that the label exists, must not be made again, and how to get it.
const MADE = [
  'the international label was made, but not saved',
  'Do not make it again',
  /`waybill label --international S-1 --download \S+` saves this one|ask the service for its file/,
];

const nothingSaved = (folder: string): void => expect(readdirSync(folder)).toEqual([]);

/** A link that is refused before a request. */
const refused = (when: string, link: string, why: string, service?: string): Fault => ({
  when: `the link of a label ${when}`,
  sees: [...MADE, why],
  exit: 9,
  happen: () =>
    download({
      link: () => link,
      ...(service !== undefined && { service }),
      after: (folder, server) => {
        nothingSaved(folder);
        expect(server.connections()).toBe(0);
      },
    }),
});

const NO_LABEL = 'is none of a PDF, a PNG image, a GIF image, a JPEG image, ZPL';
const NOT_HTTPS = 'its link is not https:';
const PRIVATE = 'its link leads to a private network, but the service is not there';
const LINK_LOCAL = 'its link leads to the local link, but the service is not there';
const METADATA = 'its link leads to the metadata service of a cloud, but the service is not there';
const HERE = 'its link leads to this machine, but the service is not there';

// An address of a range for documentation: no request is sent there.
const ELSEWHERE = 'https://192.0.2.1';

const fromElsewhere = (when: string, link: string, why: string): Fault =>
  refused(`${when}, from a service that is not there`, link, why, ELSEWHERE);

/** The reply of the label server, which is retried like a read. */
const answered = (
  when: string,
  reply: string | Reply,
  asked: number,
  why: string | RegExp,
  more: LabelScene = {},
  exit = 9,
): Fault => ({
  when: `the link of a label ${when}`,
  sees: [...MADE, why],
  exit,
  happen: () =>
    download({
      reply,
      after: (folder, server) => {
        expect(server.requests).toHaveLength(asked);
        nothingSaved(folder);
      },
      ...more,
    }),
});

/** A redirect that is not followed, and how often the link is asked. */
const redirected = (when: string, location: string, why: string, asked = 1): Fault =>
  answered(`is redirected ${when}`, http(302, '', { location }), asked, why);

runFaults('links of labels', [
  refused('is plain http to another host', 'http://labels.example/l.pdf', NOT_HTTPS),
  refused('is plain http to an address that is only like loopback', 'http://0.0.0.0/l.pdf', NOT_HTTPS),
  refused('is a file of ours', 'file:///etc/passwd', NOT_HTTPS),
  refused(
    'holds a web page itself',
    'data:text/html,<p>Sign%20in</p>',
    `what the answer has in its place ${NO_LABEL}`,
  ),
  refused('is of another protocol', 'ftp://labels.example/l.pdf', NOT_HTTPS),
  refused('is a script', 'javascript:alert(1)', NOT_HTTPS),
  refused('is no URL', 'https://[l.pdf', 'its link is not a URL'),
  refused('is of another host, whose protocol is left out', '//labels.example/l.pdf', NOT_HTTPS),
  refused('is blank', ' ', 'its link is not a URL'),
  refused(
    'contains a user name and a password',
    'https://ann:opensesame@labels.example/l.pdf',
    'its link contains a user name or a password',
  ),
  refused('turns text around', 'ftp://labels.example/\u202efdp.l\u001b[2J', NOT_HTTPS),
  // Each network in its many spellings is in test/http/network.test.ts.
  refused('leads to 10.1.2.3', 'https://10.1.2.3/l.pdf', PRIVATE),
  refused('leads to [fe80::1]', 'https://[fe80::1]/l.pdf', LINK_LOCAL),
  refused('leads to 169.254.169.254', 'https://169.254.169.254/l.pdf', METADATA),
  refused('leads to 240.0.0.1', 'https://240.0.0.1/l.pdf', 'its link leads to a reserved network'),
  ...['127.0.0.1', '0.0.0.0', '[::1]', '2130706433', 'localhost'].map(host =>
    fromElsewhere(`leads to ${host}`, `https://${host}/l.pdf`, HERE),
  ),
  fromElsewhere('leads to 127.0.0.1 by plain http', 'http://127.0.0.1/l.pdf', NOT_HTTPS),
  redirected('to plain http', 'http://labels.example/l.pdf', NOT_HTTPS),
  redirected('into a private network', 'https://10.1.2.3/l.pdf', PRIVATE),
  redirected('to the metadata service of a cloud', 'https://169.254.169.254/l.pdf', METADATA),
  redirected('to a file of ours', 'file:///etc/passwd', NOT_HTTPS),
  redirected('to no URL', 'https://[', 'its link is not a URL'),
  redirected('in a circle', '/l.pdf', 'its link was redirected more than 3 times', 4),
  redirected(
    'with a user name and a password',
    'https://ann:opensesame@labels.example/l.pdf',
    'contains a user name or a password',
  ),
  answered('is redirected to nowhere', http(302), 1, 'its link was answered with 302'),
  answered('is not modified', http(304, '', { location: '/l.pdf' }), 1, 'its link was answered with 304'),
  answered(
    'is a page to sign in',
    http(200, '<html>Sign in</html>'),
    1,
    `what its link leads to ${NO_LABEL}`,
  ),
  answered('is an empty file', http(200), 1, `what its link leads to ${NO_LABEL}`),
  answered('no longer exists', http(404), 1, 'its link was answered with 404'),
  answered('is a server that asks for a credential', http(401), 1, 'its link was answered with 401'),
  answered('is a server that fails', http(503), 4, 'its link was answered with 503'),
  answered(
    'is half of a PDF',
    socket => socket.end(http(200, PDF).slice(0, 200)),
    4,
    /connection (closed|reset)|other side closed/,
  ),
  answered(
    'is a server that does not answer until the deadline',
    () => {},
    1,
    'no complete answer within 30 s',
    {
      more: '--retries 0',
      options: server => ({ patience: server.received(1) }),
    },
  ),
  answered(
    'is a PDF that does not end until the deadline',
    socket => socket.write(http(200, PDF, { 'content-length': '999999' })),
    1,
    'no complete answer within 30 s',
    { more: '--retries 0', options: server => ({ patience: server.received(1) }) },
  ),
  answered(
    'is more than 20 MiB',
    socket => {
      socket.write(`HTTP/1.1 200 Word\r\ncontent-length: 22000000\r\n\r\n%PDF-1.7\n`);
      socket.write(Buffer.alloc(22_000_000));
    },
    1,
    'larger than 20971520 bytes',
    { more: '--retries 0' },
  ),
  answered(
    'is a server that fails, and the user presses Ctrl-C',
    http(503),
    1,
    'stopped by SIGINT',
    {
      options: () => ({ onWait: ({ interrupt }) => interrupt('SIGINT') }),
    },
    130,
  ),
]);
