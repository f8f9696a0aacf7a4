import { FORMATS } from '../../formats.ts';
import { rowsOf, sectionsOf } from '../document.ts';

export const TOPIC = sectionsOf(`
# Streams

stdout carries only the result. Questions, progress, notes, warnings and errors go to stderr.

# Formats of -o, --output

${rowsOf(FORMATS)}

# Parts of a result

--query       JMESPath over the JSON result; it implies JSON if -o is not given: --query 'proposals[].id' -o text. An expression that is invalid, longer than 4,096 bytes or deeper than 100 levels is exit 2, and nothing is sent. An expression that does not fit the answer is exit 9.
-q, --quiet   Only the essential value, one on each line: an id, a file, a milestone. The page of each command says which. stderr shows only errors.

# Errors

An error is one paragraph: what happened, why, what to do next. With json and jsonl, stderr is JSON lines: first {"note"} and {"warning"} as they come, and at the end one line

  {"error":{"code","exitCode","message","operation","httpStatus",
            "issues":[{"path","message"}],"booking","body"}}

with null for what is not known. "booking" is the id in the journal, "body" the answer of the service. \`waybill help exit-codes\` lists the codes. With exit 9 and 11, and with exit 8 of a batch, stdout has the part of the result that exists.

# Bookings

With json and jsonl each booking, sent now or recorded before, has one line on stderr, before that of an error:

  {"booking":{"id","operation","key","state","sent","overPrice","shipmentIds",
              "trackingNumbers","labelFiles","run","actor"}}

sent is false if the recorded answer is shown again. A shipment and its label are two bookings. -q and batches have no such lines; the results of a batch say the same.

# Secrets

Credentials are masked everywhere, even with --verbose. The secret of a subscription is shown once when it is created, and again by \`waybill history show ID --show-secret\`.
`);
