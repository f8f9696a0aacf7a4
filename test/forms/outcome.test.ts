// What becomes of a form and its draft when the booking, or the way to it, goes wrong.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig, type RigOptions } from '../rig/command.ts';
import { answering, BOOK, continuing, ids, NO_CARRIER, says } from '../rig/person.ts';
import { cannedService, errorOf, PROPOSALS, posted, sent, switchable } from '../rig/service.ts';

const PICK = { 'carrier.id': 'EXP', review: 'submit', keep: '' };
const WAY_BACK = 'continues it';

const drafts = ({ folder }: Rig): string[] =>
  readdirSync(join(folder, 'state/drafts')).filter(name => name.endsWith('.json'));

async function begun(options: RigOptions = {}): Promise<Rig> {
  const rig = await createRig(options);
  rig.file('order.json', NO_CARRIER);
  return rig;
}

describe('a form whose proposals cannot be fetched ends, and names its draft:', () => {
  const whole = (env: Record<string, string>) => ({ terminal: true, env, answers: says(BOOK) });

  test.each([
    [401, 3],
    [500, 7],
    [429, 6],
  ])('%i is exit %i', async (status, exitCode) => {
    const { env } = await cannedService({ [PROPOSALS]: { status, body: { message: 'not now' } } });
    const rig = await createRig();
    const ran = await rig.run('ship', whole(env));
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.stderr).toContain('not now');

    // The rig waits by a random part of a millisecond; a clock knows whole ones.
    rig.clock.now = Math.ceil(rig.clock.now);
    const on = await answering(rig, continuing(ran), PICK);
    expect(on.exitCode).toBe(0);
    expect(ids(on)).toEqual(['carrier.id', 'review', 'keep']);
  });
});

describe('a booking whose outcome is unknown', () => {
  test.each(['reset-after', '500'])(
    'by %s is exit 8, and nobody is invited to go on with the draft',
    async kind => {
      const fault = switchable(kind);
      const rig = await begun(fault);
      const answer = says(PICK);
      const ran = await rig.run('ship -f order.json', {
        terminal: true,
        answers: question => {
          if (question.id === 'review') fault.turn('on');
          return answer(question);
        },
      });
      fault.turn('off');
      expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
      expect(ran.stderr).toContain('waybill history resolve');
      expect(ran.stderr).not.toContain(WAY_BACK);
      expect(posted(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);

      // Nor by the next form, until it is known that nothing came of it.
      const leave = () => {
        throw new Error('left');
      };
      rig.clock.now += 60_000;
      const next = await rig.run('ship', { terminal: true, answers: leave });
      expect(next.stderr).not.toContain(WAY_BACK);

      const [booking] = JSON.parse((await rig.run('history list --json')).stdout);
      await rig.run(`history resolve ${booking.id} --not-created --force --reason gone`);
      const on = await answering(rig, `ship --like ${booking.id} --key ORDER-2`, PICK);
      expect(on.exitCode).toBe(0);
      expect(ids(on)).toEqual(['review']);
      expect(drafts(rig)).toEqual([]);
    },
  );
});

test('an interruption waits for a booking that is under way, and leaves no draft of it', async () => {
  const rig = await begun();
  const ran = await answering(rig, 'ship -f order.json', PICK, {
    onRequest: ({ path }, { interrupt }) => {
      if (path === '/v1/shipments') interrupt('SIGTERM');
    },
  });
  expect(ran.exitCode).toBe(143);
  expect(sent(ran)).toContain('POST /v1/shipments');
  expect(ran.stdout).toContain('Shipment');
  expect(ran.stderr).not.toContain(WAY_BACK);
  expect(ids(ran)).toEqual(['carrier.id', 'review']);
  expect(drafts(rig)).toEqual([]);
});

test('a booking whose result cannot be shown leaves no draft', async () => {
  const rig = await begun();
  const fault = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const ran = await answering(rig, 'ship -f order.json', PICK, { stdoutFault: fault });
  expect(ran.exitCode).toBe(10);
  expect(ran.stderr).not.toContain(WAY_BACK);
  expect(drafts(rig)).toEqual([]);
});

describe('a key that is booked', () => {
  test('is refused before the first question, and nothing is sent', async () => {
    const rig = await begun();
    await rig.run('ship -f order.json --carrier EXP --key ORDER-1');
    for (const argv of ['ship', 'ship-dual']) {
      const ran = await rig.run(`${argv} --key ORDER-1 --json`, { terminal: true });
      expect(ran).toMatchObject({ questions: [], requests: [], stdout: '' });
      expect(errorOf(ran)).toMatchObject({
        code: 'duplicate',
        exitCode: 2,
        message: expect.stringContaining('ORDER-1'),
      });
    }
  });

  test('while the form is filled in is found before anything more is sent', async () => {
    const rig = await begun();
    const answer = says(PICK);
    const ran = await rig.run('ship -f order.json --key ORDER-1', {
      terminal: true,
      answers: async question => {
        if (question.id === 'review')
          await rig.run('ship -f order.json --carrier ECO --ioss-number IM0123456789 --key ORDER-1');
        return answer(question);
      },
    });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('was booked with other input');
  });
});

test('a repeated shipment needs a confirmation, and No keeps the draft', async () => {
  const rig = await begun();
  await rig.run('ship -f order.json --carrier EXP');
  const ran = await answering(rig, 'ship -f order.json', { ...PICK, confirm: 'no' });
  expect(ran.exitCode).toBe(2);
  expect(ran.asked[0]).toContain('Book another one?');
  expect(sent(ran)).toEqual([`POST ${PROPOSALS}`]);
  expect(drafts(rig)).toHaveLength(1);
});
