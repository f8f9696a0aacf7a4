// A container without an engine: the files that the Dockerfile names, with the packages of production only, on a root that is
// read-only, for a user id without an entry.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Ended, start } from './process.ts';

/** The last stage of the Dockerfile: what is copied where, and as whom it runs. */
export function imageOf(dockerfile: string) {
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

export const image = imageOf(readFileSync('Dockerfile', 'utf8'));

/** The packages of production, as `npm ci --omit=dev` installs them. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { dev = false }]) =>
    path === '' || dev || !existsSync(path) ? [] : path,
  );
}

/** What an engine gets to build from. */
export const context = (readFileSync('.dockerignore', 'utf8').match(/^!.*/gm) ?? []).map(line =>
  line.slice(1),
);

/** Builds the image from its context, or of this built command, and puts its files into a folder. */
export function buildImage(command?: string): string {
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
      if (path === 'node_modules') copyPackages(target);
      else cpSync(join(source, path), target, { recursive: true });
    }
  rmSync(source, { recursive: true });
  return root;
}

const copyPackages = (target: string): void => {
  for (const name of productionPackages())
    cpSync(name, join(target, '..', name), {
      recursive: true,
      // Those within it are listed, too.
      filter: source => !source.slice(name.length).includes('/node_modules'),
    });
};

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
export const noContainers = process.platform === 'linux' ? probe() : 'this is not Linux';

/** Runs the entry point of the image with these arguments. `volumes`: a folder whose files are there too, from the root on. */
export function runImage(
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
