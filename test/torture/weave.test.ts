// Every pair of commands that change something, and triples of those that book, in orders of their steps that a seed chooses.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, buildModule } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { inSharedPlace, type JournalKind, noPostgres, type SharedPlace } from '../rig/postgres.ts';
import { MUTANTS } from './mutants.ts';
import { FULL, SEED, sampled } from './size.ts';
import { PROBES } from './steps.ts';
import { type Choice, type Event, type Process, type Product, Weave, withSteps } from './weave.ts';
import { NEAREST, together } from './weave-pairs.ts';
import * as product from './weave-product.ts';
import { broken, limitPassed, rowsOf } from './weave-rules.ts';
import { FAULTS, type Fault } from './weave-service.ts';
import { ACTORS, BEFORE, type Did, openWorld, PRICE, runIn, wordsOf } from './weave-world.ts';

const WOVEN = MUTANTS.filter(({ woven }) => woven !== undefined);
/** The seeds of a landing: the first ones, and each that notices a mutant. */
const landing = [
  ...new Set([...Array.from({ length: 72 }, (_, seed) => seed), ...WOVEN.flatMap(({ woven = [] }) => woven)]),
];

interface Story {
  choices: Choice[];
  faults: Fault[];
  events: readonly EventName[];
  isLimited: boolean;
}

const HOUR_MS = 3_600_000;
const EVENTS = ['kill', 'stop', 'time', 'clock'] as const;
type EventName = (typeof EVENTS)[number];

const names = Object.keys(ACTORS);
const bookers = names.filter(name => ACTORS[name]?.books);
/** Those whose price is known before. */
const priced = bookers.filter(name => !name.startsWith('ship-dual'));

const isSaidLater = (name: string): boolean => ACTORS[name]?.isSaidLater === true;
const settlers = names.filter(isSaidLater);
const makers = [...bookers, 'label', 'label --print', 'batch label'];
const SETTLED = makers.flatMap(one =>
  settlers.flatMap(settler => [...makers, ...settlers].map(other => [one, settler, other])),
);

const others = names.filter(name => !isSaidLater(name));
const PAIRS = others.flatMap((one, index) => others.slice(index).map(other => [one, other]));
/** Orders that a command may change. */
const touched = (name: string): string[] => {
  const { needs = [], books, argv = '' } = ACTORS[name] ?? {};
  return [...needs, ...(books ? ['A'] : []), ...(argv.includes('print') ? ['print'] : [])];
};
const NEAR = PAIRS.filter(([one = '', other = '']) =>
  touched(one).some(order => touched(other).includes(order)),
);
const TRIPLES = bookers.flatMap((one, index) =>
  bookers
    .slice(index)
    .flatMap((other, next) => bookers.slice(index + next).map(third => [one, other, third])),
);

/** What a seed plays. Steps through a list have no factor with its length, so that each entry comes once. */
function castOf(seed: number): string[] {
  const [round, at] = [Math.floor(seed / 8), seed % 8];
  const pick = (list: string[][], nth: number) => list[(nth * 7919) % list.length] ?? [];
  if (at === 4) return pick(PAIRS, round);
  if (at < 4) return pick(NEAR, 4 * round + at);
  return at === 5 ? pick(TRIPLES, round) : pick(SETTLED, 2 * round + at - 6);
}

const story = (cast: readonly string[]): fc.Arbitrary<Story> =>
  fc.record({
    choices: fc.array(
      fc.record({
        which: fc.oneof(
          { weight: 2, arbitrary: fc.constant(0) },
          { weight: 3, arbitrary: fc.nat({ max: 11 }) },
        ),
        together: fc.oneof(
          { weight: 5, arbitrary: fc.constant(false) },
          { weight: 1, arbitrary: fc.constant(true) },
        ),
      }),
      { minLength: 0, maxLength: 90, size: 'max' },
    ),
    faults: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant<Fault>('none') },
        { weight: 2, arbitrary: fc.constantFrom(...FAULTS) },
        { weight: 1, arbitrary: fc.constant<Fault>('other id') },
      ),
      { maxLength: 4 },
    ),
    events: cast.some(isSaidLater)
      ? fc.constant<EventName[]>(['stop'])
      : fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.subarray([...EVENTS], { minLength: 1 })),
    isLimited: cast.every(name => priced.includes(name)) ? fc.boolean() : fc.constant(false),
  });

