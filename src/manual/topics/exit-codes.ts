import { type Section, sectionsOf } from '../document.ts';
import { exitTable } from '../exits.ts';

const REST = `
# What to do

2               Correct the command line or the input, and try again. Nothing was sent. A duplicate was booked before: the message names the booking.
3               \`waybill profile whoami\` shows which credentials were used and why. \`waybill profile test\` tests them.
4, 5            The message has the words of the service. Nothing was created, and you can use the key again.
6, 7            Try again later. A request that is safe to repeat was retried already; --retries sets how often. Nothing was created.
8               Do not run it again with another key. Ask the provider of the service whether it exists, and believe a no only from 15 minutes after it was sent. Then record the answer with \`waybill history resolve ID\`. Until then nothing is sent under its key.
9               Everything else is done, and is on stdout. The message names what is missing and the command that completes it. Do not book the same again unless the message says so.
10              The message names the file or the journal, and says what was sent and what was not. If a shared journal could not be reached, the same command may work later; anything else has to be fixed first.
11              The shipment is booked. Tell a person, who runs \`waybill history accept ID\` once its price is accepted, or cancels it with the service. Until then the same command ends with 11.
129, 130, 143   Requests in flight were waited for and recorded. Run the command again to continue.

# Of a batch

A batch ends with the first of these that applies: 129, 130 or 143, 8, 10, 11, the cause that stopped it (3, 6 or 7), 9, 0. Each line of its results has the exit code that the record alone would have had.

# For what repeats a command by itself

A scheduler or a supervisor may repeat 6 and 7 (nothing was created), and a command that was stopped or killed. With a shared journal it may repeat 10 some times, because the database may be away only for a moment: what was sent is in the journal, and is not sent again. Without one, 10 means a disk or a setting that a person has to fix. It must not repeat 8 and 11, which a person has to decide; what is fixed in the input or the credentials ends 2 to 5 and 9.

# Of waybill emulator -- COMMAND

It ends with the exit code of COMMAND, or with 127 if COMMAND cannot be run.
`;

export const TOPIC: readonly Section[] = [exitTable(), ...sectionsOf(REST)];
