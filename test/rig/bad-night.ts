// A service that has a bad night: it stands between the commands and the emulator, and knows what was really created.
import { served } from './sockets.ts';

/** What happens to the order with that number, counted from 0, on its first request. */
export type Mishap = '500-before' | '500-after' | '429' | 'price-jump';

/** `mishapOf`: by the key of an order, which is the description of its item. */
export async function badNight(upstream: string, mishapOf: (key: string) => Mishap | undefined) {
  const created = new Map<string, string[]>();
  const refused = new Set<string>();
  let isNight = true;

  const address = await served(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const isOrder = request.method === 'POST' && request.url === '/v1/shipments';
    const key: string = isOrder ? JSON.parse(body).items[0].description : '';
    const mishap = isOrder && isNight ? mishapOf(key) : undefined;
    if (mishap === '500-before') return void response.writeHead(500).end('{}');
    if (mishap === '429' && !refused.has(key)) {
      refused.add(key);
      return void response.writeHead(429, { 'retry-after': '1' }).end('{}');
    }
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const answer = await fetch(`${upstream}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    if (isOrder && answer.status === 201)
      created.set(key, [...(created.get(key) ?? []), JSON.parse(text).id]);
    if (mishap === '500-after') return void response.writeHead(500).end('{}');
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(mishap === 'price-jump' ? text.replace(/("price":)([\d.]+)/, '$1999.90') : text);
  });
  return {
    address,
    /** The ids of the shipments that were created for each key. */
    created,
    /** From now on nothing goes wrong. */
    end() {
      isNight = false;
    },
  };
}
