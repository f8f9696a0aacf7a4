import type { Section } from '../document.ts';

const LINE = [
  '{"key","line","state","exitCode","sent","sandbox","shipmentId","domesticShipmentId",',
  ' "trackingNumber","domesticTrackingNumber","carrier","price","currency","labelFile",',
  ' "result"|"error"}',
];

export const TOPIC: readonly Section[] = [
  {
    title: 'Input',
    blocks: [
      {
        rows: [
          [
            'csv',
            'Headers are field paths: receiver.address.city, packages[0].weight; or package with a SPEC such as 2x1.5kg@30x20x10cm. `waybill batch template OPERATION` prints one to start from.',
          ],
          ['json', 'A list of objects in the shape of the request.'],
          ['jsonl', 'An object a line.'],
        ],
      },
      'The ending of the name tells the format (.csv, .tsv, .json, .jsonl, .ndjson); --format does for stdin (-) and other names. key, or --key-column NAME, is the key of each record; ship and ship-dual need it. Columns beginning with _ are left out. Rows one after the other with one key are one order: items[].hsCode and the like give an item a row. Flags, --set and the profile hold for every record, below what the record says.',
      '--map FILE reads a shop\'s own export: a JSON object with "columns" (its header: our path), "constants" (our path: text), "decimal" ("." or ",") and "delimiter".',
    ],
  },
  {
    title: 'Running',
    blocks: [
      'All records are validated before the first is sent. One that is not valid ends the run with exit 2 and nothing sent; with --skip-invalid the others go on (exit 9). --dry-run counts, and with --estimate asks for the price of each.',
      '--concurrency says how many are under way at a time, which is the most that a crash leaves unknown; --rate how many a second. No further record is begun after --max-unknown new unknowns, after five records in a row that failed with 3, 6 or 7, and after SIGINT or SIGTERM; those in flight are waited for.',
    ],
  },
  {
    title: 'Results',
    blocks: [
      'In each run one line for each record, in the order in which they finish, in INPUT.results.jsonl or the file of --results (.csv gives CSV):',
      { lines: LINE },
      'state is one of those of `waybill help journal`, or: invalid, duplicate, estimated; done and failed of what books nothing. sent is false for what an earlier run created. A file of another machine that holds keys which this journal does not know is not replaced. --failed FILE writes rejected and invalid records back, with _error, to be mended and run again.',
    ],
  },
  {
    title: 'Running it again',
    blocks: [
      'A batch keeps no books of its own: what was done is what the journal says. What was created is not sent again, what is unknown is not sent before it is settled, and the rest is done. --retry-rejected tries what was refused once more as it is. A record that was changed since it was created is a duplicate of its own, and stops nothing.',
    ],
  },
];
