// Two journals where there should be one: what books with each of them does not see what the other has booked.

import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { describeShared, sharedPlace } from '../rig/postgres.ts';
import { bareEnvironment, builtCommand, start } from '../rig/process.ts';
import { asProduction } from '../rig/production.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';
import { sampled } from '../torture/size.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key K-1 --json';

describeShared('Two commands at one moment, one with the local journal and one with a shared one', () => {
  const command = builtCommand();

  test.each(sampled([1, 2, 3], 3))(
    'book one key once, and one of the two is exit 10 (round %i)',
    async () => {
      const { address } = await sharedPlace();
      const rig = await createRig({ journalLost: true });
      const seen: string[] = [];
      const env = { ...bareEnvironment(rig.folder), ...(await asProduction(rig)), WAYBILL_TOKEN: SECRET };
      const begun = ['', address, '', address].map(journal =>
        start(process.execPath, [command(), ...SHIP.split(' ')], {
          env: { ...env, WAYBILL_JOURNAL: journal },
          cwd: rig.folder,
          stdin,
        }),
      );
      const ended = await Promise.all(begun.map(one => one.ended));
      for (const { code, stderr, stdout } of ended) {
        expect([0, 10]).toContain(code);
        if (code === 0) seen.push(JSON.parse(stdout).id);
        else
          expect(errorOf({ stderr, exitCode: 10 }).message).toMatch(
            /is booked in the journal .* lacks those bookings; nothing was sent/,
          );
      }
      // The two with one journal are one booking.
      expect(ended.map(({ code }) => code).sort()).toEqual([0, 0, 10, 10]);
      expect(new Set(seen).size).toBe(1);
    },
  );
});
