// The Job of Kubernetes in docs/, and the commands of docs/scripts.md on a machine like the container that it describes: the files that the
// Dockerfile names, on a root that is read-only, for a user id without an entry.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { titled } from '../rig/needs.ts';
import { noPostgres, sharedPlace } from '../rig/postgres.ts';
import { builtCommand, commandsOf, createWorld, type Ended, start } from '../rig/process.ts';
import { FULL } from '../torture/size.ts';

/** The last stage of the Dockerfile: what is copied where, and as whom it runs. */
function imageOf(dockerfile: string) {
  const [last = ''] = dockerfile.split(/^FROM .*$/m).slice(-1);
  const lines = last.split('\n').filter(line => /^[A-Z]/.test(line));
  const after = (word: string) =>
    lines.find(line => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
  return {
    copies: lines
      .filter(line => line.startsWith('COPY '))
      .map(line => {
        const words = line.split(' ').filter(word => !/^(COPY|--from=\w+)$/.test(word));
        return { from: words.slice(0, -1).map(path => path.replace('/build/', '')), to: words.at(-1) ?? '' };
      }),
    user: Number(after('USER').split(':')[0]),
    entry: JSON.parse(after('ENTRYPOINT')) as string[],
  };
}

const image = imageOf(readFileSync('Dockerfile', 'utf8'));

/** What an engine gets to build from. */
const context = (readFileSync('.dockerignore', 'utf8').match(/^!.*/gm) ?? []).map(line => line.slice(1));

/** Builds the image from its context, or of this built command, and puts its files into a folder. */
function buildImage(command?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-image-'));
  const [source, root] = [join(folder, 'build'), join(folder, 'root')];
  for (const path of context) cpSync(path, join(source, path), { recursive: true });
  if (command !== undefined) cpSync(join(command, '../../dist'), join(source, 'dist'), { recursive: true });
  else {
    symlinkSync(resolve('node_modules'), join(source, 'node_modules'));
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: source });
  }
  for (const { from, to } of image.copies)
    for (const path of from) {
      const target = join(root, to, to.endsWith('/') ? path : '');
      cpSync(join(source, path), target, { recursive: true });
    }
  rmSync(source, { recursive: true });
  return root;
}

// A tmpfs becomes the root. What the system has in /usr is shown, and nothing else of it.
const SCRIPT = `
set -e
root=$1 image=$2 volumes=$3 user=$4 node=$5; shift 5
mount -t tmpfs none "$root"
for folder in usr lib lib64 bin sbin; do
  if [ -L "/$folder" ]; then cp -P "/$folder" "$root/$folder"
  elif [ -d "/$folder" ]; then mkdir "$root/$folder"; mount --rbind "/$folder" "$root/$folder"
  fi
done
mkdir -p "$root/proc" "$root/dev" "$root/old" "$root/work" "$root$(dirname "$node")"
mount --rbind /proc "$root/proc"
for device in null zero urandom; do : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
case $node in /usr/*) ;; *) mount --bind "$(dirname "$node")" "$root$(dirname "$node")" ;; esac
cp -R "$image/." "$root"
cp -R "$volumes/." "$root"
mount -o remount,ro "$root"
cd "$root"
pivot_root . old
umount -l /old
cd /work
exec unshare --map-user="$user" --map-group="$user" env -i "$@"
`;

const run = (args: readonly string[]) => ['-rm', 'sh', '-c', SCRIPT, 'sh', ...args];

function probe(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-probe-'));
  mkdirSync(join(folder, 'root'));
  mkdirSync(join(folder, 'image'));
  const { status, stderr } = spawnSync(
    'unshare',
    run([
      join(folder, 'root'),
      join(folder, 'image'),
      join(folder, 'image'),
      '65532',
      process.execPath,
      '/usr/bin/env',
    ]),
    { encoding: 'utf8' },
  );
  rmSync(folder, { recursive: true, force: true });
  return status !== 0 && `no root of its own can be given to a process here: ${stderr?.trim()}`;
}

/** Why there are no containers here, if so. */
const noContainers = process.platform === 'linux' ? probe() : 'this is not Linux';

