// The GitHub Action of action.yml, its steps run as a runner runs them, around the built command.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { jsonLines, order, orders } from '../rig/batch.ts';
import { builtCommand, createWorld, type Ended, type Running, start, type World } from '../rig/process.ts';
import { SHIPMENT } from '../rig/service.ts';
import { event } from '../rig/sockets.ts';

interface Step {
  id: string;
  if?: string;
  run: string;
  shell: string;
  env: Record<string, string>;
}

const action = parse(readFileSync('action.yml', 'utf8'), { strict: true, uniqueKeys: true }) as {
  inputs: Record<string, { default?: string; required?: boolean }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
};
const { steps } = action.runs;
const command = builtCommand();

interface Job {
  world: World;
  /** What the step before gave, by its id. */
  outputs: Record<string, Record<string, string>>;
  outcomes: Record<string, 'success' | 'failure'>;
  ended: Record<string, Ended>;
  /** Of all steps. */
  log: string;
  summary: string;
}

/** The value of an expression of the action, such as `steps.report.outputs.results || steps.audit.outputs.results`. */
function evaluatedIn(expression: string, { outputs }: Job, inputs: Record<string, string>): string {
  const values = expression.split('||').map(part => {
    const [, room, name = '', output = ''] =
      /^(inputs|steps)\.([\w-]+)(?:\.outputs\.([\w-]+))?$/.exec(part.trim()) ?? [];
    if (room === undefined) throw new Error(`an expression that the test does not know: ${expression}`);
    return room === 'inputs' ? inputs[name] : outputs[name]?.[output];
  });
  return values.find(Boolean) ?? '';
}

/** Runs the action in a world, as `uses` with these inputs would. `onRun` may cancel the step that runs the batch. */
async function uses(
  world: World,
  given: Record<string, string>,
  onRun?: (step: Running) => Promise<void>,
): Promise<Job> {
  const job: Job = { world, outputs: {}, outcomes: {}, ended: {}, log: '', summary: '' };
  const defaults = Object.entries(action.inputs).map(([name, { default: value = '' }]) => [name, value]);
  const inputs: Record<string, string> = { ...Object.fromEntries(defaults), command: command(), ...given };
  const evaluated = (expression: string): string => evaluatedIn(expression, job, inputs);
  const isWanted = (condition = ''): boolean => {
    const hasFailed = Object.values(job.outcomes).includes('failure');
    const [, sign] = /inputs\.audit (==|!=) ''/.exec(condition) ?? [];
    return (
      (!hasFailed || condition.startsWith('always()')) &&
      (sign === undefined || (inputs.audit === '') === (sign === '=='))
    );
  };
  const filled = (text: string) => text.replace(/\$\{\{(.*?)\}\}/g, (_, expression) => evaluated(expression));
  const temporary = join(world.folder, 'runner');
  mkdirSync(temporary, { recursive: true });
  for (const step of steps) {
    if (!isWanted(step.if)) continue;
    const file = (name: string, text = '') => {
      const path = join(temporary, `${step.id}-${name}`);
      writeFileSync(path, text);
      return path;
    };
    const [output, summary, script] = [file('output'), file('summary'), file('script', step.run)];
    const running = start('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      env: {
        ...world.env,
        ...Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, filled(text)])),
        ...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temporary },
        ...{ GITHUB_ACTION_PATH: resolve('.'), GITHUB_WORKSPACE: world.folder, CI: 'true' },
        ...{ GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'shop/orders' },
        GITHUB_RUN_ID: '77',
      },
      cwd: join(world.folder, inputs['working-directory'] ?? '.'),
    });
    if (step.id !== 'prepare' && step.id !== 'report') await onRun?.(running);
    const end = await running.ended;
    job.ended[step.id] = end;
    job.outcomes[step.id] = end.code === 0 ? 'success' : 'failure';
    const lines = readFileSync(output, 'utf8').matchAll(/^(.*?)=(.*)$/gm);
    job.outputs[step.id] = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
    job.log += end.stdout + end.stderr;
    job.summary += readFileSync(summary, 'utf8');
  }
  return job;
}

const outputsOf = (job: Job) =>
  Object.fromEntries(
    Object.entries(action.outputs).map(([name, { value }]) => [
      name,
      evaluatedIn(/\$\{\{(.*)\}\}/.exec(value)?.[1] ?? '', job, {}),
    ]),
  );

