import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  label: {
    description: 'Make the carrier labels of booked shipments, each label once, save them and print them.',
    examples: [
      '# Book two shipments.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1002',
      'waybill ship -q -f order.json --key ORDER-1003 --set receiver.firstName=Eva',
      '# Make their labels, each once, as one PDF in this order.',
      'waybill label ORDER-1003 ORDER-1002 --merge today.pdf',
    ],
    more: [
      {
        title: 'Files',
        blocks: [
          'The label is saved from its link, or from the answer if that has the label itself (base64 or a data: URL). A relative link begins at the address of the service. The credential goes only to the service itself, and only if it answers 401 or 403 without it. At most three redirects are followed.',
          'A PNG, GIF, JPEG or ZPL is saved under its own ending, with a warning. Anything else that is not a PDF is refused.',
          'A label is saved only whole. One that comes cut off is not saved and not kept (exit 9); the next label command asks its link again and makes no other label.',
          '--merge replaces a file that an earlier --merge wrote, and no other. ZPL, GIF and a PDF that cannot be read are not in it; they are listed with their keys (exit 9).',
        ],
      },
      {
        title: 'Printing',
        blocks: [
          '--print prints only labels that this command makes, because two stickers on one parcel are worse than none. With --merge they are one print job: FILE, or a second file beside it if FILE has older ones too: today.new.pdf for today.pdf. A later --merge FILE --print replaces that file, or removes it and says so. --reprint prints all that are named.',
          'The journal does not know what came out of the printer. After a paper jam, or if the command was killed before it printed, name those that are missing, with --print --reprint: no label is made again.',
        ],
      },
    ],
    output: {
      table: 'one line for each leg: carrier, tracking number, and the file or link of the label',
      quiet:
        'the file or link of each label; nothing for one that the answer has itself and that is not saved',
      json: `the answer of the service: ${answerFields('createLabels')}; for several names a list, in which one that failed is {id, error}`,
    },
    asks: ['createLabels'],
    exits: {
      not_found: 'the journal does not know the name or key, or the service does not know the shipment (404)',
      partial: 'some labels were not made, saved, merged or printed',
    },
  },
};