/** Runs it, and gives the rules that were broken, with the steps. */
async function told(
  product: Product,
  cast: readonly string[],
  { choices, faults, events, isLimited }: Story,
  shared?: SharedPlace,
) {
  await shared?.empty();
  let passed = 0;
  const weave = new Weave(async ms => {
    passed += ms;
    // A query for each tenth of a second would take longer than the rest.
    if (passed < 1000) return;
    await shared?.age(passed);
    passed = 0;
  });
  const needs = (Object.keys(BEFORE) as (keyof typeof BEFORE)[]).filter(need =>
    cast.some(name => ACTORS[name]?.needs?.includes(need)),
  );
  const before = needs.reduce((sum, need) => sum + BEFORE[need].books, 0);
  const limit = isLimited ? (before + 1) * PRICE + 1 : undefined;
  const world = await openWorld(weave, shared, limit);
  const all: Did[] = [];
  const wrong = new Set<string>();
  try {
    for (const need of needs) {
      const one: { argv: readonly string[]; fault?: Fault; elsewhere?: true } = BEFORE[need];
      world.faults.push(one.fault ?? 'none');
      const process: Process = { name: need, id: 4_999_999, state: 'running', journals: new Set() };
      for (const argv of one.argv) {
        const env = one.elsewhere ? { WAYBILL_STATE_DIR: `${world.folder}/elsewhere` } : {};
        weave.time += 1000;
        all.push(
          await runIn(product, world, weave, process, {
            actor: need,
            words: [...argv.split(' '), '--json'],
            env,
            isHeld: false,
          }),
        );
      }
      world.faults.length = 0;
    }
    const start = (actor: string, stopped?: string) =>
      weave.start(actor, async process => {
        const words = wordsOf(ACTORS[actor] ?? { argv: '' }, stopped);
        all.push(await runIn(product, world, weave, process, { actor, words, isHeld: true }));
      });
    world.faults.push(...faults);
    for (const actor of cast) if (!isSaidLater(actor)) start(actor);
    const later = async ({ id }: Process) => {
      const rows = await rowsOf(world);
      const stopped = rows.findLast(({ holder }) => JSON.parse(holder).process === id)?.id;
      for (const actor of cast) if (isSaidLater(actor)) start(actor, stopped);
    };
    await weave.run(choices, eventsOf(weave, events, start, later), async () => {
      for (const one of limit === undefined ? [] : await limitPassed(world, limit)) wrong.add(one);
    });
    for (const one of await broken(world, weave, all)) wrong.add(one);
  } catch (error) {
    wrong.add(`it breaks off: ${(error as Error).stack}`);
  } finally {
    await weave.close();
    await world.close();
  }
  return { wrong: [...wrong], steps: weave.trace, all };
}

function eventsOf(
  weave: Weave,
  wanted: readonly EventName[],
  start: (actor: string) => Process,
  later: (stopped: Process) => Promise<void>,
): Event[] {
  const left = new Set(wanted);
  const once = (name: EventName, isPossible: () => boolean, happen: () => unknown): Event[] =>
    wanted.includes(name)
      ? [
          {
            name,
            isPossible: () => left.has(name) && isPossible(),
            async happen() {
              left.delete(name);
              await happen();
            },
          },
        ]
      : [];
  const last = () => weave.last;
  return [
    // Who sees that it was killed runs it again.
    ...once(
      'kill',
      () => last()?.state === 'running',
      () => {
        const process = last() as Process;
        weave.kill(process);
        start(process.name);
      },
    ),
    ...once(
      'stop',
      () => last()?.state === 'running' && weave.isSending(last() as Process),
      async () => {
        const process = last() as Process;
        process.state = 'stopped';
        await later(process);
        return weave.pass(2 * HOUR_MS);
      },
    ),
    ...once(
      'time',
      () => true,
      () => weave.pass(HOUR_MS / 30),
    ),
    ...once(
      'clock',
      () => true,
      () => {
        weave.ahead += 2 * HOUR_MS;
      },
    ),
  ];
}

