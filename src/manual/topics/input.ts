import type { Section } from '../document.ts';

export const TOPIC: readonly Section[] = [
  {
    title: 'Layers',
    blocks: [
      'quote, rates, ship, ship-dual, label and webhook create put one request together, the weakest first:',
      {
        rows: [
          ['1  profile', 'Its defaults: sender, receiver, invoice, currency, type, category, deliveryType.'],
          [
            '2  -f FILE',
            'A JSON object in the shape that the service takes; - is stdin. `waybill schema ship --example` prints one.',
          ],
          ['3  flags', "The command's own: --from, --package, --receiver and so on."],
          ['4  --set', 'PATH=VALUE, any field by its path.'],
          ['5  questions', 'On a terminal, for what is still missing.'],
        ],
      },
      'A stronger layer replaces a party or a list whole, so that two people are never mixed; --set alone reaches inside.',
    ],
  },
  {
    title: 'Writing values',
    blocks: [
      {
        rows: [
          [
            '--set',
            "--set receiver.address.city=Berlin, --set 'items[0].hsCode=610910'. The value takes the type that the field has: a zip code 00123 stays text.",
          ],
          [
            '--package',
            '2x1.5kg@30x20x10cm: pieces x weight each @ length x width x height; 2x, kg and cm may be left out. @NAME and 3x@NAME are parcels of the profile.',
          ],
          ['--item', 'description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5'],
          ['--sender, --receiver, --invoice', 'A JSON file, or @NAME of a party saved in the profile.'],
          ['countries', 'ISO 3166-1 alpha-2 codes and XK; de is sent as DE.'],
        ],
      },
    ],
  },
  {
    title: 'What is filled in',
    blocks: [
      "deliveryType is DAP, dimensions.unit is cm, and an item's totalPrice is quantity x unitPrice where they are left out. The chargeable weight of ship is taken from a proposal for the same packages, and --carrier cheapest or fastest picks from the proposals.",
    ],
  },
  {
    title: 'Checking',
    blocks: [
      'Everything that the service document states is checked before a byte is sent, and all faults are told at once, each with its path. A field that the document does not name is a fault; --allow-unknown sends it. What is doubtful is a warning; --strict makes it an error.',
      '--dry-run does all of that, shows the request, and sends nothing; with --json it is {"method","url","body","unresolved"}, where "unresolved" names what a proposal would have to tell.',
    ],
  },
  {
    title: 'Questions',
    blocks: [
      'Nothing is asked with --no-input, with CI set, or where stdin or stderr is no terminal: then what is missing is an error that names each field. --draft goes on with a form that was left. -y answers yes to "Book this?", and never to a duplicate.',
    ],
  },
];
