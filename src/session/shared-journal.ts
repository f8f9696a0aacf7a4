import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { processesOf } from '../journal/holder.ts';
import type { Journal } from '../journal/journal.ts';
import { commandLine } from '../profile/command-words.ts';
import { setting } from '../profile/environment.ts';
import { isOnThisMachine, type JournalPlace, shownAddress } from '../profile/journal-address.ts';
import { VERSION } from './version.ts';

/** The journal that many machines share. `tell` gets what a password command says. Throws `storage`. */
export async function openShared(
  { url, passwordCommand }: JournalPlace,
  tell: (line: string) => void,
  host: Host,
): Promise<Journal> {
  const { openSharedJournal } = await import('../journal/postgres/journal.ts');
  const password = passwordCommand && oneAtATime(() => passwordPrinted(passwordCommand, tell, host));
  const settings = {
    ...{ url, place: shownAddress(url), isHere: isOnThisMachine(url) },
    name: `waybill ${VERSION}`,
    // As every program of PostgreSQL has it, also where the variable USER is not set, as in cron.
    user: setting(host.env, 'PGUSER') ?? host.process.user,
    ...(password && { password }),
  };
  return openSharedJournal(settings, processesOf(host, VERSION).own, host);
}

// Several connections are made at once, and a program may ask somebody; later ones ask again, as passwords change.
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function passwordPrinted(
  words: readonly string[],
  tell: (line: string) => void,
  host: Host,
): Promise<string> {
  const { secretPrinted } = await import('../profile/token-command.ts');
  const refused = (why: string) =>
    new Failure(
      'storage',
      `the password of the journal is not to be had: ${commandLine(words)}: ${why}; nothing was sent. Run it by itself to see, or change it with \`waybill profile set NAME journalPasswordCommand=CMD\``,
    );
  return secretPrinted(words, refused, tell, host);
}
