// What is said of profiles and their config file.
import { didYouMean } from '../nearest.ts';
import { shellWord, someOf } from '../text.ts';
import { next, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

interface ConfigFile {
  path: string;
}

/** What to do about a folder that cannot be used. `variable`: it names the folder. */
export const otherFolder = (variable: string): Text =>
  say`To use another folder, set ${variable} to its absolute path`;

const OTHER_CONFIG_FOLDER = otherFolder('WAYBILL_CONFIG_DIR');

const RESERVED = {
  resolve: 'what was booked is settled',
  allowDuplicate: 'the same is booked twice',
  production: 'production is booked',
};

const SAVED = {
  parties: { noun: 'party', add: 'waybill profile party add NAME -f FILE' },
  parcels: { noun: 'parcel', add: 'waybill profile parcel add NAME 1.5kg@30x20x10cm' },
};

export const PROFILE = {
  'no-home-folder': ({ holds, variable }: { holds: 'journal' | 'config'; variable: string }): Saying => ({
    what: say`there is no folder for the ${holds}, because this user has no home folder (HOME)`,
    toDo: say`Set ${variable} to the absolute path of a folder that can be written`,
  }),
  'folder-is-relative': ({
    variable,
    value,
    example,
  }: Record<'variable' | 'value' | 'example', string>): Saying => ({
    what: say`${variable} is ${stranger(value)}, a relative path: each folder would have its own journal, and could book a key again`,
    toDo: say`Set it to an absolute path, such as ${variable}=${example}`,
  }),
  'vouched-in-other-words': ({
    where,
    value,
    allowed,
  }: Record<'where' | 'value' | 'allowed', string>): Saying => ({
    what: say`${where} is ${stranger(value)}, and must be ${allowed} or unset`,
    toDo: say`${next('waybill', 'help', 'journal')} says what it vouches for`,
  }),
  'config-unreadable': ({ path, why }: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${path} cannot be read: ${why}`,
    toDo: OTHER_CONFIG_FOLDER,
  }),
  'config-unwritable': ({ path, why }: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${path} cannot be written: ${why}; nothing was saved`,
    toDo: OTHER_CONFIG_FOLDER,
  }),
  'config-is-no-file': ({ path }: ConfigFile): Saying => ({
    what: say`the config ${path} is not a plain file (is it a link?)`,
    toDo: say`Put the file itself there, or name its folder with WAYBILL_CONFIG_DIR`,
  }),
  'config-of-other-user': ({ path, owner, user }: ConfigFile & { owner: number; user: number }): Saying => ({
    what: say`the config ${path} is not safe to use: it belongs to another user (id ${owner})`,
    toDo: say`Check its contents, then run ${pattern(`chown ${user} ${shellWord(path)}`)}`,
  }),
  'config-open-to-all': ({ path, mode }: ConfigFile & { mode: string }): Saying => ({
    what: say`the config ${path} is not safe to use: every user may write it (mode ${mode})`,
    toDo: say`Check its contents, then run ${pattern(`chmod 600 ${shellWord(path)}`)}`,
  }),
  'config-shows-secrets': ({ path, mode }: ConfigFile & { mode: string }): Saying => ({
    what: say`the config ${path} contains secrets and can be read by other users (mode ${mode}): run ${pattern(`chmod 600 ${shellWord(path)}`)}`,
  }),
  'config-damaged': ({ path, why }: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${path} is damaged and was not changed: ${why}`,
    toDo: say`Repair it, or move it away`,
  }),
  'name-not-allowed': ({ name, noun }: { name: string; noun: string }): Saying => ({
    what: say`${stranger(name)} is not a name for ${noun}: a name has up to 64 letters, digits and . _ - @`,
  }),
  'demo-is-built-in': (): Saying => ({ what: say`the profile demo is built in, and nothing of it is saved` }),
  'profile-unknown': ({
    name,
    namedBy,
    names,
  }: {
    name: string;
    namedBy?: string;
    names: readonly string[];
  }): Saying => ({
    what: say`there is no profile ${stranger(name)}${namedBy && ` (named by ${namedBy})`}; there are ${someOf(names)}`,
    toDo: say`${next('waybill', 'profile', 'list')} shows them`,
  }),
  'saved-unknown': ({
    saved,
    profile,
    name,
    names,
    askedBy,
  }: {
    saved: keyof typeof SAVED;
    profile: string;
    name: string;
    names: readonly string[];
    askedBy: string;
  }): Saying => ({
    what: say`${askedBy}the profile ${profile} has no ${SAVED[saved].noun} ${stranger(name)}${didYouMean(name, names)}; it has ${someOf(names) || 'none'}`,
    toDo: say`Add one: ${pattern(SAVED[saved].add)}`,
  }),
  'value-not-allowed': ({
    where,
    value,
    allowed,
  }: {
    where: string;
    value: string;
    allowed: string;
  }): Saying => ({
    what: say`${where} must be ${allowed}, not ${stranger(value)}`,
  }),
  'amounts-unreadable': ({ where, value }: { where: string; value: string }): Saying => ({
    what: say`${where} is ${stranger(value)}, and must be amounts with their currencies, such as 20EUR or 500EUR,300USD`,
  }),
  'amount-too-large': ({ where, value, most }: { where: string; value: string; most: number }): Saying => ({
    what: say`${where} is ${stranger(value)}, and no amount may be above ${most}`,
  }),
  'currency-twice': ({ where, value, currency }: Record<'where' | 'value' | 'currency', string>): Saying => ({
    what: say`${where} is ${stranger(value)}, and has ${currency} twice`,
  }),
  'kept-for-terminal': ({
    command: typed,
    reserved,
  }: {
    command: string;
    reserved: keyof typeof RESERVED;
  }): Saying => ({
    what: say`${typed}: the profile says policy.${reserved}=terminal: ${RESERVED[reserved]} only by a person at a terminal, and this is none`,
  }),
  'too-many-bytes': ({ where, bytes, most }: { where: string; bytes: number; most: number }): Saying => ({
    what: say`${where} has ${bytes} bytes, but at most ${most} are allowed`,
  }),
};
