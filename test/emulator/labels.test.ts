// The labels of the emulator: when there is one, where it is, and what is on it.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dualBody, emulator, faultyPaths, type Rig, shipmentBody } from '../rig/emulator.ts';
import { sizesIn } from '../rig/labels.ts';
import { notInstalled, titled } from '../rig/needs.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { temporaryFolder } from '../rig/profile.ts';

const CREATE = '/v2/carriers/create';

/** Follows a label link, without a credential. */
const follow = ({ call, origin }: Rig, link: string) => call('GET', link.replace(origin, ''), undefined, {});

test('each creation makes a new label, and the shipment shows the newest', async () => {
  const rig = await emulator();
  const { body: made } = await rig.call('POST', '/v1/shipments', shipmentBody());
  const create = async () => (await rig.call('POST', CREATE, { international: made.id })).body;
  const [first, second] = [await create(), await create()];
  expect(first).not.toHaveProperty('domestic');
  expect(second.international.trackingNumber).not.toBe(first.international.trackingNumber);
  const read = await rig.call('GET', `/v1/shipments/${made.id}`);
  expect(read.body.tracking.trackingNumber).toBe(second.international.trackingNumber);
  for (const { international } of [first, second])
    expect((await follow(rig, international.label)).status).toBe(200);
});

test('an unknown id or that of the other leg is a 400, and no label is made', async () => {
  const { call } = await emulator();
  const { body } = await call('POST', '/v2/shipments', { ...dualBody(), label: false });
  const international = body.international.shipment.id;
  for (const domestic of ['shp_unknown', international]) {
    const answer = await call('POST', CREATE, { international, domestic });
    expect([answer.status, faultyPaths(answer)]).toEqual([400, ['domestic']]);
  }
  expect((await call('GET', `/v1/shipments/${international}`)).body.tracking.trackingNumber).toBe('');
});

test('a link gives the same PDF each time and without a credential, to the host name of the caller, and in its own world only', async () => {
  const rig = await emulator({ host: '0.0.0.0' });
  const { body } = await rig.call('POST', '/sandbox/v2/shipments', dualBody());
  const link = body.international.label.labelPdf.replace(rig.origin, '');
  const { bytes, headers } = await follow(rig, link);
  expect(headers['content-type']).toBe('application/pdf');
  expect(Buffer.from(bytes).toString('latin1')).toMatch(/^%PDF-[\s\S]*%%EOF\s*$/);
  expect(link).toMatch(/^\/sandbox\/labels\//);
  expect((await follow(rig, link)).bytes).toEqual(bytes);
  for (const wrong of [link.replace('/sandbox', ''), '/labels/EXP9999999999.pdf'])
    expect((await follow(rig, wrong)).status).toBe(404);
  const { port } = new URL(rig.origin);
  const named = await fetch(`http://localhost:${port}/v2/shipments`, {
    method: 'POST',
    headers: { authorization: 'Bearer demo' },
    body: JSON.stringify(dualBody()),
  });
  const { international } = (await named.json()) as { international: { label: { labelPdf: string } } };
  expect(international.label.labelPdf).toMatch(`http://localhost:${port}/labels/`);
});

describe('What is printed', () => {
  const SENDER = { firstName: 'Ada', lastName: 'Yılmaz', companyName: 'Örnek \\ Ticaret (A.Ş.) – €Ÿ’' };
  const LONG = `${'Wolfeschlegelsteinhausenbergerdorff '.repeat(9)}${'W'.repeat(300)}`;

  /** The label of an order of two pieces of 1.5 kg and one of 3 kg, in a file. */
  async function printed({ street = 'Straße 1' } = {}) {
    const rig = await emulator();
    const { packages, sender, receiver, ...order } = shipmentBody();
    const { body: made } = await rig.call('POST', '/v1/shipments', {
      ...order,
      packages: [
        { ...packages[0], quantity: 2, weight: 1.5 },
        { ...packages[0], quantity: 1, weight: 3 },
      ],
      sender: { ...sender, ...SENDER },
      receiver: {
        ...receiver,
        firstName: '王',
        phone: { code: '+49', number: '30111' },
        address: { ...receiver.address, line1: street },
      },
    });
    const { body } = await rig.call('POST', CREATE, { international: made.id });
    const { label, trackingNumber } = body.international;
    const { bytes } = await follow(rig, label);
    const file = join(temporaryFolder(), 'label.pdf');
    writeFileSync(file, bytes);
    return { file, id: made.id, trackingNumber };
  }

  const reads = (title: string, run: () => Promise<void>) =>
    test.skipIf(noReader)(titled(title, noReader), run);

  reads('are both parties, telephone, service and number, and each piece has its page', async () => {
    const { file, id, trackingNumber } = await printed();
    const pages = pageTexts(file);
    expect(pages).toHaveLength(3);
    for (const page of pages) {
      const lines = page.split('\n').map(line => line.trim());
      for (const line of [
        'Ada Yılmaz',
        'Örnek \\ Ticaret (A.Ş.) – €Ÿ’',
        '? Mithal',
        'Straße 1',
        'Phone +49 30111',
        'EXPRESS',
        trackingNumber,
      ])
        expect(lines).toContain(line);
      expect(page).toContain(id);
    }
    expect(pages.map(page => /(\d of \d) (\S+ kg)/.exec(page)?.slice(1))).toEqual([
      ['1 of 3', '1.5 kg'],
      ['2 of 3', '1.5 kg'],
      ['3 of 3', '3 kg'],
    ]);
  });

  reads('is every character of a long text', async () => {
    for (const page of pageTexts((await printed({ street: LONG })).file))
      expect(page.replace(/\s/g, '')).toContain(LONG.replaceAll(' ', ''));
  });

  test('is as large as a label of 100 × 150 mm', async () => {
    const { file } = await printed();
    expect(await sizesIn(file)).toEqual([
      [283, 425],
      [283, 425],
      [283, 425],
    ]);
  });

  const noScanner = notInstalled('pdftoppm', 'zbarimg');

  test.skipIf(noScanner)(titled('is a code that a scanner reads', noScanner), async () => {
    const { file, trackingNumber } = await printed();
    execFileSync('pdftoppm', ['-r', '150', '-png', '-f', '3', '-singlefile', file, file]);
    const { stdout } = spawnSync('zbarimg', ['--quiet', '--raw', `${file}.png`], { encoding: 'utf8' });
    expect(stdout.trim()).toBe(trackingNumber);
  });
});
