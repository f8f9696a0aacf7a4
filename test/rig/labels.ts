// Labels as files: a service that answers with given ones, and what is in a merged PDF.
import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { labelPdf } from '../../src/emulator/label.ts';
import { createRig } from './command.ts';
import { SHIPMENT } from './service.ts';
import { http, rawServer } from './sockets.ts';

/** A label with a page for each piece. */
export const pdfOf = async (pieces: readonly number[]) =>
  Buffer.from(
    await labelPdf({
      ...{ carrier: 'EXP', service: 'express', trackingNumber: 'T-1', reference: 'x', pieces },
      ...{ from: ['a'], to: ['b'] },
    }),
  );

export const PDF = await pdfOf([1]);

/** A rig with shipments of the keys K1, K2, … whose service answers with these labels; `undefined`: with a 500. `last`: its answer comes after those of the others. */
export async function labelledBy(
  labels: Record<string, Buffer | undefined>,
  { last }: { last?: string } = {},
) {
  let shipments = 0;
  let posts = 0;
  let late: (() => unknown) | undefined;
  const { url } = await rawServer((socket, request) => {
    const [head = '', body = ''] = request.split('\r\n\r\n');
    if (head.startsWith('POST /v1/shipments')) {
      shipments += 1;
      socket.write(http(201, JSON.stringify({ id: `S-${shipments}` })));
      return;
    }
    posts += 1;
    const label = labels[JSON.parse(body).international]?.toString('base64');
    const answer = { success: true, international: { success: true, label } };
    const write = () => socket.write(http(label === undefined ? 500 : 200, JSON.stringify(answer)));
    const isOfLast = last !== undefined && body.includes(last);
    if (isOfLast) late = write;
    else write();
    if (posts >= Object.keys(labels).length) late?.();
  });
  const rig = await createRig({ env: { WAYBILL_BASE_URL: url.origin } });
  for (const index of Object.keys(labels).keys())
    await rig.run(`ship -f - --key K${index + 1}`, { stdin: JSON.stringify(SHIPMENT) });
  return { rig, posts: () => posts };
}

/** A grey picture. `resolution`: dots per inch, if it says that. */
export function png(width: number, height: number, resolution?: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    const named = Buffer.concat([Buffer.from(type), data]);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const numbers = (...values: number[]) =>
    Buffer.concat(values.map(value => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])));
  const size = Buffer.concat([numbers(width, height), Buffer.from([8, 0, 0, 0, 0])]);
  const metres = Math.round((resolution ?? 0) / 0.0254);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    ...(resolution ? [chunk('pHYs', Buffer.concat([numbers(metres, metres), Buffer.from([1])]))] : []),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height, 120))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Width and height of each page, in points. */
export const sizesIn = async (path: string) =>
  (await PDFDocument.load(readFileSync(path))).getPages().map(page => {
    const { width, height } = page.getSize();
    return [Math.round(width), Math.round(height)];
  });
