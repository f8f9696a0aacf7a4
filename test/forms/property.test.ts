// Whatever is given, and however a person walks to and fro: what is shown is what was answered.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePath, setAt } from '../../src/contract/paths.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { BOOK, SHIPMENT_ANSWERS, SHIPMENT_BODY } from '../rig/person.ts';
import { runs } from '../torture/size.ts';

const { chargeableWeight: _, ...BODY } = SHIPMENT_BODY;
const FIELDS = Object.keys(SHIPMENT_ANSWERS).filter(id => !id.endsWith('[+]'));
const NUMBER = /weight|dimensions|quantity|Price|Value/;

const fileOf = (given: readonly string[]): unknown =>
  given.reduce<unknown>((body, id) => {
    const said = String(BOOK[id]);
    return setAt(body, parsePath(id) ?? [], NUMBER.test(id) ? Number(said) : said);
  }, {});

interface Walk {
  /** Fields that a file gives. */
  given: string[];
  /** At which of the questions, counted from the first, the person goes back. */
  back: number[];
  /** At which they leave, to go on with the draft. */
  leave: number[];
}

const walk: fc.Arbitrary<Walk> = fc.record({
  given: fc.subarray(FIELDS),
  back: fc.uniqueArray(fc.nat(90), { maxLength: 25 }),
  leave: fc.uniqueArray(fc.nat(60), { maxLength: 3 }),
});

async function walked(rig: Rig, { given, back, leave }: Walk) {
  rig.file('order.json', fileOf(given));
  // No draft of another walk is there.
  const env = { WAYBILL_STATE_DIR: mkdtempSync(join(rig.folder, 'state-')) };
  const asked: string[] = [];
  let left = false;
  const run = (argv: string) => {
    left = false;
    return rig.run(argv, {
      terminal: true,
      env,
      answers: ({ id, esc }) => {
        if (id === 'review') return 'submit';
        asked.push(id);
        const step = asked.length - 1;
        if (leave.includes(step)) {
          left = true;
          throw new Error('left');
        }
        // Back from the first question leaves.
        return back.includes(step) && esc !== 'leave' ? undefined : String(BOOK[id]);
      },
    });
  };
  let ran = await run('ship -f order.json --dry-run');
  // Whoever leaves before the first answer has no draft.
  while (left)
    ran = await run(
      ran.stderr.includes('`waybill ship --draft')
        ? 'ship --draft --dry-run'
        : 'ship -f order.json --dry-run',
    );
  return { ran, asked };
}

test('the body holds the answers, and given values are not asked for', async () => {
  const rig = await createRig();
  await fc.assert(
    fc.asyncProperty(walk, async way => {
      const { ran, asked } = await walked(rig, way);
      expect(ran.exitCode).toBe(0);
      expect(JSON.parse(ran.stdout).body).toEqual(BODY);
      expect(asked.filter(id => way.given.includes(id))).toEqual([]);
    }),
    runs(100),
  );
});
