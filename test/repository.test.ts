// What lies around the product: workflows and the matrix of Nodes. Nothing of it runs here, so that it is held
// against what it names.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  uses?: string;
  run?: string;
}

interface Job {
  uses?: string;
  needs?: string | string[];
  permissions?: Record<string, string>;
  strategy?: { matrix: { node?: string[]; include?: { platform: string; runner: string }[] } };
  steps?: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  engines: { node: string };
};

const yaml = (path: string): unknown => parse(readFileSync(path, 'utf8'), { strict: true, uniqueKeys: true });
const filesIn = (folder: string): string[] => readdirSync(folder).map(name => `${folder}/${name}`);

const workflows = filesIn('.github/workflows').map(path => ({ path, workflow: yaml(path) as Workflow }));
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps = [] }) => steps);
const workflow = (name: string): Workflow => yaml(`.github/workflows/${name}.yml`) as Workflow;

describe.each(workflows)('$path', ({ workflow: { permissions, jobs, ...rest } }) => {
  const steps = stepsOf({ permissions, jobs, ...rest });

  test('runs scripts that there are', () => {
    const commands = steps.flatMap(({ run = '' }) => run.split('\n'));
    const named = commands.flatMap(line => /^npm (?:run )?([\w:]+)/.exec(line)?.[1] ?? []);
    const ownPrograms = commands.filter(line => line.startsWith('.ci/'));
    expect(ownPrograms.filter(path => !existsSync(path))).toEqual([]);
    const ofNpm = ['ci', 'pack', 'pkg', 'publish', 'sbom'];
    expect(named.length + ownPrograms.length).toBeGreaterThan(0);
    expect(named.filter(name => !ofNpm.includes(name) && !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test('uses what others wrote at one commit, and workflows of ours that there are', () => {
    const used = [...steps, ...Object.values(jobs)].flatMap(({ uses }) => uses ?? []);
    const isOurs = (name: string) => name.startsWith('./') && existsSync(name);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter(name => !isOurs(name) && !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(name))).toEqual([]);
  });

  test('may by itself only read', () => {
    expect(permissions).toEqual({ contents: 'read' });
  });

  test('puts nothing that a stranger can write into a command', () => {
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });
});

test('a release is tested, published with its provenance, and has its executables, checksums and bill of materials', () => {
  const { jobs } = workflow('release');
  expect(jobs.test?.uses).toBe('./.github/workflows/ci.yml');
  expect(workflow('ci').on).toHaveProperty('workflow_call');
  expect(jobs.executable?.needs).toBe('test');
  expect(jobs.publish).toMatchObject({
    needs: ['test', 'executable'],
    permissions: { 'id-token': 'write', attestations: 'write' },
  });
  const steps = jobs.publish?.steps ?? [];
  const runs = steps.map(({ run, uses = '' }) => run ?? uses);
  const at = (pattern: RegExp) => runs.findIndex(run => pattern.test(run));
  const order = [
    /GITHUB_REF_NAME" != "v\$version/,
    /^npm pack/,
    /^npm sbom/,
    /^actions\/download-artifact@/,
    /^sha256sum waybill-\*\.tgz waybill-\*\.tar\.gz waybill-\*\.cdx\.json > SHA256SUMS$/,
    /^actions\/attest-build-provenance@/,
    /^npm publish .*--provenance/,
  ];
  const places = order.map(at);
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(at(/^gh release create .*\.tgz .*\.tar\.gz .*\.cdx\.json SHA256SUMS/)).toBeGreaterThan(
    places.at(-1) ?? 0,
  );
});

test('a release has an executable for each platform that docs/install.md names', () => {
  const made = workflow('release').jobs.executable?.strategy?.matrix.include ?? [];
  const page = readFileSync('docs/install.md', 'utf8');
  const named = [...page.matchAll(/`((?:linux|darwin)-\w+)`/g)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(made.map(({ platform }) => platform).sort());
});

describe('the Nodes', () => {
  const matrix = /versions=\(([\d. ]+)\)/.exec(readFileSync('scripts/matrix.sh', 'utf8'))?.[1]?.split(' ');

  test('of the matrix are the lowest that are promised, and those on which a change is tested', () => {
    const lowest = engines.node.match(/\d+\.\d+\.\d+/g) ?? [];
    expect(lowest.length).toBeGreaterThan(0);
    const tested = workflow('ci').jobs.test?.strategy?.matrix.node ?? [];
    expect([...(matrix ?? [])].sort()).toEqual([...lowest, ...tested].sort());
  });
});
