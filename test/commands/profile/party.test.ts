import { expect, test } from 'vitest';
import type { Rig } from '../../rig/command.ts';
import { answering, asked, BACK, choiceOf, ids, LEAVE, type Script } from '../../rig/person.ts';
import { savedIn, shopRig } from '../../rig/profile.ts';
import { errorOf } from '../../rig/service.ts';

const ADA = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: { code: '+44', number: '2000' },
  address: { line1: 'St. James 1', city: 'London', zipCode: 'SW1', country: { code: 'GB' } },
};

const ANSWERS: Script = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  'address.country.code': 'GB',
  'phone.code': '+44',
  'phone.number': '2000',
  'address.line1': 'St. James 1',
  'address.city': 'London',
  'address.zipCode': 'SW1',
};

const partiesIn = (rig: Rig) => savedIn(rig).profiles.shop.parties;

const withAda = (more = {}) => shopRig({ parties: { ada: ADA, ...more } });

test('add asks for everything on a terminal, knows the dialling code of the country, and shows the page before it saves', async () => {
  const rig = await shopRig();
  const ran = await answering(rig, 'profile party add ada', { ...ANSWERS, review: 'submit' });
  expect([ran.exitCode, ran.stdout]).toEqual([0, '']);
  expect(partiesIn(rig)).toEqual({ ada: ADA });
  expect(ids(ran)).not.toContain('phone.code');
  expect(choiceOf(asked(ran, 'review'), 'submit')?.name).toBe('Save it as @ada');
  expect(ran.stderr).toContain('party ada saved; use it as @ada');
});

test('add without a terminal, and with anything wrong, is refused with every problem', async () => {
  const rig = await shopRig();
  const nothing = await rig.run('profile party add ada --json');
  expect(errorOf(nothing)).toMatchObject({ code: 'usage', message: expect.stringContaining('-f FILE') });
  const some = await rig.run(['profile', 'party', 'add', 'ada', '--json', '--set', 'firstName=Ada']);
  expect(errorOf(some).issues.map(({ path }) => path)).toContain('address.city');
  rig.file('ada.json', { ...ADA, fristName: 'x' });
  const wrong = await rig.run('profile party add ada -f ada.json', { terminal: true });
  expect([wrong.exitCode, wrong.questions]).toEqual([2, []]);
  expect(wrong.stderr).toContain('did you mean firstName?');
  expect(partiesIn(rig)).toBeUndefined();
});

test('a person who leaves, at a question or at the page, saves nothing', async () => {
  const rig = await withAda();
  for (const script of [
    { review: 'discard' },
    { review: 'address.city', 'address.city': LEAVE },
    { review: ['address.city', 'discard'], 'address.city': BACK },
  ] as Script[]) {
    expect((await answering(rig, 'profile party edit ada', script)).exitCode).toBe(130);
    expect(partiesIn(rig)).toEqual({ ada: ADA });
  }
});

test('edit changes a party in a form with its present values', async () => {
  const rig = await withAda();
  const ran = await answering(rig, 'profile party edit ada', {
    review: ['address.city', 'submit'],
    'address.city': 'Paris',
  });
  expect(ran.exitCode).toBe(0);
  expect(asked(ran, 'address.city')).toMatchObject({ value: 'London' });
  expect(choiceOf(asked(ran, 'review'), 'email')?.name).toContain('ada@example.com');
  expect(partiesIn(rig).ada).toEqual({ ...ADA, address: { ...ADA.address, city: 'Paris' } });
});

test('edit says that a role of the profile still has the party as it was', async () => {
  const rig = await withAda();
  await rig.run('profile set shop sender=@ada');
  const edited = await rig.run('profile party edit ada --set address.city=Leeds');
  const [, again = ''] =
    /the sender of .* is still the earlier @ada: `waybill (.*)` takes/.exec(edited.stderr) ?? [];
  expect(savedIn(rig).profiles.shop.sender.address.city).toBe('London');
  expect((await rig.run(again)).exitCode).toBe(0);
  expect(savedIn(rig).profiles.shop.sender.address.city).toBe('Leeds');
  expect((await rig.run('profile party remove ada')).stderr).not.toContain('still');
});

