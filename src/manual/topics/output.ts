import { FORMATS } from '../../formats.ts';
import { rowsOf, sectionsOf } from '../document.ts';

export const TOPIC = sectionsOf(`
# Streams

stdout carries only the result. Questions, progress, notes, warnings and errors go to stderr.

# Formats of -o, --output

${rowsOf(FORMATS)}

# Parts of a result

--query       JMESPath over the JSON result; it implies JSON if -o is not given: --query 'proposals[].id' -o text. An expression that is invalid, or longer than 4,096 bytes, is exit 2, and nothing is sent. An expression that does not fit the answer is exit 9.
-q, --quiet   Only the essential value, one on each line: an id, a file, a milestone. The page of each command says which. stderr shows only errors, and the warning that the price of a booking cannot be compared with --max-price.

# Errors

An error is one paragraph: what happened, why, what to do next. With json and jsonl, stderr is JSON lines: first {"note"} and {"warning"} as they come, and at the end one line

  {"error":{"code","exitCode","message","operation","httpStatus",
            "issues":[{"path","message"}],"booking","body"}}

with null for what is not known. "booking" is the id in the journal, "body" the answer of the service. An error that time alone ends has "retry":"later" and "retryAt", too. \`waybill help exit-codes\` lists the codes. With exit 9 and 11, and with exit 8 of a batch, stdout has the part of the result that exists.

# Bookings

With json and jsonl each booking, sent now or recorded before, has one line on stderr, before that of an error:

  {"booking":{"id","operation","place","key","state","sent","overPrice","shipmentIds",
              "trackingNumbers","labelFiles","run","actor"}}

place is the address of the service, followed by " account " and the account of the profile if it has one; or demo. sent is false if the recorded answer is shown again. A shipment and its label are two bookings. -q and batches have no such lines; the results of a batch say the same.

# The log

--log FILE appends JSON lines for machines to a file: one for each request, retry, wait, claim, outcome and settlement of a booking, saved label, start and end of a batch, and end of the command.

  {"time","level","event","run","actor","process","operation","key","booking",
   "attempt","httpStatus","durationMs","wait","error","requestId"}

with null for what is not known, and more fields for some events. It has no bodies, no data of customers but the keys of orders, no links and no secrets. A file that cannot be opened is exit 10 before anything is sent, and a file of the journal or the config is exit 2; if it cannot be written later, there is one warning, the log ends there, and the command continues. Several processes may share one file of one machine. The journal, and not the log, is the record of what was booked.

A profile with requestIdHeader=X-Request-Id, or WAYBILL_REQUEST_ID_HEADER, sends an id of its own with each request, and the log has it, for a booking also before it is sent, so that a line can be found in the logs of the service.

# Schemas

\`waybill schema booking\`, results, summary, history, history-summary, history-check, error and log print JSON Schemas of what waybill writes.

# Secrets

Credentials are masked everywhere, even with --verbose, which shows each request and each answer on stderr (with json and jsonl as lines {"request"} and {"response"}). The secret of a subscription is shown once when it is created, and again by \`waybill history show ID --show-secret\`.
`);
