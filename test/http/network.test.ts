import { expect, test } from 'vitest';
import { downloadPdf } from '../../src/http/download.ts';
import { networksOf } from '../../src/http/network.ts';
import { ServiceResponse } from '../../src/http/response.ts';
import type { Outgoing, Transport } from '../../src/http/transport.ts';

const NAMES: Record<string, string[]> = {
  'public.test': ['192.0.2.7', '2001:db8::7'],
  'inside.test': ['10.0.0.7'],
  'other-inside.test': ['192.168.7.7'],
  'mixed.test': ['192.0.2.7', '169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
};
const lookup = async (name: string) => NAMES[name] ?? [];

/** The addresses that were asked for a label, or why nobody was. */
async function asked(link: string, service: string): Promise<string[] | string> {
  const seen: string[] = [];
  const transport: Transport = {
    async exchange({ url, headers }: Outgoing) {
      expect(Object.keys(headers)).toEqual(['accept']);
      seen.push(url.href);
      return new ServiceResponse({ status: 200, headers: {}, bytes: Buffer.from('%PDF-1.7') });
    },
    close: async () => {},
  };
  const interrupted = new AbortController().signal;
  const host = { now: () => 0, sleep: async () => {}, random: () => 0, interrupted };
  try {
    await downloadPdf(link, { transport, service, retries: 0, lookup }, host);
    return seen;
  } catch (error) {
    expect(seen).toEqual([]);
    return String(error);
  }
}

test.each([
  ['https://public.test/l.pdf', 'public.test'],
  ['https://public.test/l.pdf', '127.0.0.1'],
  ['https://192.0.2.9/l.pdf', 'inside.test'],
  ['https://[2001:db8::9]/l.pdf', 'public.test'],
  ['https://inside.test/l.pdf', 'inside.test'],
  ['https://inside.test/l.pdf', '192.168.1.1'],
  ['https://10.9.9.9/l.pdf', 'other-inside.test'],
  ['http://127.0.0.1:8080/l.pdf', '127.0.0.1'],
  ['http://localhost/l.pdf', '[::1]'],
  // Only a proxy can look it up.
  ['https://nowhere.test/l.pdf', 'nowhere-else.test'],
])('a label at %s is fetched for a service at %s', async (link, service) => {
  NAMES.localhost = ['127.0.0.1'];
  expect(await asked(link, service)).toEqual([link]);
});

test.each([
  ['https://inside.test/l.pdf', 'public.test', 'a private network'],
  ['https://inside.test/l.pdf', 'nowhere.test', 'a private network'],
  ['https://inside.test/l.pdf', '127.0.0.1', 'a private network'],
  ['https://mixed.test/l.pdf', 'public.test', 'the local link'],
  ['https://mixed.test/l.pdf', 'inside.test', 'the local link'],
  ['https://mapped.test/l.pdf', 'inside.test', 'this machine'],
  ['https://[::1]/l.pdf', '10.0.0.1', 'this machine'],
])('a label at %s is not fetched for a service at %s: it is on %s', async (link, service, network) => {
  expect(await asked(link, service)).toContain(`its link leads to ${network}, but the service is not there`);
});

test('the address that the system resolves for a name decides', async () => {
  expect(await networksOf('localhost')).toEqual(['this machine']);
  expect(await networksOf('gone.invalid')).toEqual([]);
});
