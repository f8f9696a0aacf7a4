// Learn by doing: what a form leaves behind for the next time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import {
  answering,
  asked,
  BACK,
  BOOK,
  faultOf,
  ids,
  LEAVE,
  NO_CARRIER,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { savedIn, shopRig } from '../rig/profile.ts';
import { bodyOf } from '../rig/service.ts';

const SPEC = '1x0.6kg@35x25x5cm';
const values = (ran: Parameters<typeof asked>[0]): unknown => {
  const question = asked(ran, 'keep');
  return question.kind === 'choice' && question.choices.map(({ value }) => value);
};

test('a party and a package are saved, and used as @name and picked by the next form', async () => {
  const rig = await shopRig();
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    keep: ['receiver', SPEC, 'sender', ''],
    name: ['anna', 'small', 'deniz'],
  });
  expect(ran.exitCode).toBe(0);
  expect(savedIn(rig).profiles.shop).toMatchObject({
    parties: { anna: SHIPMENT_BODY.receiver, deniz: SHIPMENT_BODY.sender },
    parcels: { small: SPEC },
  });
  // What was kept is not offered again.
  expect(values(ran)).toEqual(['', 'file']);

  rig.file('order.json', { ...NO_CARRIER, packages: undefined, sender: undefined, receiver: undefined });
  const again = await rig.run(
    'ship -f order.json --sender @deniz --receiver @anna --package @small --carrier EXP --allow-duplicate',
  );
  expect(again.exitCode).toBe(0);
  expect(bodyOf(again)).toEqual(SHIPMENT_BODY);

  const next = await answering(rig, 'ship', {
    ...BOOK,
    'packages[0]': 'small',
    sender: 'deniz',
    receiver: 'anna',
    confirm: 'yes',
  });
  expect(next.exitCode).toBe(0);
  expect(bodyOf(next)).toEqual(SHIPMENT_BODY);
  expect(ids(next).filter(id => /^(sender|receiver|packages)/.test(id))).toEqual([
    'packages[0]',
    'packages[+]',
    'sender',
    'receiver',
  ]);
  // Whoever is kept already is not offered.
  expect(values(next)).toEqual(['', 'file']);
});

test('a name must be free and valid', async () => {
  const other = { ...SHIPMENT_BODY.receiver, firstName: 'Otto' };
  const rig = await shopRig({ parties: { anna: other } });
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    sender: '',
    receiver: '',
    keep: ['receiver', 'sender', ''],
    name: ['eva', BACK],
  });
  const question = asked(ran, 'name');
  expect(await faultOf(question, 'anna')).toBe('This name is taken. Give another one');
  expect(await faultOf(question, 'eva')).toBe('This name is taken. Give another one');
  expect(await faultOf(question, 'no name')).toContain('letters, digits');
  expect(await faultOf(question, 'toString')).toBeUndefined();
  expect(await faultOf(question, 'berta')).toBeUndefined();
  expect(savedIn(rig).profiles.shop.parties).toEqual({ anna: other, eva: SHIPMENT_BODY.receiver });
});

describe('after the booking', () => {
  test.each(['keep', 'name', 'file'])('leaving at %s is no failure', async at => {
    const rig = await shopRig();
    const ran = await answering(rig, 'ship -q', {
      ...BOOK,
      keep: at === 'file' ? 'file' : 'receiver',
      [at]: LEAVE,
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^shp_\w+\n$/);
    expect(ran.stderr).toBe('');
  });

  test('a file that cannot be written is reported, and asked for again', async () => {
    const rig = await createRig();
    const ran = await answering(rig, 'ship', {
      ...BOOK,
      keep: ['file', 'file'],
      file: ['no/such/folder.json', 'a b.json'],
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('no/such/folder.json cannot be written');
    expect(ran.stderr).toContain("saved; to run this without questions: `waybill ship -f 'a b.json'");
    expect(existsSync(join(rig.folder, 'a b.json'))).toBe(true);
  });
});