/** `WEAVE_SEED` runs one seed alone, or `WEAVE_RUNS` of them from that one on. */
const FIRST = Number(process.env.WEAVE_SEED ?? SEED * 10_000);
const RUNS = Number(process.env.WEAVE_RUNS ?? 1);
const COUNT = process.env.WEAVE_SEED === undefined ? { local: 5600, shared: 1000 } : { local: 1, shared: 1 };

/** Those of a landing are always the same. */
function seeds(kind: JournalKind): number[] {
  if (!FULL && process.env.WEAVE_SEED === undefined) return kind === 'local' ? landing : landing.slice(0, 16);
  return Array.from({ length: RUNS * COUNT[kind] }, (_, index) => FIRST + index);
}

/** Gives the seed with the fewest steps that break a rule; `undefined` if none does. `isShrunk`: or else with those that were drawn. */
async function failureOf(
  product: Product,
  seed: number,
  isShrunk: boolean,
  shared?: SharedPlace,
): Promise<string | undefined> {
  const cast = castOf(seed);
  const run = async (one: Story) => {
    const { wrong, steps, all } = await told(product, cast, one, shared);
    const ends = all.map(({ actor, exitCode, stderr }) => `${actor}: exit ${exitCode} ${stderr}`);
    if (wrong.length > 0) throw new Error([...wrong, ...steps, ...ends].join('\n  '));
  };
  const property = fc.asyncProperty(story(cast), run);
  const drawn = await fc.check(property, { seed, numRuns: 1, endOnFailure: true });
  if (!drawn.failed) return undefined;
  const shrunk = isShrunk
    ? await fc.check(property, { seed, numRuns: 1, interruptAfterTimeLimit: 60_000 })
    : drawn;
  const ended = shrunk.counterexample ? shrunk : drawn;
  const plot = JSON.stringify({ ...ended.counterexample?.[0], choices: undefined });
  return `WEAVE_SEED=${seed}: ${cast.join(' | ')}, ${plot}\n  ${(ended.errorInstance as Error)?.message}`;
}

async function failures(list: readonly number[], shared?: SharedPlace): Promise<string> {
  const found: string[] = [];
  for (const seed of list) found.push((await failureOf(product, seed, true, shared)) ?? '');
  return found.filter(Boolean).join('\n\n');
}

/** A shared journal makes a command wait: three of them are used at a time. */
const LANES = 3;

describe('Commands that each are right alone', () => {
  let undo = () => {};
  beforeAll(() => {
    undo = withSteps(product);
  });
  afterAll(() => undo());

  test('break no rule, whatever the order of their steps is', async () => {
    expect(await failures(seeds('local'))).toBe('');
  });

  test.skipIf(noPostgres)(titled('break none in a shared journal', noPostgres), async () => {
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      inSharedPlace(place =>
        failures(
          seeds('shared').filter((_, index) => index % LANES === lane),
          place,
        ),
      ),
    );
    expect((await Promise.all(lanes)).join('')).toBe('');
  });
});

describe('A mutant', () => {
  // The seed that noticed it comes first, because building and running all takes longer than a landing should.
  test.each(WOVEN)('$name: a seed of the landing notices it', async ({ insertions, woven = 0 }) => {
    const mutant: Product = await import(await buildModule('test/torture/weave-product.ts', insertions));
    const undo = withSteps(mutant);
    try {
      const list = FULL ? landing : [woven, ...landing];
      for (const [index, seed] of list.entries()) {
        if ((await failureOf(mutant, seed, false)) === undefined) continue;
        if (FULL)
          process.stdout.write(
            `${seed} is seed ${index + 1} of the landing, and the first that notices it\n`,
          );
        return;
      }
      expect.unreachable('no seed notices it');
    } finally {
      undo();
    }
  });
});

describe('As processes, at one moment', () => {
  let command: string;
  beforeAll(async () => {
    command = await build(PROBES);
  });

  test.each(NEAREST)('%s and %s break no rule', async (...pair) => {
    for (let times = 0; times < (FULL ? 100 : 1); times += 1)
      expect(await together(command, pair)).toEqual([]);
  });

  test.skipIf(noPostgres)(titled('they break none in a shared journal', noPostgres), async () => {
    for (let times = 0; times < (FULL ? 100 : 1); times += 1)
      for (const pair of sampled(NEAREST, 3))
        expect(await inSharedPlace(place => together(command, pair, place))).toEqual([]);
  });
});
