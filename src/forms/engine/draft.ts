import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../contract/paths.ts';
import { Failure, messageOf, systemCode } from '../../errors.ts';
import type { FormState } from './form.ts';

/** An unfinished form. It holds addresses of people: mode 0600, in a folder of mode 0700. */
export interface Draft {
  /** When the form was started, in ms since 1970. */
  at: number;
  /** Where the request was to be sent, for people. */
  address: string;
  entered: FormState;
  /** Options that are no part of the body: a price limit, a key. */
  options: Readonly<Record<string, unknown>>;
  /** Its booking in the journal, if there may be one. */
  booking?: string;
}

export type Drafts = ReturnType<typeof openDrafts>;

/** The drafts of one operation, each in a file `{operation}-{at}.json`. Their keys are those of `Draft`. */
export function openDrafts(folder: string, operation: string) {
  const prefix = `${operation}-`;
  const fileOf = ({ at }: Draft) => join(folder, `${prefix}${at}.json`);
  return {
    /** Replaces the file of the draft in one step. Throws `storage`. */
    save(draft: Draft): void {
      const file = fileOf(draft);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        rmSync(`${file}.new`, { force: true });
        writeFileSync(`${file}.new`, JSON.stringify(draft), { mode: 0o600, flag: 'wx', flush: true });
        renameSync(`${file}.new`, file);
      } catch (error) {
        const why = `the draft ${file} cannot be saved: ${messageOf(error)}`;
        throw new Failure('storage', `${why}; nothing was sent`);
      }
    },
    /** The newest first. A file that cannot be read is left out. */
    list: (): Draft[] =>
      namesIn(folder)
        .filter(name => name.startsWith(prefix) && /^\d+\.json$/.test(name.slice(prefix.length)))
        .flatMap(name => readDraft(join(folder, name)))
        .sort((one, other) => other.at - one.at),
    remove: (draft: Draft): void => rmSync(fileOf(draft), { force: true }),
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new Failure('storage', `the drafts in ${folder} cannot be read: ${messageOf(error)}`);
  }
}

function readDraft(file: string): Draft[] {
  try {
    const draft: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isDraft(draft) ? [draft] : [];
  } catch {
    return [];
  }
}

const isDraft = (value: unknown): value is Draft =>
  isRecord(value) &&
  typeof value.at === 'number' &&
  typeof value.address === 'string' &&
  isRecord(value.options) &&
  isRecord(value.entered) &&
  isRecord(value.entered.body) &&
  isRecord(value.entered.open) &&
  Array.isArray(value.entered.settled) &&
  Array.isArray(value.entered.refused) &&
  ['string', 'undefined'].includes(typeof value.booking);