async function shop(records: readonly unknown[], options = {}): Promise<World> {
  const world = await createWorld(options);
  mkdirSync(join(world.folder, 'night'));
  writeFileSync(join(world.folder, 'night', 'orders.jsonl'), jsonLines(records));
  return world;
}

/** A client that sends an order until it has an answer. */
const NAIVE = `
const post = () => fetch(process.env.WAYBILL_BASE_URL + '/v1/shipments', {
  method: 'POST', headers: { any: process.env.WAYBILL_TOKEN }, body: process.env.ORDER,
});
`;

describe('An audit', () => {
  const naive = (script: string) => `"$NODE" -e "${(NAIVE + script).replaceAll('\n', ' ')}"`;
  const audit = async (
    script: string,
    given: Record<string, string> = {},
    onRun?: Parameters<typeof uses>[2],
  ) => {
    const world = await createWorld();
    Object.assign(world.env, { NODE: process.execPath, ORDER: JSON.stringify(SHIPMENT) });
    return uses(world, { audit: script, ...given }, onRun);
  };

  test('loses the first answer of a booking, and ends with 9 if it is sent again', async () => {
    const job = await audit(naive("post().catch(post).then(() => console.log('::debug::mine'))"));
    expect([job.outcomes, job.ended.audit?.code]).toEqual([{ prepare: 'success', audit: 'failure' }, 9]);
    const results = join(job.outputs.prepare?.folder ?? '', 'audit.json');
    expect(outputsOf(job)).toMatchObject({ 'exit-code': '9', created: '', repeated: '1', results });
    expect(JSON.parse(readFileSync(results, 'utf8'))).toMatchObject({ repeated: [{ fault: 'reset-after' }] });
    expect(annotations(job)).toEqual([
      '::debug::mine',
      expect.stringMatching(/^::error title=waybill audit::1 booking sent again after an answer/),
    ]);
    expect(job.log).toMatch(/^waybill: Audit of 1 order.*\nwaybill: Anna Beispiel/m);
    expect(job.summary).toMatch(
      /: exit 9\n[\s\S]*\| Orders booked more than once \| 1 \|[\s\S]*\| Anna Beispiel \| ship \| reset\\-after \| \d+ ms \|/,
    );
  });

  test('of a client that does not ends as that ends, or green where the verdict alone is wanted', async () => {
    const lost = naive('post().catch(() => process.exit(3))');
    expect((await audit(lost)).ended.audit?.code).toBe(3);
    const job = await audit(`${lost} || true`);
    expect([job.outcomes.audit, outputsOf(job), annotations(job)]).toMatchObject([
      'success',
      { 'exit-code': '0', repeated: '0' },
      [],
    ]);
  });

  test('says that it knows nothing if no answer was lost, and why it was not begun', async () => {
    const untested = await audit('true');
    expect(annotations(untested)).toEqual([
      expect.stringMatching(/^::warning::no booking reached the emulator/),
    ]);
    const refused = await audit('true', { options: '--fault=flood:1' });
    const nothing = { 'exit-code': '2', repeated: '', results: '' };
    expect([refused.ended.audit?.code, outputsOf(refused)]).toMatchObject([2, nothing]);
    expect(annotations(refused)).toEqual([expect.stringContaining('::error::')]);
  });

  test('that is cancelled has its verdict', async () => {
    const script = `${naive('post().catch(post)')}; echo waiting; exec sleep 600`;
    const job = await audit(script, {}, async run => {
      expect(await run.firstLine()).toBe('waiting');
      run.child.kill('SIGINT');
    });
    expect(job.ended.audit?.code).toBe(9);
  });
});

const NIGHT = { file: 'orders.jsonl', 'working-directory': 'night' };
const BAD = order('ORDER-2', { category: 'sale' });
const annotations = ({ log }: Job) => log.split('\n').filter(line => line.startsWith('::'));

test('nothing that a caller gives is a part of a script', () => {
  expect(action.runs.using).toBe('composite');
  expect(steps.filter(({ run }) => run.includes('${{'))).toEqual([]);
  expect(steps.map(({ shell }) => shell)).toEqual(steps.map(() => 'bash'));
});

