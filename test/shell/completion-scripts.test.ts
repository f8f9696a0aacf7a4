// How each shell asks and is answered. Real shells run in test/built/completion.test.ts. There is no PowerShell, so its
// request and answer are tested here byte by byte.
import { beforeEach, describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  'the script for %s evaluates nothing on the line, and the help says how to install it',
  async shell => {
    const { exitCode, stdout, stderr } = await rig.run(['completion', shell]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`waybill __complete ${shell} `);
    const code = stdout.replace(/^#.*/gm, '');
    expect(code).not.toMatch(/\beval\b|compgen|Invoke-Expression|\$\{\(e\)/);
    const help = await rig.run('completion --help');
    expect(help.stdout).toContain(`waybill completion ${shell}`);
  },
);

describe('bash', () => {
  // COMP_WORDS as bash 5.2 has them, before the word at the cursor.
  test.each<[line: string, replaced: string, pieces: string[], answer: string[]]>([
    ['waybill quote --to germ', 'germ', ['waybill', 'quote', '--to'], ['DE']],
    ['waybill quote --to=germ', 'germ', ['waybill', 'quote', '--to', '='], ['DE']],
    [
      'waybill webhook create --event=',
      '',
      ['waybill', 'webhook', 'create', '--event'],
      ['shipment.status.updated', 'shipment.milestone.updated'],
    ],
    ['waybill completion ', '', ['waybill', 'completion'], ['bash', 'zsh', 'fish', 'powershell']],
    [
      'waybill --profile p ship --sender @',
      '@',
      ['waybill', '--profile', 'p', 'ship', '--sender'],
      ['@home'],
    ],
    [
      "waybill --profile 'b b' ship --sender=\"@",
      '@',
      ['waybill', '--profile', "'b b'", 'ship', '--sender', '='],
      ['@mine'],
    ],
    [
      'waybill --profile b\\ b ship --sender @m',
      '@m',
      ['waybill', '--profile', 'b\\ b', 'ship', '--sender', '@'],
      ['@mine'],
    ],
    ['waybill --profile $(echo p) sch', 'sch', ['waybill', '--profile', '$(echo p)'], ['schema']],
    ['waybill 2>err.txt sch', 'sch', ['waybill', '2', '>', 'err.txt'], ['schema']],
    ['waybill > err.txt sch', 'sch', ['waybill', '>', 'err.txt'], ['schema']],
  ])(
    '`%s`, of which bash replaces %j and has the words %j, gets %j',
    async (line, replaced, pieces, answer) => {
      const profiles = { p: { parties: { home: {} } }, 'b b': { parties: { mine: {} } } };
      rig.file('config/config.json', { profiles });
      const { stdout } = await rig.run(['__complete', 'bash', line, replaced, '9', '80', ...pieces]);
      expect(stdout.split('\n').slice(1, -1)).toEqual(answer);
    },
  );

  test.each([
    ['waybill track > ou', 'ou', ['waybill', 'track', '>']],
    ['waybill track 2>ou', 'ou', ['waybill', 'track', '2', '>']],
    ['waybill track >', '', ['waybill', 'track']],
  ])('completes the file of a redirection by itself: `%s`', async (line, replaced, pieces) => {
    const { stdout } = await rig.run(['__complete', 'bash', line, replaced, '9', '80', ...pieces]);
    expect(stdout).toMatch(/^files\t.*\n$/);
  });
});

describe('PowerShell', () => {
  const ask = async (words: unknown) => {
    const data = Buffer.from(JSON.stringify(words)).toString('base64');
    const { exitCode, stdout, stderr } = await rig.run(['__complete', 'powershell', data]);
    expect([exitCode, stderr]).toEqual([0, '']);
    // Whatever its code page is.
    expect(stdout).toMatch(/^[ -~]*$/);
    return JSON.parse(stdout);
  };

  test('gets JSON in ASCII, with words quoted for PowerShell', async () => {
    expect(await ask(['quote', '--to', 'germ'])).toEqual([{ text: 'DE', shown: 'DE', says: 'Germany' }]);
    expect(await ask(['quote', '--to', 'türk'])).toContainEqual({
      text: 'TR',
      shown: 'TR',
      says: 'Türkiye',
    });
    expect(await ask(['ship', '--category', 'mic'])).toEqual([
      { text: "'micro export'", shown: 'micro export', says: 'micro export' },
    ]);
    // One word alone, which ConvertTo-Json may give without a list.
    expect(await ask('sche')).toEqual([expect.objectContaining({ text: 'schema' })]);
  });

  test('gets parties in quotes, because a bare @ has a meaning in PowerShell', async () => {
    rig.file('config/config.json', { profiles: { p: { parties: { "o'hara": {} } } } });
    expect(await ask(['profile', 'set', 'p', 'sender=@'])).toEqual([
      { text: "'sender=@o''hara'", shown: "sender=@o'hara", says: "sender=@o'hara" },
    ]);
  });
});
