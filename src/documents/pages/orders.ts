// The pages of the commands that ask for prices, book and follow orders.
import type { HelpPages } from '../../shell/pages.ts';
import { EXIT_UNKNOWN } from '../page.ts';

export const ORDERS: HelpPages = {
  label: {
    examples: [
      '# Book two shipments.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1002',
      'waybill ship -q -f order.json --key ORDER-1003 --set receiver.firstName=Eva',
      '# Make their labels, each once, as one PDF in this order.',
      'waybill label ORDER-1003 ORDER-1002 --merge today.pdf',
      '# Name those of today that were not printed yet; --print prints them.',
      'waybill label --unprinted --since today',
    ],
    output: {
      table: 'one line for each leg: carrier, tracking number, and the file or link of the label',
      quiet:
        'the file or link of each label; nothing for one that the answer has itself and that is not saved',
      json: 'the answer of the service; for several names a list, in which one that failed is {id, error}',
    },
    exits: {
      not_found: 'the journal does not know the name or key, or the service does not know the shipment (404)',
      rejected: 'the service rejected it; no label was made',
      outcome_unknown: EXIT_UNKNOWN,
      partial: 'some labels were not made, saved, merged or printed',
    },
    notes: {
      Notes: `A shipment is labelled once: what is recorded is saved and shown again. A label that comes cut off, without pixels or with nothing on its pages is not saved; the next label command asks its link again. Two shipments with the same file as their label are a warning.

--print prints only labels that were not printed yet. What the printCommand took, and what was written to a --merge file without --print, counts as printed; what it did not take is exit 9 each time, until it is printed. Of two commands at one moment one prints a label; one that was killed while it printed, or whose print program a signal ended, leaves it to a person (exit 9). A --merge that was killed before its file was there leaves its labels unprinted. After a paper jam name those that are missing, with --print --reprint.

Of two commands that write one --merge file at one moment, the later one leaves it as it is (exit 9): what the first put there may not be on paper yet. Give it another name.`,
    },
  },
  papers: {
    examples: [
      '# Book an example order.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1041',
      '# Save its commercial invoice and its packing slip.',
      'waybill papers ORDER-1041 --download papers',
      '# Make its label, with the papers behind it, as one PDF.',
      'waybill label ORDER-1041 --merge ORDER-1041.pdf --papers',
    ],
    output: {
      table: 'a row for each paper: order, paper, pages and file',
      quiet: 'the file of each paper',
      json: 'a list, as `waybill schema papers` describes it',
    },
    exits: {
      not_found: 'the journal does not know the order, it was not created, or its request was pruned',
      duplicate: 'the order was cancelled, and has no papers',
      outcome_unknown: 'whether the order exists is not known; `waybill history resolve REF` settles it',
      partial: 'a paper was made and not printed',
    },
    notes: {
      'What is on them': `All of it is from the request as it was booked. The invoice is made where sender and receiver are in different customs territories, of which the EU is one; it has a line to sign. The slip has no prices. They are A4; --papers of label, ship, ship-dual and batch makes them as large as the label before them.`,
      Letters:
        'Latin, Greek and Cyrillic letters are printed. Any other is printed as ?, and a warning names its order and its field.',
    },
  },
  quote: {
    examples: [
      '# Proposals for two parcels, the cheapest first.',
      'waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm --sort price',
      '# For a script: only the id of the fastest carrier.',
      'waybill quote -q --from TR --to DE --package 1.5kg@30x20x10cm --fastest',
    ],
    output: {
      table:
        'one line for each proposal, why it is not valid if the service says so, and the chargeable weight',
      quiet: 'the carrier id of each valid proposal',
      json: 'the answer of the service, with the proposals that --service, --sort, --cheapest or --fastest select',
    },
    exits: {
      not_found:
        'no proposal matches --cheapest, --fastest or --service (without them, no proposals at all is 0), or the service answered 404',
    },
  },
  rates: {
    examples: [
      '# The rates for two parcels.',
      'waybill rates --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# Only company and price.',
      "waybill rates --from TR --to DE --package 1kg@30x20x10cm --query 'proposals[].[companyName, price]' -o text",
    ],
    output: {
      table: 'one line for each rate',
      quiet: 'the companyId of each rate. It is not a carrier id; `waybill quote` shows those',
      json: 'the answer of the service',
    },
    exits: { not_found: 'no carrier was found' },
  },
  'ship-dual': {
    examples: [
      '# Book an example pair with both labels.',
      'waybill schema ship-dual --example > pair.json',
      'waybill ship-dual -f pair.json --key PAIR-1001 --international EXP --domestic DOM --label --download labels',
      '# Book another pair like it, for the same receiver, with another parcel.',
      'waybill ship-dual --like PAIR-1001 --key PAIR-1001-B --package 1.5kg@30x20x10cm',
    ],
    output: {
      table: 'one line for each leg, with its label',
      quiet: 'both shipment ids, the international one first',
      json: 'the answer of the service',
    },
    exits: {
      not_found: 'the journal has no booking for --like',
      outcome_unknown: EXIT_UNKNOWN,
      partial: 'only one leg or one label was made, or a label was not saved',
      over_price:
        'the pair was created, but above --max-price; so again on each rerun until `waybill history accept REF`',
    },
  },
  ship: {
    about:
      'Without a terminal it asks nothing: it books an order that is complete at once, and ends with exit 2 for any other.',
    examples: [
      '# Book an example order and its label. The same command again sends nothing.',
      'waybill schema ship --example > order.json',
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
      '# Book another order like it, with another parcel.',
      'waybill ship --like ORDER-1001 --key ORDER-1001-B --package 1.5kg@30x20x10cm',
      '# Look at an order and its price first, then book exactly that.',
      'waybill ship -f order.json --key ORDER-1001-C --carrier fastest --plan plan.json',
      'waybill ship -f plan.json',
    ],
    output: {
      table: 'the shipment and its label',
      quiet: 'the shipment id',
      json: 'the answer of the service; with --label the label is under "label"',
    },
    exits: {
      not_found:
        'no carrier matches, that of a plan is dearer now, the service does not know it (404), or the journal has no booking for --like',
      outcome_unknown: EXIT_UNKNOWN,
      partial:
        'the shipment was created but its label was not made or not saved; the message names the command that completes it',
      over_price:
        'the shipment was created, but above --max-price; so again on each rerun until `waybill history accept REF`',
    },
  },
  track: {
    examples: [
      '# Book a shipment and wait for a milestone. Then see all that are under way.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1004',
      'waybill track ORDER-1004 --until pending_arrival_at_warehouse --max-wait 1m',
      'waybill track --active',
    ],
    output: {
      table: 'one shipment with its events, the oldest first; of several a line each',
      quiet: 'the newest milestone; of several shipments the id beside it',
      json: 'the answer of the service; of several, and with --active, a list, in which one that failed is {"id","error"}',
    },
    exits: {
      not_found: 'the service knows none of them, or no shipment was booked with this key',
      partial: 'some shipments cannot be read, or --max-wait is over',
    },
  },
};
