import { sectionsOf } from '../document.ts';

export const TOPIC = sectionsOf(`
# Input

csv     Headers are field paths, such as receiver.address.city or packages[0].weight. The header package takes a SPEC such as 2x1.5kg@30x20x10cm. \`waybill batch template OPERATION\` prints an example.
json    A list of objects in the shape of the request.
jsonl   One object in each line.

The file name tells the format (.csv, .tsv, .json, .jsonl, .ndjson). For stdin (-) and other names give --format. The column key, or --key-column NAME, has the key of each record; ship and ship-dual need it. Columns beginning with _ are ignored, but _record. Consecutive rows with the same key are one order: with items[].hsCode and similar headers each row is one item. Flags, --set and the profile apply to every record; the record itself wins over them.

A record of ship may have options for itself: carrier (an id, cheapest or fastest), service, maxPrice (20EUR), maxDays, and label (yes, true, 1, x; no, false, 0). An empty cell means the flag of the command. A warning says how many records have another value than a flag.

label and track read the key and the ids of a record, and ignore the rest: give them the file of the night as it is.

--encoding NAME reads a file that is not UTF-8, such as windows-1254; --failed is written in the same encoding.

# A shop's own export

--map FILE reads the export of a shop as it is, and \`waybill batch map FILE\` proposes such a file. It is a JSON object with "columns" (header in the export: our path), "constants" (our path: text), "transform" (header: one of the words below), "decimal" ("." or ",") and "delimiter".

name              A full name into first and last name; its path is the party: receiver. The last word is the last name, with a particle before it (van, de la). "Weber, Jonas" is turned round.
country           A country's code, alpha-3 code, or name in any language, into its code.
phone             A number into code and number; its path is receiver.phone. A national one is read by the country of its address, or by the code among the constants.
g, lb, oz, kg     A weight into kg, and mm, in, m, cm a length into cm, exactly. The unit may follow the number.
apostrophe        A text without the ' that some shops put in front of digits.

What cannot be transformed is a problem of its record.

# Running

All records are checked before the first one is sent. If one is invalid, the batch ends with exit 2 and nothing is sent. With --skip-invalid the others are sent (exit 9). --dry-run only counts; --dry-run --estimate also asks for the price of each record.

--concurrency sets how many records are sent at the same time. After a crash at most that many are unknown. --rate limits the records per second. No further record starts after --max-unknown new unknown bookings, after --max-overpriced (1) that were booked above --max-price, after five records in a row that failed with 3, 6 or 7, or after SIGINT, SIGTERM or SIGHUP (a terminal that is closed; with nohup the batch continues). Requests in flight are waited for.

# Results

Each run writes one line for each record, in the order in which they finish, to INPUT.results.jsonl for ship and ship-dual, to INPUT.label.jsonl, INPUT.track.jsonl, INPUT.quote.jsonl or INPUT.rates.jsonl for the others, or to the file of --results (.csv writes CSV):

  {"operation","place","key","line","state","exitCode","sent","sandbox","shipmentId",
   "domesticShipmentId","trackingNumber","domesticTrackingNumber","carrier","price",
   "currency","overPrice","mended","labelFile","run","actor","result"|"error"}

place is the address of the service, followed by " account " and the account of the profile if it has one; or demo. state is one of those in \`waybill help journal\`, or invalid, duplicate or estimated; for quote, rates and track it is done or failed, and track adds "status","milestone","statusAt". With a shared journal, and no folder to write to, there is no results file. sent is false for a record that an earlier run created. A results file is not replaced if it says that something was booked which this journal does not know in that place: another machine booked it (exit 2). \`waybill history import FILE\` takes it over where it was booked in the place of the command; for another place name another file with --results. What the demo made elsewhere is replaced. --failed FILE gets the rejected and invalid records with the reason in _error and the name of the record in _record. Correct that file, leave _record as it is, run it, and run the original file again: what was booked from that file is created there as well, with mended true. A copied row is another order: empty its _record. If no record failed, there is no such file.

# Running it again

The journal knows what was done. A record that was created is not sent again. A record that is unknown is not sent until it is resolved. All others are sent. --retry-rejected sends records again that the service rejected. --max-price and --max-days may be others than before. A record that was changed after it was created is a duplicate; the batch continues with the others.
`);
