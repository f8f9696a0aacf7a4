// Labels that come as something else than an absolute link to a PDF.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { labelIn } from '../../src/contract/label-content.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { png } from '../rig/labels.ts';
import { SECRET } from '../rig/oracles.ts';
import { cannedService } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';

const PDF = Buffer.from(`%PDF-1.7\n${'label '.repeat(20_000)}\n%%EOF\n`);
const PNG = png(2, 3);
const ZPL = Buffer.from('CT~~CD,~CC^~CT~\n^XA^FO50,50^ADN,36,20^FDLabel^FS^XZ\n');

/** A rig whose service answers with this text in the place of a label, in all operations that make one. */
async function labelledBy(text: string, field = 'label') {
  const label = { success: true, trackingNumber: 'T-1', [field]: text };
  const leg = (id: string) => ({ shipment: { id, carrier: { id: 'EXP' } }, label });
  const { env, seen } = await cannedService({
    '/v1/shipments': { status: 201, body: { id: 'S-1', carrier: { id: 'EXP' } } },
    '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
    '/v2/shipments': {
      status: 201,
      body: { success: true, international: leg('S-1'), domestic: leg('D-1') },
    },
  });
  return { rig: await createRig({ env }), seen, label };
}

const fileIn = ({ folder }: Rig, name: string) => readFileSync(join(folder, 'labels', name));

describe('a label in the place of its link', () => {
  test.each([
    ['base64', PDF.toString('base64'), PDF, 'S-1.pdf'],
    ['base64 in lines', PDF.toString('base64').replace(/(.{76})/g, '$1\r\n'), PDF, 'S-1.pdf'],
    ['base64 for URLs', PNG.toString('base64url'), PNG, 'S-1.png'],
    ['a data: URL', `data:application/pdf;base64,${PDF.toString('base64')}`, PDF, 'S-1.pdf'],
    [
      'a data: URL with the wrong type',
      `data:application/pdf;base64,${PNG.toString('base64')}`,
      PNG,
      'S-1.png',
    ],
    ['a data: URL without base64', `data:,${encodeURIComponent(ZPL.toString())}`, ZPL, 'S-1.zpl'],
    ['ZPL in base64', ZPL.toString('base64'), ZPL, 'S-1.zpl'],
    ['plain ZPL', ZPL.toString(), ZPL, 'S-1.zpl'],
  ])('that is %s is saved under its own ending', async (_, text, bytes, name) => {
    const { rig, seen } = await labelledBy(text);
    const ran = await rig.run('label --international S-1 --download labels');
    expect(fileIn(rig, name).equals(bytes)).toBe(true);
    const path = join(rig.folder, 'labels', name);
    const what = { pdf: '', png: 'a PNG image', zpl: 'ZPL' }[name.slice(-3)];
    const warning = what ? `warning: the international label is ${what}, not a PDF: ${path}\n` : '';
    expect(ran).toMatchObject({ exitCode: 0, stderr: `label saved: ${path}\n${warning}` });
    expect(seen).toEqual(['POST /v2/carriers/create']);
  });

  test('does not fill a table or -q, is whole in JSON, and can be saved later without a request', async () => {
    const { rig, seen, label } = await labelledBy(PDF.toString('base64'));
    const shown = await rig.run('label --international S-1');
    expect(shown.stdout).toContain('in the answer; --download saves it');
    expect(shown.stdout.length).toBeLessThan(300);
    expect((await rig.run('label --international S-1 -q')).stdout).toBe('');
    expect(JSON.parse((await rig.run('label --international S-1 --json')).stdout).international).toEqual(
      label,
    );
    const [row] = JSON.parse((await rig.run('history list --json')).stdout);
    expect(JSON.stringify(row).length).toBeLessThan(1000);
    expect((await rig.run('history show S-1')).stdout.length).toBeLessThan(2000);
    const saved = await rig.run('label --international S-1 --download labels -q');
    expect(saved).toMatchObject({ exitCode: 0, stdout: `${join(rig.folder, 'labels', 'S-1.pdf')}\n` });
    expect(fileIn(rig, 'S-1.pdf').equals(PDF)).toBe(true);
    expect(seen).toEqual(['POST /v2/carriers/create']);
  });

  test('that is no label is told, and nothing is saved', async () => {
    const { rig } = await labelledBy(Buffer.from('<html>'.repeat(1000)).toString('base64'));
    const ran = await rig.run('label --international S-1 --download labels');
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('what the answer has in its place is none of a PDF');
    expect(existsSync(join(rig.folder, 'labels', 'S-1.pdf'))).toBe(false);
  });
});

test('a label behind a relative link that needs the credential is saved, and its kind is said', async () => {
  const rig = await createRig();
  const asked: string[] = [];
  const { url } = await rawServer((socket, request) => {
    const [method, path] = request.split(' ', 2);
    const token = /^authorization: (.*)\r$/im.exec(request)?.[1];
    asked.push(`${method} ${path} ${token ?? '-'}`);
    const label = { success: true, trackingNumber: 'T-1', label: 'labels/S-1?size=a6' };
    if (method === 'POST') socket.write(http(200, JSON.stringify({ success: true, international: label })));
    else if (token === undefined) socket.write(http(401, '{}'));
    else socket.write(http(200, ZPL.toString()));
  });
  const env = { WAYBILL_BASE_URL: new URL('/api', url).href };
  const ran = await rig.run('label --international S-1 --download labels --json', { env });
  expect(ran.exitCode).toBe(0);
  expect(fileIn(rig, 'S-1.zpl').equals(ZPL)).toBe(true);
  expect(JSON.parse(ran.stdout).international.label).toBe('labels/S-1?size=a6');
  expect(asked).toEqual([
    `POST /api/v2/carriers/create Bearer ${SECRET}`,
    'GET /api/labels/S-1?size=a6 -',
    `GET /api/labels/S-1?size=a6 Bearer ${SECRET}`,
  ]);
});

test.each([
  'https://labels.example/l.pdf',
  'http://127.0.0.1/9j/4AAQ',
  'labels/S-1.pdf',
  '/9j/labels/S-1',
  'L1',
  '9f8e7d6c5b4a39281706f5e4d3c2b1a0',
])('%s is a link', text => {
  expect(labelIn(text)).toBeUndefined();
});
