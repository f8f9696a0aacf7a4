// Which orders are one: by keys that look the same, and by the same input under another key.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyIdentity } from '../../src/contract/key.ts';
import { created, jsonLines, order, RUNS, scriptedService, shop } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { posted } from '../rig/service.ts';

test('What is compared of a key has itself as what is compared, and does not depend on blanks and invisible characters around it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(' ', '\u200b', '\u00a0', '\ufeff', '\u2800'),
      (key, around) => {
        const identity = keyIdentity(key);
        expect(keyIdentity(identity)).toBe(identity);
        expect(keyIdentity(around + key + around)).toBe(identity);
        expect(keyIdentity(key.normalize('NFD'))).toBe(identity);
      },
    ),
    RUNS,
  );
});

describeBoth('The same input under another key', journal => {
  const SAME = 'the same receiver, goods and parcels were booked at';

  test('in several records of one file is one warning with their lines, and not valid with --strict', async () => {
    const records = ['sales', 'gift', 'sample'].map(category => ({
      ...order('WAREHOUSE', { category }),
      key: category,
    }));
    const rig = await shop(records, { journal });
    const refused = await rig.run('batch ship orders.jsonl --strict');
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(refused.stderr).toMatch(/line 2 and line 3 +has receiver, goods and parcels of line 1/);
    const ran = await rig.run('batch ship orders.jsonl');
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 3]);
    expect(ran.stderr.match(/has the same receiver, goods and parcels/g)).toHaveLength(1);
    expect(ran.stderr).toContain('line 2 and line 3 (gift, sample): has the same receiver');
  });

  test('is seen of a record that was rejected before, and refused where the profile keeps it for a terminal', async () => {
    let isRejecting = true;
    const { env, arrivals } = await scriptedService(key =>
      isRejecting ? { status: 422, body: { message: 'no such name' } } : created(key),
    );
    const rig = await createRig({ journal, env: { ...env, WAYBILL_PROFILE: 'live' } });
    rig.file('config/config.json', { profiles: { live: {} } });
    rig.file('a.jsonl', jsonLines([order('K1')]));
    expect((await rig.run('batch ship a.jsonl')).exitCode).toBe(9);
    isRejecting = false;
    // K2 is booked, and K1 has its content now.
    rig.file('b.jsonl', jsonLines([{ ...order('OTHER'), key: 'K2' }]));
    expect((await rig.run('batch ship b.jsonl')).exitCode).toBe(0);
    rig.file('a.jsonl', jsonLines([{ ...order('OTHER'), key: 'K1' }]));
    const before = arrivals.length;
    const strict = await rig.run('batch ship a.jsonl --strict');
    expect([strict.exitCode, strict.stderr]).toEqual([2, expect.stringMatching(`${SAME} .* key "K2"`)]);
    rig.file('config/config.json', { profiles: { live: { policy: { allowDuplicate: 'terminal' } } } });
    const reserved = await rig.run('batch ship a.jsonl');
    expect([reserved.exitCode, arrivals.length]).toEqual([2, before]);
    expect(reserved.stderr).toContain('policy.allowDuplicate=terminal');
    rig.file('config/config.json', { profiles: { live: {} } });
    const ran = await rig.run('batch ship a.jsonl -q');
    expect([ran.exitCode, arrivals.length]).toEqual([0, before + 1]);
    expect(ran.stderr).toContain(`line 1, K1: ${SAME}`);
  });
});
