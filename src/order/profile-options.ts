// Options that a profile gives, so that a daily command is short. A flag beats one, and `--no-…` leaves it out.
import { type Command, Option } from 'commander';
import { boundIn } from '../contract/read.ts';
import { OPTION_SETTINGS, type OptionSetting, readSetting } from '../profile/settings.ts';
import type { Profile } from '../profile/store.ts';
import { optionWords } from './command-line.ts';
import type { Sources } from './order.ts';

/** How the text of a setting becomes the value of its option. Others are fields of the body, which the profile gives as such. */
const READ = {
  // It may have been saved before it was checked so: a bound that cannot be read is never left out.
  maxPrice: (written: string) => boundIn(String(readSetting('maxPrice', written, 'maxPrice of the profile'))),
  maxDays: Number,
  map: String,
  merge: String,
  label: Boolean,
} as const satisfies Partial<Record<OptionSetting, (value: never) => unknown>>;

export type SettableOption = OptionSetting;

/** The values of options that a profile gives. */
export type ProfileOptions = Readonly<Partial<Record<SettableOption, unknown>>>;

export const isSettable = (name: string): boolean => OPTION_SETTINGS.some(one => one === name);

/** The options of a profile that the command has. */
export const settableOptions = (command: Command): SettableOption[] =>
  OPTION_SETTINGS.filter(name => command.options.some(option => option.attributeName() === name));

/** For help. */
export const PROFILE_NOTE = {
  'Options of a profile':
    'carrier, maxPrice, maxDays, map, label and merge of the profile (`waybill profile set NAME maxPrice=60EUR label=yes`) hold as the flags would. A flag beats one, and --no-carrier, --no-max-price, --no-max-days, --no-map, --no-label or --no-merge leaves it out.',
};

/** Adds `--no-…` for each of them. Help tells all of them in one sentence. */
export function leavingOut(command: Command): Command {
  for (const name of settableOptions(command)) {
    const flag = optionWords(name, true).join('');
    command.addOption(new Option(flag.replace('--', '--no-'), `not the ${name} of the profile`).hideHelp());
  }
  return command;
}

/** The values that the profile gives to these options, where the command line says nothing. */
export function optionsOfProfile(
  profile: Profile,
  options: object,
  names: readonly SettableOption[],
): ProfileOptions {
  const given = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(
    names.flatMap(name => {
      const value = profile[name];
      if (given.get(name) !== undefined || value === undefined || value === false) return [];
      return [[name, name in READ ? READ[name as keyof typeof READ](value as never) : value]];
    }),
  );
}

/** Says which options the profile gives. */
export async function noteProfileOptions(
  { printer, target }: Pick<Sources, 'printer' | 'target'>,
  taken: ProfileOptions,
): Promise<void> {
  const names = Object.keys(taken);
  const [first] = names;
  if (first === undefined) return;
  const words = names.flatMap(name => optionWords(name, taken[name as SettableOption])).join(' ');
  const without = optionWords(first, true).join('').replace('--', '--no-');
  await printer.note(
    `the profile ${target().name ?? ''} gives ${words}; a flag beats one, and ${without} ${names.length === 1 ? 'leaves it out' : 'and the like leave one out'}`,
  );
}
