import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { served } from '../../rig/sockets.ts';

test('a secret that the journal could not record is not said to be in it', async () => {
  const rig = await createRig({ journalLost: true });
  const state = join(rig.folder, 'state');
  const address = await served(async (request, response) => {
    await request.toArray();
    for (const name of readdirSync(state)) if (/^journal\.db/.test(name)) rmSync(join(state, name));
    response.writeHead(201).end(JSON.stringify({ success: true, data: { id: 'W-1', secret: 'only-here' } }));
  });
  const ran = await rig.run(
    'webhook create --url https://shop.example.com/hook --event shipment.status.updated --no-input',
    { env: { WAYBILL_BASE_URL: address } },
  );
  expect(ran.exitCode).toBe(10);
  expect(ran.stdout).toContain('only-here');
  expect(ran.stderr).toContain('could not record');
  expect(ran.stderr).not.toContain('is in the journal');
});