/** Runs the entry point of the image with these arguments. `volumes`: a folder whose files are there too, from the root on. */
function runImage(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  volumes: string,
): Promise<Ended> {
  const place = mkdtempSync(join(tmpdir(), 'waybill-container-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const variables = Object.entries({ PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...env });
  const words = [
    ...[place, root, volumes, String(image.user), process.execPath],
    ...variables.map(([name, value]) => `${name}=${value}`),
    ...[...image.entry, ...args],
  ];
  return start('unshare', run(words), { env: { PATH: process.env.PATH ?? '' } }).ended;
}

interface Container {
  name: string;
  args: string[];
  env: { name: string; value?: string; valueFrom?: object }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  securityContext: Record<string, unknown>;
}
interface Rule {
  action: string;
  onExitCodes?: { containerName: string; operator: string; values: number[] };
}

const page = readFileSync('docs/scripts.md', 'utf8');
const manifest = readFileSync('docs/kubernetes-job.yaml', 'utf8');
expect(parseDocument(manifest, { strict: true, uniqueKeys: true }).errors).toEqual([]);
const job = parse(manifest);
const { backoffLimit, podFailurePolicy, template } = job.spec;
const { initContainers, containers, ...pod } = template.spec as {
  initContainers: [Container];
  containers: [Container];
} & Record<string, unknown>;
const [check] = initContainers;
const [batch] = containers;

/** What Kubernetes does with a pod whose container ended with this code: the first rule that fits, else it counts. */
function afterExit(code: number): string {
  const rule = (podFailurePolicy.rules as Rule[]).find(({ onExitCodes }) => {
    if (!onExitCodes || onExitCodes.containerName !== batch.name) return false;
    return onExitCodes.values.includes(code) === (onExitCodes.operator === 'In');
  });
  return rule?.action ?? 'again';
}

describe('the Job', () => {
  test('repeats what was not sent, and nothing that a person has to decide', () => {
    const codes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 137, 143];
    expect(codes.filter(code => afterExit(code) === 'again')).toEqual([6, 7, 10, 137, 143]);
    expect(codes.filter(code => afterExit(code) === 'FailJob')).toEqual([1, 2, 3, 4, 5, 8, 9, 11, 12]);
    expect([backoffLimit > 0, pod.restartPolicy]).toEqual([true, 'Never']);
    // Kubernetes wants them in order, each once.
    for (const { onExitCodes } of podFailurePolicy.rules as Rule[])
      if (onExitCodes)
        expect(onExitCodes.values).toEqual([...new Set(onExitCodes.values)].sort((a, b) => a - b));
  });

  test('waits for bookings in flight, and runs as the user of the image who can write nothing', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(180);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: image.user });
    for (const { securityContext, env } of [check, batch]) {
      expect(securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      const plain = env.filter(({ name, value }) => /TOKEN$|PASSWORD/.test(name) && value !== undefined);
      expect(plain).toEqual([]);
    }
  });
});

test('the image has an exact version of Node, the files that are built, and a user who owns none of them', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const [, version] = /^ARG NODE_IMAGE=node:(\d+\.\d+\.\d+)-[\w]+-slim$/m.exec(dockerfile) ?? [];
  expect(version).toBeDefined();
  expect(page).toContain(`node:${version}-`);
  expect(dockerfile.match(/^FROM (?!\$\{NODE_IMAGE\}).*/gm)).toBeNull();
  expect(image.user).toBeGreaterThan(0);
  expect(image.copies.flatMap(({ from }) => from).sort()).toEqual([
    'LICENSE',
    'bin',
    'dist',
    'package.json',
    'skills',
  ]);
  // Nothing of this machine comes into the build: no credentials, no orders, nothing that was built here.
  expect(context.filter(path => /^(\.|node_modules|dist|fixtures(?!\/service$))/.test(path))).toEqual([]);
});

const command = builtCommand();
const { waybill } = commandsOf(command);

describe.skipIf(noContainers)(titled('in a container', noContainers), () => {
  let root = '';
  beforeAll(() => {
    // The build itself takes longer than the rest, and test/built/package.test.ts has it too.
    root = buildImage(FULL ? undefined : command());
  });
  afterAll(() => rmSync(join(root, '..'), { recursive: true, force: true }));

  test.skipIf(noPostgres)(
    titled('the commands of the Job ship each order once, with nothing that can be written', noPostgres),
    async () => {
      const world = await createWorld({ journalLost: true });
      const { stdout } = await waybill(world, 'batch template ship').ended;
      const [head = '', row = ''] = stdout.split('\r\n');
      const rows = [1, 2, 3].map(number => row.replace('ORDER-2001', `ORDER-${number}`));
      const volumes = join(world.folder, 'volumes');
      for (const [path, text] of [
        ['work/orders.csv', [head, ...rows, ''].join('\r\n')],
        ['run/secrets/waybill/token', 'demo\n'],
      ] as const) {
        mkdirSync(join(volumes, path, '..'), { recursive: true });
        writeFileSync(join(volumes, path), text, { mode: 0o440 });
      }
      const { address } = await sharedPlace();
      const variables = batch.env.map(({ name, value }) => [name, value ?? 'set-by-kubernetes']);
      // Engines set HOME so for a user without an entry.
      const place = { HOME: '/', WAYBILL_BASE_URL: world.address, WAYBILL_JOURNAL: address };
      const env = { ...Object.fromEntries(variables), ...place };
      const run = (...args: string[]) => runImage(root, args, env, volumes);
      const missing = await run(...check.args);
      expect([missing.code, missing.stderr]).toEqual([10, expect.stringContaining('--new-journal')]);
      expect(await run(...check.args, '--new-journal')).toMatchObject({ code: 0 });
      expect(await run(...check.args)).toMatchObject({ code: 0 });
      const first = await run(...batch.args, '--json');
      expect([first.code, JSON.parse(first.stdout)]).toMatchObject([
        0,
        { results: null, states: { created: 3 }, sent: 3 },
      ]);
      expect(first.stderr).toContain('cannot be written');
      expect(first.stderr).toMatch(/^\{"time":.*"event":"request".*"operation":"ship".*"requestId":"[^"]+"/m);
      const again = await run(...batch.args, '--json');
      expect(JSON.parse(again.stdout)).toMatchObject({ already: 3, sent: 0 });
      expect(world.seen.filter(({ path }) => path === '/v1/shipments')).toHaveLength(3);
    },
  );
});
