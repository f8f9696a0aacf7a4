import type { Section } from '../document.ts';
import { allExitRows } from '../exits.ts';

export const TOPIC: readonly Section[] = [
  {
    title: 'Exit codes, and the "code" of errors in JSON',
    blocks: [{ rows: allExitRows() }],
  },
  {
    title: 'What to do',
    blocks: [
      {
        rows: [
          [
            '2',
            'Mend the command line or the input. Nothing was sent, so that it costs nothing to try again. A duplicate was booked before: the message names the booking.',
          ],
          [
            '3',
            '`waybill profile whoami` says which credentials were used and why, and `waybill profile test` tries them.',
          ],
          [
            '4, 5',
            'The message has the words of the service. Nothing was created, and the key may be used again.',
          ],
          [
            '6, 7',
            'Try again later. Where a retry was safe, that was done: --retries says how often. Nothing can have been created.',
          ],
          [
            '8',
            'Do not just run it again with another key. Look it up with the service, then `waybill history resolve ID --created SHIPMENT_ID` or --not-created. With its key nothing is sent until that was done.',
          ],
          [
            '9',
            'The rest is done, and is on stdout. The message names what is missing and the command that makes it; never book the same again.',
          ],
          ['10', 'The message says which file it was, and what was sent and what was not.'],
          ['130, 143', 'What was in flight was waited for and recorded; run it again to go on.'],
        ],
      },
    ],
  },
  {
    title: 'Of a batch',
    blocks: [
      'A batch ends with the first of these that applies: 130 or 143, 8, 10, the cause that stopped it (3, 6 or 7), 9, 0. Each line of its results has the exit code that its record would have had alone.',
    ],
  },
  {
    title: 'Of waybill emulator -- COMMAND',
    blocks: ['It ends with the exit code of COMMAND, and with 127 where that cannot be run.'],
  },
];