test('its page has every input and every output, and workflows that give no other', () => {
  const page = readFileSync('action/README.md', 'utf8');
  const [inputs = '', outputs = ''] = page.split('| output | |');
  const named = (text: string) =>
    [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
    );
  expect(named(inputs).sort()).toEqual(Object.keys(action.inputs).sort());
  expect(named(outputs).sort()).toEqual(Object.keys(action.outputs).sort());
  for (const [, text = ''] of page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)) {
    const [step] = parse(text, { strict: true, uniqueKeys: true }) as [{ with: object }];
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
  }
});

test('a batch that is done ends green, with its counts and its cost', async () => {
  const job = await uses(await shop([order('ORDER-1'), order('ORDER-3')]), NIGHT);
  expect([job.outcomes, annotations(job)]).toEqual([
    { prepare: 'success', run: 'success', report: 'success' },
    [],
  ]);
  expect(outputsOf(job)).toEqual({
    'exit-code': '0',
    ...{ created: '2', failed: '0', unknown: '0', repeated: '' },
    results: join(job.world.folder, 'night', 'orders.results.jsonl'),
  });
  expect(job.summary).toContain('### waybill batch ship orders\\.jsonl: exit 0');
  expect(job.summary).toMatch(/\| Booked in this run \| 2 shipments\\, 0 labels\\, [\d\\.]+ EUR \|/);
  expect(job.summary).toContain('(https://github.example/shop/orders/actions/runs/77#artifacts)');
  const again = await uses(job.world, NIGHT);
  expect(again.world.seen.filter(({ path }) => path === '/v1/shipments')).toHaveLength(2);
  expect(again.summary).toMatch(/\| Booked before \| 2 shipments/);
});

