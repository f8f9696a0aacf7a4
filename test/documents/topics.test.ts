import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { INPUT_FORMATS } from '../../src/batch/input-types.ts';
import { STATES } from '../../src/booking/booking.ts';
import { FAILURES } from '../../src/exit-codes.ts';
import { TOPICS } from '../../src/shell/topics.ts';
import { FORMAT_NAMES } from '../../src/text.ts';
import { createRig } from '../rig/command.ts';

const topic = async (name: string): Promise<string> => {
  const { run } = await createRig({
    env: { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' },
  });
  const page = await run(['help', name]);
  expect(page).toMatchObject({ exitCode: 0, stderr: '', requests: [] });
  return page.stdout;
};

test('each topic has all its sections, and is on the first page', async () => {
  const { run } = await createRig();
  const { stdout } = await run('--help');
  for (const [name, { headings }] of Object.entries(TOPICS)) {
    const text = await topic(name);
    for (const heading of headings) expect(text).toMatch(new RegExp(`^${heading}:\n {2}\\S`, 'm'));
    expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
  }
});

describe('the topics have the facts of the code:', () => {
  test('exit-codes has each code with its description', async () => {
    const text = (await topic('exit-codes')).replace(/\s+/g, ' ');
    for (const [code, { exit, description }] of Object.entries(FAILURES))
      expect(text).toContain(`${exit} ${code} ${description}`);
  });

  test('output has each format, journal each state', async () => {
    const [output, journal] = [await topic('output'), await topic('journal')];
    for (const format of FORMAT_NAMES) expect(output).toMatch(new RegExp(`^ {2}${format} `, 'm'));
    for (const state of STATES) expect(journal).toMatch(new RegExp(`^ {2}${state} `, 'm'));
  });

  test('batch has each format, and each field of a line of results', async () => {
    const text = await topic('batch');
    for (const format of INPUT_FORMATS) expect(text).toMatch(new RegExp(`^ {2}${format} `, 'm'));
    const rig = await createRig();
    const template = await rig.run('batch template quote');
    await rig.run(['batch', 'quote', rig.file('parcels.csv', template.stdout), '--results', 'out.jsonl']);
    const [line = '{}'] = readFileSync(join(rig.folder, 'out.jsonl'), 'utf8').split('\n');
    for (const field of Object.keys(JSON.parse(line))) expect(text).toMatch(new RegExp(`\\b${field}\\b`));
  });

  test('environment has every WAYBILL_ variable that the code reads, and no other', async () => {
    const text = await topic('environment');
    expect(new Set(text.match(/WAYBILL_\w+/g))).toEqual(new Set(variablesRead()));
  });
});

// Put in by the bundler; not variables of the environment.
const BUILT_IN = ['WAYBILL_ENTRY', 'WAYBILL_VERSION'];

/** `WAYBILL_` variables that the code names as a string of its own or as a field of the environment. */
function variablesRead(): string[] {
  const names = (readdirSync('src', { recursive: true }) as string[])
    .filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map(name => readFileSync(join('src', name), 'utf8'))
    .filter(source => source.includes('WAYBILL_'))
    .flatMap(source => {
      // Without comments.
      const { code } = transformSync(source, { loader: 'ts' });
      return [...code.matchAll(/(?:["']|\benv\.)(WAYBILL_[A-Z_]+)\b["']?(?=[,\])\s;:}]|$)/gm)].map(
        ([, found = '']) => found,
      );
    });
  return [...new Set(names)].filter(name => !BUILT_IN.includes(name));
}
