// What may happen once is decided in its claim: two commands that begin at one moment book, or print, once.
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { describeBoth, type JournalKind } from '../rig/postgres.ts';
import { BARE } from '../rig/profile.ts';
import { atOneMoment } from '../rig/races.ts';
import { DUAL, posted, SHIPMENT, UNDECIDED } from '../rig/service.ts';

const FILES = {
  'order.json': SHIPMENT,
  'undecided.json': UNDECIDED,
  'pair.json': DUAL,
  // The same, which the audit of the rig can tell from a request that is sent twice.
  'reversed.json': Object.fromEntries(Object.entries(SHIPMENT).reverse()),
  'respelled.json': changed(SHIPMENT, {
    'receiver.address.line1': String((SHIPMENT.receiver as { address: { line1: string } }).address.line1)
      .toUpperCase()
      .replace(' ', '  '),
  }),
};

interface Race {
  /** Run before, one after the other. */
  first?: string[];
  /** At one moment. */
  commands: string[];
  /** In place of the environment: profiles with these settings. */
  profiles?: Record<string, Record<string, unknown>>;
}

async function rigFor({ profiles }: Race, journal: JournalKind): Promise<Rig> {
  const rig = await createRig({ journal, files: FILES, ...(profiles && { env: BARE }) });
  if (profiles === undefined) return rig;
  const settings = Object.entries(profiles).map(([name, own]) => [name, { baseUrl: rig.address, ...own }]);
  rig.file('config/config.json', { profiles: Object.fromEntries(settings) });
  for (const name of Object.keys(profiles))
    expect((await rig.run(`profile set ${name} --token-stdin`, { stdin: 'demo' })).exitCode).toBe(0);
  return rig;
}

const TERMINAL = { shop: { policy: { allowDuplicate: 'terminal' } } };

const RACES: Record<string, Race> = {
  'an order without a key, twice': { commands: ['ship -f order.json', 'ship -f order.json'] },
  'two plans of one order without a key': {
    first: ['ship -f order.json --plan one.json', 'ship -f order.json --plan two.json'],
    commands: ['ship -f one.json', 'ship -f two.json'],
  },
  'a plan without a key, and its order': {
    first: ['ship -f undecided.json --carrier EXP --plan one.json'],
    commands: ['ship -f one.json', 'ship -f undecided.json --carrier EXP'],
  },
  'one order under two keys, with --strict': {
    commands: ['ship -f order.json --key A --strict', 'ship -f respelled.json --key B --strict'],
  },
  'one content under two keys, with policy.allowDuplicate=terminal': {
    profiles: TERMINAL,
    commands: ['ship -f order.json --key A --profile shop', 'ship -f order.json --key B --profile shop'],
  },
  'one order with two choices of a carrier, with policy.allowDuplicate=terminal': {
    profiles: TERMINAL,
    commands: [
      'ship -f undecided.json --carrier cheapest --key A --profile shop',
      'ship -f undecided.json --carrier fastest --key B --profile shop',
    ],
  },
  'one order as a shipment and as a pair, with --strict': {
    commands: ['ship -f order.json --key A --strict', 'ship-dual -f pair.json --key B --strict'],
  },
  'a planned order and one with a key, with --strict': {
    first: ['ship -f order.json --plan one.json'],
    commands: ['ship -f one.json --strict', 'ship -f order.json --key B --strict'],
  },
};

const BOOKINGS = /POST \/v[12]\/shipments$/;

describeBoth('At one moment', journal => {
  test.each(Object.entries(RACES))('%s: one is booked, and the other is a duplicate', async (_, race) => {
    const rig = await rigFor(race, journal);
    for (const argv of race.first ?? []) {
      expect((await rig.run(argv)).exitCode).toBe(0);
      // A plan ends a day after it was made: another one has another hash.
      await rig.later(1000);
    }
    const ran = await atOneMoment(
      'claim',
      // The proposals were asked for before the claim.
      race.commands.map(argv => () => rig.run(argv, { may: ['reads'] })),
    );
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
    const all = new Set(ran.flatMap(({ requests }) => requests));
    expect(posted({ requests: [...all] }).filter(line => BOOKINGS.test(line))).toHaveLength(1);
    const refused = ran.find(({ exitCode }) => exitCode === 2);
    expect(refused?.stderr).toMatch(/was booked at .* \(bk_/);
  });
});

describeBoth('At one moment of one order', journal => {
  test.each([
    ['the plan and the order with a key', 'ship -f one.json', 'ship -f reversed.json --key B'],
    ['two with keys', 'ship -f order.json --key A', 'ship -f reversed.json --key B'],
  ])('%s: the second one is told of the first, or refused', async (_, first, second) => {
    const rig = await rigFor({ commands: [] }, journal);
    expect((await rig.run('ship -f order.json --plan one.json')).exitCode).toBe(0);
    const ran = await atOneMoment(
      'claim',
      [first, second].map(argv => () => rig.run(argv, { may: ['reads'] })),
    );
    expect(ran.map(({ stderr }) => stderr).join('')).toMatch(/was booked at .* \(bk_/);
    expect(ran.map(({ exitCode }) => exitCode).join()).toMatch(/^(0,0|2,0)$/);
  });
});
