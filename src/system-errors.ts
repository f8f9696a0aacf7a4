// Words for errors of the system. They are not notices, because the start of the program uses them and loads no notices.

/** The message of anything thrown; an error of the system is told without call and path: `no space left on device (ENOSPC)`. */
export const messageOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const [, words] = /^(?:listen )?E[A-Z0-9]+: ([^,]+?)(?:, \w+.*| \S*:\d+)?$/s.exec(message) ?? [];
  const code = systemCode(error);
  return words === undefined || code === undefined ? message : `${words} (${code})`;
};

/** The system's code (`ENOENT`, …) of anything thrown. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

/** Why a program cannot be started. */
export function unstartableBecause(program: string, error: unknown): string {
  switch (systemCode(error)) {
    case 'ENOENT':
      return `there is no program ${program}`;
    case 'EACCES':
      return `${program} may not be run`;
    default:
      return messageOf(error);
  }
}

/** Why a file cannot be read, for a sentence that names it as it was given. */
export const unreadableBecause = (error: unknown): string =>
  SYSTEM[systemCode(error) ?? ''] ?? messageOf(error);

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder',
  EROFS: 'its file system is read-only',
  EACCES: 'this user may not write it',
  EPERM: 'this user may not write it',
  ENXIO: 'it is a pipe that no program reads; start its reader first',
};

/** Why a file cannot be written, for a sentence that names it as it was given. */
export const unwritableBecause = (error: unknown): string =>
  UNWRITABLE[systemCode(error) ?? ''] ?? messageOf(error);
