// What doctor looks at on this machine: Node, the folders, the print program, the completion of the shell.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { printProgram } from '../../labels/printer.ts';
import { labelFolder } from '../../labels/save.ts';
import { configFolder, requiredStateFolder, stateFolder } from '../../profile/environment.ts';
import { exposureWarning, type Profile, readConfig } from '../../profile/store.ts';
import { SETTINGS } from '../../profile/table.ts';
import type { Target } from '../../profile/target.ts';
import type { Notice } from '../../say/notices.ts';
import type { Session } from '../../session/session.ts';
import { stateDiskWarning } from '../../session/state-disk.ts';
import { VERSION } from '../../session/version.ts';
import { unwritableBecause } from '../../system-errors.ts';
import { type Check, type Finding, finding } from './finding.ts';

/** Until when each line of Node gets fixes, as nodejs.org/about/previous-releases says. */
const NODE_ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

export function nodeFindings(host: Host): Finding[] {
  const { runtime, platform, now } = host;
  const version = runtime.node;
  const end = NODE_ENDS[Number.parseInt(version, 10)];
  const support =
    end === undefined
      ? finding('node', 'info', { kind: 'node-is-newer', version })
      : Date.parse(end) < now()
        ? finding('node', 'info', { kind: 'node-gets-no-fixes', version, since: end })
        : finding('node', 'ok', { kind: 'node-gets-fixes', version, until: end });
  const installed = { version: VERSION, platform: `${platform}-${runtime.arch}` };
  return [support, finding('version', 'ok', { kind: 'version-installed', ...installed })];
}

/** Throws `storage`, `usage` if the config cannot be used. */
export function configFindings(host: Host, profile: Profile): Finding[] {
  readConfig(host);
  const folder = configFolder(host);
  const exposure = exposureWarning(host, profile);
  return [
    ...(folder === undefined ? [] : [folderFinding('config', folder, host)]),
    ...(exposure ? [finding('config', 'warning', exposure)] : []),
  ];
}

/** The folder of the journal; it need not be writable with a shared journal. Throws `storage`, `usage` if no journal can be there. */
export function stateFindings(session: Session): Finding[] {
  const { host, unread, sharesJournal, target } = session;
  const isShared = unread === undefined && isSharedBy(sharesJournal);
  const folder = isShared ? stateFolder(host) : requiredStateFolder(host);
  if (folder === undefined) return [];
  const there = folderFinding('state', folder, host);
  if (isShared) return [there];
  const fault = folderFault(folder, SETTINGS.stateFolder.variable);
  if (fault) throw new Failure('storage', fault);
  const isDemo = unread === undefined && target().from === 'demo';
  const disk = stateDiskWarning(host, join(folder, 'journal.db'), isDemo);
  return [there, ...(disk ? [finding('state', 'warning', disk)] : [])];
}

/** A journal address that cannot be read counts as shared here: the look at the journal tells the fault. */
function isSharedBy(sharesJournal: () => boolean): boolean {
  try {
    return sharesJournal();
  } catch {
    return true;
  }
}

export function labelFindings(host: Host): Finding[] {
  const folder = labelFolder(host);
  return folder === undefined ? [] : [folderFinding('labels', folder, host)];
}

/** Warns if other users may write in a folder: they could put a config or a journal of their own in place of ours. */
function folderFinding(check: Check, folder: string, host: Host): Finding {
  const { variable } = check === 'config' ? SETTINGS.configFolder : SETTINGS.stateFolder;
  const fault = folderFault(folder, variable);
  if (fault) return finding(check, 'info', fault);
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return finding(check, 'ok', { kind: 'folder-not-made', folder });
  // Windows has no modes of files.
  const mode = host.user === undefined ? undefined : (stat.mode & 0o777).toString(8).padStart(4, '0');
  const open = { kind: 'folder-open-to-others', folder, mode } as const;
  if (mode !== undefined && stat.mode & 0o022) return finding(check, 'warning', { ...open, access: 'write' });
  if (mode !== undefined && stat.mode & 0o044) return finding(check, 'info', { ...open, access: 'read' });
  return finding(check, 'ok', { kind: 'folder-ready', folder, mode });
}

/** Why no file can be written in a folder, or why the folder cannot be made. */
function folderFault(folder: string, variable: string): Notice | undefined {
  let present = folder;
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  try {
    if (!statSync(present).isDirectory())
      return { kind: 'folder-unusable', folder, why: `${present} is a file`, variable };
    accessSync(present, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return { kind: 'folder-unusable', folder, why: unwritableBecause(error), variable };
  }
}

export function printerFindings(target: Target, host: Host): Finding[] {
  const { profile, name } = target;
  const program = printProgram(target);
  const path = programPath(program, host);
  if (path !== undefined) return [finding('printer', 'ok', { kind: 'printer-ready', program, path })];
  const isNamed = profile.printCommand !== undefined;
  const missing: Notice = { kind: 'printer-missing', program, profile: isNamed ? name : undefined };
  return [finding('printer', isNamed ? 'warning' : 'info', missing)];
}

/** The path at which the system finds a program; `undefined` if it finds none. */
function programPath(program: string, host: Host): string | undefined {
  const { env, platform, cwd = '/' } = host;
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD').split(';')] : [''];
  const isPath = program !== basename(program);
  const folders = isPath ? [isAbsolute(program) ? '' : cwd] : (env.PATH ?? '').split(delimiter);
  return folders
    .flatMap(folder => endings.map(ending => join(folder, program + ending)))
    .find(path => isRunnable(path));
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The files in which completion may be installed: below the home folder, as `waybill completion --help` names them, and by packages. */
const COMPLETIONS: Readonly<Record<string, readonly string[]>> = {
  bash: [
    '.bashrc',
    '.bash_profile',
    '.profile',
    '.local/share/bash-completion/completions/waybill',
    '/usr/share/bash-completion/completions/waybill',
    '/etc/bash_completion.d/waybill',
  ],
  zsh: ['.zshrc', '.zfunc/_waybill', '/usr/local/share/zsh/site-functions/_waybill'],
  fish: ['.config/fish/completions/waybill.fish', '/usr/share/fish/vendor_completions.d/waybill.fish'],
};

export function completionFindings(host: Host): Finding[] {
  const shell = basename(host.env.SHELL ?? '');
  const names = Object.hasOwn(COMPLETIONS, shell) ? COMPLETIONS[shell] : undefined;
  if (names === undefined) return [finding('completion', 'info', { kind: 'shell-without-completion' })];
  const paths = names.flatMap(name =>
    isAbsolute(name) ? name : host.home === undefined ? [] : join(host.home, name),
  );
  const file = paths.find(path => textIn(path).includes('waybill'));
  return [
    file === undefined
      ? finding('completion', 'info', { kind: 'completion-missing', shell })
      : finding('completion', 'ok', { kind: 'completion-installed', shell, file }),
  ];
}

/** The text of a file; empty where it cannot be read. */
function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
