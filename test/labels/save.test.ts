// Labels as files: --download and --print.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig, type RigOptions } from '../rig/command.ts';
import { cannedService, errorOf, posted, SHIPMENT, sent } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const ONCE = ['POST /v2/carriers/create'];

/** A rig, a shipment booked in it, and the folder for its labels. */
async function booked(options: RigOptions = {}): Promise<{ rig: Rig; id: string; folder: string }> {
  const rig = await createRig(options);
  const id = (await rig.run('ship -f - -q', { stdin })).stdout.trim();
  return { rig, id, folder: join(rig.folder, 'labels') };
}

describe('label --download', () => {
  test('makes the folder and saves the PDF as the shipment id, without a credential', async () => {
    const { rig, id } = await booked();
    const ran = await rig.run(`label --international ${id} --download a/b/labels`);
    const file = join(rig.folder, 'a/b/labels', `${id}.pdf`);
    expect(ran).toMatchObject({ exitCode: 0, stderr: `label saved: ${file}\n` });
    expect(ran.stdout).toContain(file);
    expect(readFileSync(file).subarray(0, 5).toString()).toBe('%PDF-');
    expect(readdirSync(join(rig.folder, 'a/b/labels'))).toEqual([`${id}.pdf`]);
    expect(sent(ran)).toEqual([...ONCE, expect.stringMatching(/^GET \/labels\/\S+\.pdf$/)]);
    expect(ran.requests[0]?.headers).toHaveProperty('authorization');
    expect(ran.requests[1]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    [{ status: 404, body: {} }, 'its link was answered with 404'],
    [
      { status: 200, body: 'no label' },
      'what its link leads to is none of a PDF, a PNG image, a GIF image, a JPEG image, ZPL',
    ],
    [{ status: 302, body: {} }, 'its link was answered with 302'],
  ])('of a label that was made but cannot be fetched (%j) is exit 9, with its link', async (answer, why) => {
    const rig = await createRig();
    const elsewhere = await cannedService({ '/l.pdf': answer });
    const link = `${elsewhere.env.WAYBILL_BASE_URL}/l.pdf`;
    const label = { success: true, label: link, trackingNumber: 'T' };
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      '/v2/carriers/create': { status: 200, body: { international: label } },
    });
    const ran = await rig.run('label --international S-1 --download labels --json', { env });
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'label' });
    expect(errorOf(ran).message).toBe(
      `label: the international label was made, but not saved: ${why}. Do not make it again: \`waybill label --international S-1 --download ${join(rig.folder, 'labels')}\` saves this one and makes no other. Its link is ${link}`,
    );
    expect(JSON.parse(ran.stdout).international).toEqual(label);
    expect(readdirSync(join(rig.folder, 'labels'))).toEqual([]);
    const ship = await rig.run('ship -f - --label --download labels --json', { stdin, env });
    expect(errorOf(ship)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'ship' });
    expect(JSON.parse(ship.stdout).label.international).toEqual(label);
    // The shipment has that label already: it is not bought again.
    expect(seen.filter(request => request.startsWith('POST'))).toHaveLength(2);
  });

  test.each([null, { url: 'u' }, ['u'], undefined])(
    'of an international label without a file (%j) is exit 9, and its tracking number is shown',
    async label => {
      const international = { success: true, trackingNumber: 'T1', carrier: 'EXP', label };
      const { env, seen } = await cannedService({
        '/v1/shipments': { status: 201, body: { id: 'S-1' } },
        '/v2/carriers/create': { status: 200, body: { success: true, international } },
      });
      const rig = await createRig({ env });
      const shown = await rig.run('label --international S-1 -otable');
      expect([shown.exitCode, /EXP +T1 +-/.test(shown.stdout)]).toEqual([0, true]);
      for (const command of ['label --international S-1', 'ship -f - --label --key K']) {
        const ran = await rig.run(`${command} --download labels --json`, { stdin });
        expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
        expect(errorOf(ran).message).toContain(
          'the international label (tracking number T1) cannot be saved',
        );
      }
      expect(seen.filter(request => request === ONCE[0])).toHaveLength(1);
    },
  );
});

describe('--print', () => {
  test('runs lp on the file, which only the user can read', async () => {
    const { rig, id } = await booked();
    const ran = await rig.run(`label --international ${id} --print`);
    expect(posted(ran)).toEqual(ONCE);
    const folder = join(rig.folder, 'state/labels');
    expect(ran).toMatchObject({ exitCode: 0, programs: [['lp', join(folder, `${id}.pdf`)]] });
    for (const made of [folder, join(rig.folder, 'state')]) expect(statSync(made).mode & 0o077).toBe(0);
  });

  test("runs the profile's printCommand, on the file that was downloaded", async () => {
    const { rig, id, folder } = await booked();
    rig.file('config/config.json', {
      profiles: {
        shop: {
          baseUrl: rig.address,
          credentials: { kind: 'token', token: 'demo' },
          printCommand: 'lp  -d Zebra',
        },
      },
    });
    const ran = await rig.run(`label --international ${id} --download labels --print --profile shop`);
    expect(posted(ran)).toEqual(ONCE);
    expect(ran.programs).toEqual([['lp', '-d', 'Zebra', join(folder, `${id}.pdf`)]]);
  });

  test('that fails is exit 9: the label is there', async () => {
    const { rig, id, folder } = await booked();
    const ran = await rig.run(`label --international ${id} --download labels --print --json`, {
      programCode: 3,
    });
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'label' });
    expect(errorOf(ran).message).toBe(
      `label: the label was made and saved as ${join(folder, `${id}.pdf`)}, but not printed: lp ended with 3. \`waybill label --print ${id}\` prints it, and makes no other`,
    );
    expect(JSON.parse(ran.stdout).international.success).toBe(true);
    expect(posted(ran)).toEqual(ONCE);
  });
});
