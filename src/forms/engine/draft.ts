import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../contract/paths.ts';
import { Failure, messageOf, systemCode } from '../../errors.ts';
import { makeFolder } from '../../folder.ts';
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
  /** Does it begin with an earlier order, so that the profile adds nothing? */
  isLike?: boolean;
  /** Its booking in the journal, if there may be one. */
  booking?: string;
}

export interface Drafts {
  /** Replaces the file of the draft in one step. Throws `storage`. */
  save(draft: Draft): void;
  /** The newest first. A file that cannot be read is left out. */
  list(): Draft[];
  remove(draft: Draft): void;
}

const NO_DRAFTS: Drafts = {
  save() {
    throw new Failure(
      'storage',
      'your answers cannot be saved in a draft, because this user has no home folder (HOME) and WAYBILL_STATE_DIR is not set; nothing was sent',
    );
  },
  list: () => [],
  remove: () => {},
};

/** The drafts of one operation, each in a file `{operation}-{at}.json`. Without a folder none can be saved. */
export function openDrafts(folder: string | undefined, operation: string): Drafts {
  if (folder === undefined) return NO_DRAFTS;
  const prefix = `${operation}-`;
  const fileOf = ({ at }: Draft) => join(folder, `${prefix}${at}.json`);
  return {
    save(draft) {
      const file = fileOf(draft);
      try {
        makeFolder(folder, 0o700);
        rmSync(`${file}.new`, { force: true });
        writeFileSync(`${file}.new`, JSON.stringify(draft), { mode: 0o600, flag: 'wx', flush: true });
        renameSync(`${file}.new`, file);
      } catch (error) {
        const why = `the draft ${file} cannot be saved: ${messageOf(error)}`;
        throw new Failure('storage', `${why}; nothing was sent`);
      }
    },
    list: () =>
      namesIn(folder)
        .filter(name => name.startsWith(prefix) && /^\d+\.json$/.test(name.slice(prefix.length)))
        .flatMap(name => readDraft(join(folder, name)))
        .sort((one, other) => other.at - one.at),
    remove: draft => rmSync(fileOf(draft), { force: true }),
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
