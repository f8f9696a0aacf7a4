import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { optionWords } from '../../orders/same-command.ts';
import { refuseBadName, takenFault } from '../../profile/names.ts';
import { economyNote, SETTINGS, withSetting } from '../../profile/settings.ts';
import { type Config, changeConfig } from '../../profile/store.ts';
import type { Act } from '../../session/command.ts';
import { readObject } from '../../session/input-files.ts';
import { addPage, SILENT } from '../../session/page.ts';
import type { Session } from '../../session/session.ts';
import { shellWord } from '../../text.ts';
import {
  askForProfile,
  missingParts,
  type NamedProfile,
  type PartialProfile,
  requireComplete,
} from './ask.ts';
import { type CredentialOptions, credentialChange, credentialOptions, readsStdin } from './credentials.ts';
import { parseProfile } from './settings.ts';

interface AddOptions extends CredentialOptions {
  baseUrl?: string;
  sandboxBaseUrl?: string;
  account?: string;
  file?: string;
}

export function define(command: Command, act: Act): void {
  credentialOptions(
    command
      .argument('[name]', 'its name')
      .optionsGroup('Profile:')
      .option('--base-url <url>', SETTINGS.baseUrl.description)
      .option('--sandbox-base-url <url>', SETTINGS.sandboxBaseUrl.description)
      .option('--account <id>', SETTINGS.account.description)
      .option('-f, --file <path>', 'start from what `profile export` printed; - is stdin'),
  ).action(act<AddOptions>(add));
  addPage(command, {
    examples: [
      '# A secret comes from stdin, a file, a variable or a program.',
      'echo your-token > token.txt',
      'waybill profile add outlet --base-url https://api.example.com --token-stdin < token.txt',
    ],
    output: SILENT,
    asks: ['getShipment'],
    exits: { unauthorized: 'the service refused the credentials when the form tried them' },
  });
}

async function add(session: Session, options: AddOptions, name?: string): Promise<void> {
  const given = await withoutCredentials(session, options, name);
  // A person who pipes something into stdin cannot answer questions there.
  const mayAsk = session.interactive && !readsStdin(options) && options.file !== '-';
  if (!mayAsk) requireComplete(given);
  const change = await credentialChange(options, session);
  const start = { ...given, profile: change(given.profile) };
  const asks = mayAsk && missingParts(start).length > 0;
  const added = asks ? await askForProfile(session, start) : requireComplete(start);
  await save(session, added);
  if (asks) await session.printer.note(`to run this without questions: \`${sameCommand(options, added)}\``);
}

/** The profile that file and flags give, without credentials. Throws `usage`. */
async function withoutCredentials(
  { config, host }: Session,
  options: AddOptions,
  name: string | undefined,
): Promise<PartialProfile> {
  if (name !== undefined) {
    refuseTaken(config, name);
    refuseBadName(name, 'a profile');
  }
  let profile =
    options.file === undefined ? {} : parseProfile(await readObject(options.file, host, 'nothing was saved'));
  for (const key of ['baseUrl', 'sandboxBaseUrl', 'account'] as const)
    if (options[key] !== undefined) profile = withSetting(profile, key, options[key]);
  return { name, profile };
}

async function save({ host, config, printer }: Session, { name, profile }: NamedProfile): Promise<void> {
  await changeConfig(host, current => {
    refuseTaken(current, name);
    return { current: current.current ?? name, profiles: { ...current.profiles, [name]: profile } };
  });
  const isCurrent = config.current === undefined;
  await printer.note(
    `profile ${name} saved${isCurrent ? '. It is the current one from now on' : `; \`waybill profile use ${name}\` makes it the current one`}`,
  );
  if (profile.credentials === undefined && profile.clientCert === undefined)
    await printer.note(
      `it has no credentials yet; \`waybill profile set ${name} --token-stdin\` reads a token`,
    );
  if (profile.economyCarriers === undefined)
    await printer.note(economyNote(`waybill profile set ${name} economyCarriers=ID`));
}

function refuseTaken(config: Config, name: string): void {
  const fault = takenFault(config, name);
  if (fault) throw new Failure('usage', fault);
}

/** The token is read from a file: a secret does not belong on a command line. */
function sameCommand(options: AddOptions, { name, profile }: NamedProfile): string {
  const { baseUrl, sandboxBaseUrl, credentials } = profile;
  const given = Object.entries({ ...options, baseUrl, sandboxBaseUrl });
  return [
    `waybill profile add ${shellWord(name)}`,
    ...given.flatMap(([option, value]) => optionWords(option, value)),
    ...(credentials?.kind === 'token' ? ['--token-stdin < token.txt'] : []),
  ].join(' ');
}