describe('a bad row', () => {
  test('that stops the batch is shown at its line, and nothing is sent', async () => {
    const job = await uses(await shop([order('ORDER-1'), BAD]), NIGHT);
    expect([job.outcomes.run, job.ended.run?.code, job.world.seen]).toEqual(['failure', 2, []]);
    expect(outputsOf(job)).toMatchObject({
      'exit-code': '2',
      created: '',
      failed: '',
      unknown: '',
      results: '',
    });
    expect(annotations(job)[0]).toMatch(
      /^::error file=night\/orders\.jsonl,line=2,title=line 2%3A refused::.*category/,
    );
    expect(job.summary).toMatch(
      /: exit 2\n[\s\S]*\| record \| line \| state \| problem \|[\s\S]*line 2 \| 2 \| refused/,
    );
  });

  test('that is left out ends the step red with 9; options are words, and text from outside is no command and no Markdown', async () => {
    const key = '::add-mask::x ##[group] <img src=x> [a](http://b) | `c`';
    const world = await shop([order('ORDER-1'), { ...BAD, key }]);
    const options = '--failed\n$(touch proof) `touch proof`; touch proof\n--skip-invalid\n';
    const job = await uses(world, { ...NIGHT, options });
    expect([job.outcomes.run, job.ended.run?.code]).toEqual(['failure', 9]);
    expect(outputsOf(job)).toMatchObject({ 'exit-code': '9', created: '1', failed: '1' });
    expect(existsSync(join(world.folder, 'night', 'proof'))).toBe(false);
    expect(annotations(job)).toContainEqual(
      expect.stringMatching(/^::error file=night\/orders\.jsonl,line=2,title=.*%3A invalid::/),
    );
    expect(annotations(job).filter(line => !/^::(error|warning) ?/.test(line))).toEqual([]);
    expect(job.log).not.toMatch(/^(?!::).*##\[/m);
    expect(job.summary).toMatch(/\| - invalid \| 1 \|\n\| - created \| 1 \|/);
    expect(job.summary).toContain('\\<img src\\=x\\> \\[a\\]\\(http\\:\\/\\/b\\) \\| \\`c\\`');
  });
});

test('an unknown is the first thing that is shown', async () => {
  const world = await shop([order('ORDER-1')], { faults: [{ kind: 'reset-after', probability: 1 }] });
  const job = await uses(world, NIGHT);
  expect([job.ended.run?.code, outputsOf(job)]).toMatchObject([8, { 'exit-code': '8', unknown: '1' }]);
  expect(annotations(job).at(-1)).toMatch(/^::error title=waybill%3A exit 8::.*waybill history resolve/);
});

test.each(['-q', '-oyaml', '--output=csv', '--query\nstates'])(
  'an option %j, which would take the report away, is refused before anything is sent',
  async options => {
    const world = await shop([order('ORDER-1')]);
    const job = await uses(world, { ...NIGHT, options });
    expect([job.ended.run?.code, outputsOf(job)]).toMatchObject([2, { 'exit-code': '2', created: '' }]);
    expect(annotations(job)[0]).toMatch(/^::error::the option \S+ changes what the report is made of/);
    expect(world.seen).toEqual([]);
  },
);

/** A service that answers when the test says so; `asked`: a request has come. */
function waiting() {
  const [asked, ask] = event();
  const [answered, answer] = event();
  const sleep = () => {
    ask();
    return answered;
  };
  return { asked, answer, options: { latency: 1, sleep } };
}

test('a job that is cancelled has a summary, and nothing is unknown', async () => {
  const { asked, answer, options } = waiting();
  const world = await shop(orders(12), options);
  const job = await uses(world, NIGHT, async run => {
    await asked;
    run.child.kill('SIGINT');
    expect(await run.firstLine()).toContain('waybill: stopping');
    answer();
  });
  expect([job.ended.run?.code, outputsOf(job)]).toMatchObject([130, { 'exit-code': '130', unknown: '0' }]);
  expect(job.summary).toMatch(/\| Stopped by \| SIGINT \|/);
  expect(world.seen.map(({ answered }) => answered)).toEqual([201, 201, 201, 201]);
});

test('a step that is killed says so, and its batch sends nothing further and leaves nothing unknown', async () => {
  const { asked, answer, options } = waiting();
  // So that each wave of answers leaves time to hear of the end of the step.
  const sleep = () => options.sleep().then(() => delay(500));
  const world = await shop(orders(40), { ...options, sleep });
  const job = await uses(world, NIGHT, async run => {
    await asked;
    run.child.kill('SIGKILL');
  });
  answer();
  expect(outputsOf(job)).toMatchObject({ 'exit-code': '', created: '' });
  expect(annotations(job)).toEqual([
    expect.stringContaining('Run the job again: what is booked is not sent again'),
  ]);
  expect(job.summary).toContain('killed');
  const summary = join(job.outputs.prepare?.folder ?? '', 'summary.json');
  while (readFileSync(summary, 'utf8') === '') await delay(20);
  const { sent, states } = JSON.parse(readFileSync(summary, 'utf8'));
  expect(sent).toBeLessThan(40);
  expect([states, world.seen.length]).toEqual([{ created: sent, not_sent: 40 - sent }, sent]);
});

test('without a command it builds its own, once, and without the secrets of the job', async () => {
  const world = await shop([order('ORDER-1')]);
  const programs = join(world.folder, 'programs');
  mkdirSync(programs);
  // It stands for npm, which would ask a registry: the test wants to see that it is called, and where.
  const npm =
    '#!/bin/sh\necho "$PWD $*, secrets: $(printenv WAYBILL_TOKEN PGPASSWORD | wc -l)" >> "$RUNNER_TEMP/npm"\n';
  writeFileSync(join(programs, 'npm'), npm, { mode: 0o755 });
  const prepare = readFileSync('action/prepare.sh', 'utf8');
  const path = join(world.folder, 'action');
  mkdirSync(join(path, 'dist'), { recursive: true });
  const run = () =>
    start('bash', ['-c', prepare], {
      env: {
        ...world.env,
        ...{ PATH: `${programs}:${world.env.PATH}`, COMMAND: '', GITHUB_ACTION_PATH: path },
        ...{ RUNNER_TEMP: world.folder, GITHUB_OUTPUT: join(world.folder, 'output') },
        ...{ WAYBILL_TOKEN: 'secret', PGPASSWORD: 'secret' },
      },
    }).ended;
  expect(await run()).toMatchObject({ code: 0 });
  appendFileSync(join(path, 'dist', 'start.cjs'), '');
  expect(await run()).toMatchObject({ code: 0 });
  expect(readFileSync(join(world.folder, 'npm'), 'utf8')).toBe(
    ['ci --ignore-scripts --no-audit --no-fund', 'run build']
      .map(words => `${path} ${words}, secrets: 0\n`)
      .join(''),
  );
  expect(readFileSync(join(world.folder, 'output'), 'utf8')).toContain(`command=${path}/bin/waybill.js\n`);
});
