import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { shipmentBody } from '../rig/emulator.ts';
import { cannedService } from '../rig/service.ts';
import { runs } from '../torture/size.ts';

const DAY = 86_400;

/** Books shipments at the emulator itself, and gives their ids. */
async function shipped({ address }: Rig, count = 1, path = '/v1/shipments'): Promise<string[]> {
  const ids: string[] = [];
  for (let done = 0; done < count; done += 1) {
    const answer = await fetch(address + path, {
      method: 'POST',
      headers: { authorization: 'Bearer demo' },
      body: JSON.stringify({ ...shipmentBody(), carrier: { id: 'EXP' } }),
    });
    ids.push(((await answer.json()) as { id: string }).id);
  }
  return ids;
}

const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

describe('what is read', () => {
  test('one shipment is the service body as it is', async () => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const { exitCode, stdout, stderr, requests } = await rig.run(['track', id, '--json']);
    const answer = await fetch(`${rig.address}/v1/shipments/${id}`, {
      headers: { authorization: 'Bearer demo' },
    });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(await answer.json());
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /v1/shipments/${id}`]);
  });

  test('several are an array in the order asked for, with an error in the place of each that is missing', async () => {
    const rig = await createRig();
    const [first = '', last = ''] = await shipped(rig, 2);
    const { exitCode, stdout, stderr } = await rig.run(['track', last, 'gone', first, '--json']);
    const list = JSON.parse(stdout);
    expect(exitCode).toBe(9);
    expect(list.map((one: { id: string }) => one.id)).toEqual([last, 'gone', first]);
    expect(list[1]).toEqual({
      id: 'gone',
      error: {
        ...{ code: 'not_found', exitCode: 4, operation: 'track', httpStatus: 404 },
        message: expect.stringContaining('(shipment not found). The id was gone'),
        ...{ issues: [], booking: null, body: expect.objectContaining({ success: false }) },
        ...{ created: false, retry: 'after-change', next: [] },
      },
    });
    expect(errorOf(stderr)).toMatchObject({
      code: 'partial',
      exitCode: 9,
      operation: 'track',
      message: 'track: 1 of 3 shipments could not be read',
      issues: [{ path: 'gone' }],
    });
  });

  test('all of them missing is 4, one or several', async () => {
    const { run } = await createRig();
    const several = await run('track gone lost --json');
    expect([several.exitCode, JSON.parse(several.stdout).length, errorOf(several.stderr).code]).toEqual([
      4,
      2,
      'not_found',
    ]);
    const list = await run('track gone --key NONE --json');
    expect([list.exitCode, JSON.parse(list.stdout)]).toMatchObject([
      4,
      [
        { id: 'gone', error: { code: 'not_found', exitCode: 4, operation: 'track' } },
        { id: 'NONE', error: { code: 'not_found', exitCode: 4 } },
      ],
    ]);
    expect(await run('track gone')).toMatchObject({ exitCode: 4, stdout: '' });
    expect(await run('track gone lost')).toMatchObject({ exitCode: 4, stdout: '' });
  });

  test('an id given twice is asked for once, and the answer is still a list', async () => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const { stdout, requests } = await rig.run(['track', id, id, '--json']);
    expect([JSON.parse(stdout).length, requests.length]).toEqual([1, 1]);
  });

  test('failures of different kinds are 9', async () => {
    let answered = 0;
    const rig = await createRig({
      random: () => (answered++ === 0 ? 0 : 0.99),
      faults: [{ kind: 500, probability: 0.5 }],
    });
    expect((await rig.run('track a b --retries 0')).exitCode).toBe(9);
  });

  test('-q shows the newest milestone of each, beside its id', async () => {
    const rig = await createRig();
    const [first = ''] = await shipped(rig);
    rig.clock.now += 3 * DAY * 1000;
    const [second = ''] = await shipped(rig);
    const { stdout, stderr } = await rig.run(['track', first, second, '-q']);
    expect([stdout, stderr]).toEqual([`${first} delivered\n${second} pending_arrival_at_warehouse\n`, '']);
    expect((await rig.run(['track', first, '-q'])).stdout).toBe('delivered\n');
  });

  test('--domestic reads domestic shipments, and only they are found there', async () => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const { exitCode, requests } = await rig.run(['track', id, '--domestic']);
    expect([exitCode, requests[0]?.path]).toEqual([4, `/v1/shipments/domestic/${id}`]);
  });
});

describe('an id', () => {
  test('stays one segment of the path, with any characters', async () => {
    const rig = await createRig();
    await fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom('/', '.', '%', '\n', '?', '#', 'a', '2', 'ş', ' ', '\\'),
          minLength: 1,
          maxLength: 6,
        }),
        async id => {
          fc.pre(id.trim() !== '' && !/^\.{1,2}$/.test(id));
          const { exitCode, requests } = await rig.run(['track', id, '-q']);
          expect(exitCode).toBe(4);
          expect(requests.map(({ path }) => path)).toEqual([`/v1/shipments/${encodeURIComponent(id)}`]);
        },
      ),
      runs(40),
    );
  });
});

describe('--watch', () => {
  test('looks until the milestone is reached, telling each change once', async () => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const { exitCode, stdout, stderr, waits } = await rig.run(`track ${id} --watch --interval ${DAY}`);
    expect([exitCode, waits]).toEqual([0, [DAY * 1000, DAY * 1000]]);
    const lines = stderr.replace(/\d+ Mar [\d:]+/g, 'then').split('\n');
    expect(lines).toEqual([
      `${id}: pending_arrival_at_warehouse`,
      'last look then, next look then; 1 under way',
      `${id}: delivered`,
      '',
    ]);
    expect(stdout).toContain('delivered');
  });

  test('looks every 30 s by default, and --until names another milestone, in any case', async () => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const until = ['--watch', '--until', 'Pending_Arrival_At_Warehouse'];
    expect(await rig.run(['track', id, ...until])).toMatchObject({ exitCode: 0, waits: [] });
    const { waits } = await rig.run(['track', id, '--watch', '--max-wait', '31']);
    expect(waits).toEqual([30_000, 1000]);
  });

  test.each([
    ['deliverd', '"deliverd" so far (did you mean delivered?); it is waited for. Known so far: pending'],
    ['lost', '"lost" so far; it is waited for. Known so far: pending_arrival_at_warehouse, delivered'],
  ])('warns once of --until %s, a word that no answer has had', async (word, words) => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const ran = await rig.run(['track', id, '--until', word, '--max-wait', '2m']);
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr.split('warning: ').length).toBe(2);
    expect(ran.stderr).toContain(words);
  });

  test('knows the words of the service, in any writing, and does not warn of them', async () => {
    const service = await cannedService({
      '/v1/shipments/S-1': {
        status: 200,
        body: {
          id: 'S-1',
          status: [{ status: 'Yolda' }],
          tracking: { events: [{ milestone: 'TESL\u0130M' }] },
        },
      },
    });
    const rig = await createRig({ env: service.env });
    const ran = (until: string) => rig.run(['track', 'S-1', '--until', until, '--max-wait', '1']);
    expect(await ran('teslim')).toMatchObject({ exitCode: 0, stderr: 'S-1: Yolda\n' });
    expect((await ran('yolda')).exitCode).toBe(0);
    expect((await ran('teslin')).stderr).toContain('did you mean TESL\u0130M?');
  });

  test('looks every 2 s at the demo', async () => {
    const rig = await createRig();
    const demo = (line: string, stdin = '') => rig.run(`${line} --profile demo`, { stdin });
    const order = JSON.stringify({ ...shipmentBody(), carrier: { id: 'EXP' } });
    const id = (await demo('ship -f - -q', order)).stdout.trim();
    const { exitCode, waits } = await demo(`track ${id} --watch --max-wait 5`);
    expect([exitCode, waits]).toEqual([9, [2000, 2000, 1000]]);
  });

  test('that waited long enough is 9, with what is known on stdout', async () => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const { exitCode, stdout, stderr } = await rig.run(['track', id, '--watch', '--max-wait', '5', '--json']);
    expect([exitCode, JSON.parse(stdout).id]).toEqual([9, id]);
    expect(errorOf(stderr)).toMatchObject({
      code: 'partial',
      message: expect.stringContaining('within 5 s'),
    });
  });

  test('does not ask again for what has arrived or cannot be read', async () => {
    const rig = await createRig();
    const [early = ''] = await shipped(rig);
    rig.clock.now += 3 * DAY * 1000;
    const [late = ''] = await shipped(rig);
    const watched = await rig.run(`track ${early} gone ${late} --watch --interval ${DAY} --json`);
    const asked = (id: string) => watched.requests.filter(({ path }) => path.endsWith(id)).length;
    expect([watched.exitCode, asked(early), asked('gone'), asked(late)]).toEqual([9, 1, 1, 3]);
    expect(JSON.parse(watched.stdout).map((one: { id: string }) => one.id)).toEqual([early, 'gone', late]);
  });

  test('outlives a service that is away for a while, but not one that was never there', async () => {
    let away = false;
    const rig = await createRig({
      random: () => (away ? 0 : 0.99),
      faults: [{ kind: 503, probability: 0.5 }],
    });
    const [id = ''] = await shipped(rig);
    let looks = 0;
    const { exitCode, stdout, requests } = await rig.run(
      ['track', id, '--watch', '--interval', `${DAY}`, '--retries', '0', '-q'],
      {
        onWait: () => {
          looks += 1;
          away = looks === 1;
        },
      },
    );
    expect([exitCode, stdout, requests.map(({ answered }) => answered)]).toEqual([
      0,
      'delivered\n',
      [200, 503, 200],
    ]);
    away = true;
    expect(await rig.run(['track', id, '--watch', '--retries', '0'])).toMatchObject({
      exitCode: 7,
      waits: [],
    });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends at once with %s: exit %i', async (signal, code) => {
    const rig = await createRig();
    const [id = ''] = await shipped(rig);
    const { exitCode, stderr, requests } = await rig.run(['track', id, '--watch', '--json'], {
      onWait: ({ interrupt }) => interrupt(signal),
    });
    expect([exitCode, requests.length]).toEqual([code, 1]);
    expect(errorOf(stderr)).toMatchObject({ code: 'interrupted', exitCode: code });
  });
});
