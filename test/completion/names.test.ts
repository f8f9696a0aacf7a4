// Candidates from the tree of commands.
import { beforeEach, describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { offered, offeredValues } from '../rig/service.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});

describe('commands', () => {
  test('are offered with their summaries, without the hidden __complete', async () => {
    const { values: names, description } = await offered(rig, ['']);
    expect(names).toEqual(expect.arrayContaining(['quote', 'ship', 'batch', 'completion', 'help']));
    expect(description.quote).toBe('compare proposals for a parcel');
    expect(names).not.toContain('__complete');
    expect((await rig.run('--help')).stdout).not.toContain('__complete');
  });

  test('are offered by their beginning, also after options', async () => {
    expect(await offeredValues(rig, 'sh')).toEqual(['ship', 'ship-dual']);
    expect(await offeredValues(rig, '--profile', 'ship', '--json', 'tr')).toEqual(['track']);
    expect(await offeredValues(rig, 'profile', 'party', '')).toEqual([
      'add',
      'edit',
      'import',
      'list',
      'show',
      'remove',
      'help',
    ]);
    expect(await offeredValues(rig, 'help', 'webhook', 'c')).toEqual(['create']);
    expect(await offeredValues(rig, 'webhook', 'help', 'c')).toEqual(['create']);
  });

  test('and topics are offered after help', async () => {
    expect(await offeredValues(rig, 'help', 'e')).toEqual(['emulator', 'exit-codes', 'environment']);
    expect((await offeredValues(rig, 'help', '')).filter(name => name === 'batch')).toEqual(['batch']);
    expect(await offeredValues(rig, 'help', 'webhook', 'e')).toEqual([]);
  });

  test('that do not exist have no candidates', async () => {
    expect(await offeredValues(rig, 'nonsense', 'shi')).toEqual([]);
    expect(await offeredValues(rig, 'nonsense', '--pro')).toEqual(['--profile']);
  });
});

describe('options', () => {
  test('are those of the command and the global ones, with their descriptions', async () => {
    const { values: names, description } = await offered(rig, ['ship', '--']);
    expect(names).toEqual(
      expect.arrayContaining(['--carrier', '--max-price', '--set', '--profile', '--help']),
    );
    expect(description['--profile']).toContain('which profile');
    expect(new Set(names).size).toBe(names.length);
    expect(await offeredValues(rig, 'track', '--max')).toEqual(['--max-wait']);
    expect(await offeredValues(rig, 'batch', 'ship', '--concu')).toEqual(['--concurrency']);
  });

  test('are offered if a word can be nothing else', async () => {
    expect(await offeredValues(rig, 'ship', '')).toContain('--carrier');
    expect(await offeredValues(rig, '-')).toContain('--output');
  });

  test('that were given are not offered again, except repeatable ones', async () => {
    const names = await offeredValues(
      rig,
      'ship',
      '--carrier',
      'EXP',
      '--json',
      '-y',
      '--package',
      '1@1x1x1',
      '--',
    );
    expect(names).not.toContain('--carrier');
    expect(names).not.toContain('--json');
    expect(names).not.toContain('--yes');
    expect(names).toContain('--package');
    expect(await offeredValues(rig, 'ship', '--carrier=EXP', '--carr')).toEqual([]);
    expect(await offeredValues(rig, 'quote', '--sandbox', '--no-s')).toEqual([]);
    expect(await offeredValues(rig, 'quote', '--fastest', '--cheap')).toEqual([]);
  });

  test('end after `--`, where the command of `emulator` stands', async () => {
    expect(await offered(rig, ['emulator', '--', '-'])).toMatchObject({
      how: ['files', 'space', 'begun', ''],
    });
    expect(await offeredValues(rig, 'emulator', '--', '--po')).toEqual([]);
  });
});

test.each([[[]], [['nonsense']], [['constructor', 'x']], [['powershell', '%']], [['bash']]])(
  'invalid arguments (%j) get an empty answer',
  async args => {
    const { exitCode, stdout, stderr } = await rig.run(['__complete', ...args]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').length).toBeLessThan(30);
  },
);
