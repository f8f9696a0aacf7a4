// The built-in profile `demo`: the emulator inside the command, with a world that lasts.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig } from '../rig/command.ts';
import { titled } from '../rig/needs.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { DUAL, SHIPMENT, UNDECIDED } from '../rig/service.ts';

const MARK = 'demo: the built-in emulator answered; nothing real was booked or moved\n';

test('two commands of the demo see the same world, and each answer is marked', async () => {
  const rig = await createRig();
  const ship = await rig.run('ship -f - --profile demo --json --query id -o text', {
    stdin: JSON.stringify(SHIPMENT),
  });
  expect(ship).toMatchObject({ exitCode: 0, stderr: MARK });
  const id = ship.stdout.trim();
  const label = await rig.run(`label --international ${id} --profile demo --download labels`);
  expect(label.exitCode).toBe(0);
  expect(label.stderr).toContain(MARK);
  expect(readdirSync(join(rig.folder, 'labels'))).toEqual([`${id}.pdf`]);
  const track = await rig.run(`track ${id} --profile demo`);
  expect(track).toMatchObject({ exitCode: 0, stderr: MARK });
  expect(statSync(join(rig.folder, 'state')).mode & 0o777).toBe(0o700);
  expect([ship, label, track].flatMap(({ requests }) => requests)).toEqual([]);
});

test('the demo needs no environment, no profile and no question', async () => {
  const rig = await createRig({
    env: { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '', WAYBILL_PROFILE: 'demo' },
  });
  for (const command of ['quote', 'rates']) {
    const ran = await rig.run(`${command} --from TR --to DE --package 1@1x1x1`);
    expect(ran).toMatchObject({ exitCode: 0, stderr: MARK });
  }
  const stdin = JSON.stringify(UNDECIDED);
  const ship = await rig.run('ship -f - --carrier cheapest --ioss-number IM0123456789 -q', {
    stdin,
    terminal: true,
  });
  expect(ship).toMatchObject({ exitCode: 0, asked: [], requests: [] });
  const dual = await rig.run('ship-dual -f - --label', { stdin: JSON.stringify(DUAL), terminal: true });
  expect(dual).toMatchObject({ exitCode: 0, asked: [], requests: [] });
  expect(dual.stderr).toContain(MARK);
});

test('the demo has a sandbox too, a world of its own', async () => {
  const rig = await createRig();
  const stdin = JSON.stringify(SHIPMENT);
  const ship = await rig.run('ship -f - --profile demo --sandbox -q', { stdin });
  const id = ship.stdout.trim();
  expect((await rig.run(`label --international ${id} --profile demo`)).exitCode).toBe(5);
  const label = await rig.run(`label --international ${id} --profile demo --sandbox`);
  expect(label).toMatchObject({ exitCode: 0, requests: [] });
  expect(label.stderr).toMatch(/^demo \(sandbox\): /);
});

test('a label of the demo is kept as a file, because its link ends with the command', async () => {
  const rig = await createRig();
  const stdin = JSON.stringify(SHIPMENT);
  const shown = await rig.run('ship -f - --key A --label --profile demo', { stdin });
  const kept = /^Label +(\S+)$/m.exec(shown.stdout)?.[1] ?? '';
  expect(kept).toMatch(/state\/labels\/A\.pdf$/);
  expect(readFileSync(kept, 'latin1')).toMatch(/^%PDF-/);
  const again = await rig.run('label --key A --download labels -q --profile demo');
  expect(readFileSync(again.stdout.trim(), 'latin1')).toBe(readFileSync(kept, 'latin1'));
});

// The last one is the sender of the first.
const PLACES = [
  ['PL', '90-001', 'Łódź', 'ul. Gęślą Jaźń 1', 'Żółć Ścięgnąć'],
  ['TR', '35210', 'İzmir', 'Ğazi Şükrü Çıkmazı 1', 'Işıl Ünüvar'],
  ['CZ', '110 00', 'Třeboň', 'Žluťoučký kůň 1', 'Ďáblík Úpěl'],
  ['GR', '105 57', 'Αθήνα', 'Λεωφόρος Ελευθερίου Βενιζέλου 1', 'Ξένια Ψυχή'],
  ['RU', '101000', 'Москва', 'улица Щорса, дом 1', 'Юрий Объездной'],
] as const;

test.skipIf(noReader)(
  titled(
    'labels of the demo show both parties in Polish, Turkish, Czech, Greek and Cyrillic letters',
    noReader,
  ),
  async () => {
    const rig = await createRig();
    const party = (role: string, index: number) => {
      const [country, zipCode, city, line1, name] = PLACES.at(index) ?? PLACES[0];
      const [firstName, lastName] = name.split(' ');
      return {
        [`${role}.firstName`]: firstName,
        [`${role}.lastName`]: lastName,
        [`${role}.address.line1`]: line1,
        [`${role}.address.city`]: city,
        [`${role}.address.zipCode`]: zipCode,
        [`${role}.address.country.code`]: country,
      };
    };
    for (const [index, [country]] of PLACES.entries()) {
      const order = changed(SHIPMENT, { ...party('sender', index - 1), ...party('receiver', index) });
      const ran = await rig.run(`ship -f - --key ${country} --label --download labels --profile demo`, {
        stdin: JSON.stringify(order),
      });
      expect(ran).toMatchObject({ exitCode: 0, requests: [] });
      const [page = ''] = pageTexts(join(rig.folder, 'labels', `${country}.pdf`));
      for (const [, zipCode, city, line1, name] of [PLACES.at(index - 1), PLACES.at(index)].map(
        place => place ?? PLACES[0],
      ))
        expect(page.split('\n').map(line => line.trim())).toEqual(
          expect.arrayContaining([name, line1, `${zipCode} ${city}`]),
        );
    }
  },
);
