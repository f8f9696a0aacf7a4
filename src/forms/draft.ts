// A draft is a request file: the answers of a form that was left, in the folder of the state.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Operation } from '../contract/operations.ts';
import { Failure, messageOf, systemCode } from '../errors.ts';
import { absolutePath, makeFolder } from '../host/folder.ts';
import type { Host } from '../host.ts';
import { stateFolder } from '../profile/environment.ts';

/** What is kept beside a draft, because a request file has no options: how it is continued, and where it is to be booked. */
interface DraftAbout {
  command: string;
  place: string;
}

export interface Draft {
  path: string;
  /** Replaces the file in one step. It holds addresses of people: mode 0600, in a folder of mode 0700. Throws `storage`. */
  save(body: unknown, about: DraftAbout): void;
  isSaved(): boolean;
  remove(): void;
}

const aboutFile = (path: string): string => path.replace(/\.json$/, '.about');

/** `undefined` if nothing was remembered: a file that a person put there. */
function aboutOf(path: string): DraftAbout | undefined {
  try {
    const { command, place } = JSON.parse(readFileSync(aboutFile(path), 'utf8'));
    return { command: String(command), place: String(place) };
  } catch {
    return undefined;
  }
}

const draftFolder = (host: Host): string | undefined => {
  const state = stateFolder(host);
  return state && join(state, 'drafts');
};

/** Is the file of a request a draft? Then a person looks it over before it is booked. */
export const isDraft = (host: Host, file: string | undefined): boolean =>
  file !== undefined && file !== '-' && dirname(absolutePath(file, host)) === draftFolder(host);

/** The draft of a form: that file if it is one, which the form continues. */
export function openDraft(host: Host, { command }: Operation, file: string | undefined): Draft {
  const folder = draftFolder(host);
  const path =
    file !== undefined && isDraft(host, file)
      ? absolutePath(file, host)
      : join(folder ?? '', `${command}-${host.now()}.json`);
  return {
    path,
    save(body, about) {
      if (folder === undefined)
        throw new Failure(
          'storage',
          'your answers cannot be saved in a draft, because this user has no home folder (HOME) and WAYBILL_STATE_DIR is not set; nothing was sent',
        );
      try {
        makeFolder(folder, 0o700);
        writeFileSync(aboutFile(path), JSON.stringify(about), { mode: 0o600 });
        rmSync(`${path}.new`, { force: true });
        writeFileSync(`${path}.new`, `${JSON.stringify(body, undefined, 2)}\n`, {
          mode: 0o600,
          flag: 'wx',
          flush: true,
        });
        renameSync(`${path}.new`, path);
      } catch (error) {
        throw new Failure(
          'storage',
          `the draft ${path} cannot be saved: ${messageOf(error)}; nothing was sent`,
        );
      }
    },
    isSaved: () => folder !== undefined && existsSync(path),
    remove() {
      if (folder === undefined) return;
      rmSync(path, { force: true });
      rmSync(aboutFile(path), { force: true });
    },
  };
}

/** The draft of that operation that was written last. Throws `storage`. */
export function newestDraft(
  host: Host,
  { command }: Operation,
): { path: string; at: number; about: DraftAbout | undefined } | undefined {
  const folder = draftFolder(host);
  if (folder === undefined) return undefined;
  const isOne = (name: string) =>
    name.startsWith(`${command}-`) && /^\d+\.json$/.test(name.slice(command.length + 1));
  try {
    const [newest] = readdirSync(folder)
      .filter(isOne)
      .map(name => join(folder, name))
      .map(path => ({ path, at: statSync(path).mtimeMs }))
      .sort((one, other) => other.at - one.at);
    return newest && { ...newest, about: aboutOf(newest.path) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new Failure('storage', `the drafts in ${folder} cannot be read: ${messageOf(error)}`);
  }
}