test('edit changes single fields with --set, on a terminal without a question', async () => {
  const rig = await withAda();
  const edit = 'profile party edit ada --set address.city=Paris --set address.country.code=fr';
  const ran = await rig.run(edit, { terminal: true });
  expect([ran.exitCode, ran.questions]).toEqual([0, []]);
  expect(partiesIn(rig).ada.address).toMatchObject({ city: 'Paris', country: { code: 'FR' } });
  const wrong = await rig.run(
    'profile party edit ada --set address.town=Paris --set address.country.code=Almanya --json',
  );
  expect(errorOf(wrong).issues).toEqual([
    expect.objectContaining({ path: 'address.country.code', suggestion: 'DE' }),
    expect.objectContaining({ path: 'address.town' }),
  ]);
  expect((await rig.run('profile party edit ada')).stderr).toContain('--set address.city=Berlin');
  expect((await rig.run('profile party edit adda --set email=a@b.example')).stderr).toContain(
    'did you mean ada?',
  );
});

const CSV = [
  'name,firstName,lastName,email,phone.code,phone.number,address.line1,address.city,address.zipCode,address.country.code',
  'anna,Anna,Beispiel,anna@example.com,+49,1,Hauptstr. 7,Dresden,01067,de',
  'max,Max,Muster,max@example.com,+43,2,Ring 1,Wien,1010,AT',
  '',
].join('\n');

test('import saves nothing if a line is wrong, and tells every problem', async () => {
  const rig = await withAda();
  rig.file(
    'book.csv',
    CSV.replace('max,Max', 'anna,').replace('01067,de', '01067,Almanya').replace('+49', ''),
  );
  const ran = await rig.run('profile party import book.csv --json');
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran).issues.map(({ path }) => path)).toEqual([
    'line 2: phone.code',
    'line 2: address.country.code',
    'line 3: name',
    'line 3: firstName',
  ]);
  rig.file('bad.csv', CSV.replace('max,', 'max muster,').replace('anna,', ','));
  const names = await rig.run('profile party import bad.csv --json');
  expect(errorOf(names).issues.map(({ path }) => path)).toEqual(['line 2: name', 'line 3: name']);
  rig.file('none.csv', 'name,firstName\n');
  expect((await rig.run('profile party import none.csv')).stderr).toContain(
    'has no party; nothing was saved',
  );
  rig.file('other.csv', CSV.replace('firstName', 'fristName'));
  expect((await rig.run('profile party import other.csv')).stderr).toContain('did you mean firstName?');
  expect(partiesIn(rig)).toEqual({ ada: ADA });
});

test('import with --strict saves nothing if it warns of anything', async () => {
  const rig = await withAda();
  rig.file('book.csv', CSV.replaceAll(/(?<=.)$/gm, ',x').replace(',x', ',Notes'));
  rig.file('map.json', { columns: {}, others: '_' });
  const ran = await rig.run('profile party import book.csv --map map.json --strict --json');
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran)).toMatchObject({
    message: 'book.csv has a problem; nothing was saved',
    issues: [{ message: 'the map leaves out columns that it does not name: "Notes"' }],
  });
  expect(partiesIn(rig)).toEqual({ ada: ADA });
  expect((await rig.run('profile party import book.csv --map map.json')).exitCode).toBe(0);
});

test('import refuses names that are saved already, unless --replace replaces them', async () => {
  const rig = await withAda({ anna: ADA });
  rig.file('book.csv', CSV);
  const ran = await rig.run('profile party import book.csv');
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(
    '1 of these parties is saved already: anna. Nothing was saved; --replace replaces them',
  );
  expect(partiesIn(rig)).toEqual({ ada: ADA, anna: ADA });
  expect((await rig.run('profile party import book.csv --replace')).exitCode).toBe(0);
  expect(partiesIn(rig)).toMatchObject({ ada: ADA, anna: { firstName: 'Anna' }, max: { firstName: 'Max' } });
});
