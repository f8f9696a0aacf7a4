import { FORMATS } from '../../formats.ts';
import type { Section } from '../document.ts';

export const TOPIC: readonly Section[] = [
  {
    title: 'Streams',
    blocks: [
      'stdout carries the result and nothing else. Questions, progress, notes, warnings and errors go to stderr.',
    ],
  },
  {
    title: 'Formats of -o, --output',
    blocks: [
      {
        rows: Object.entries(FORMATS),
      },
    ],
  },
  {
    title: 'Parts of a result',
    blocks: [
      {
        rows: [
          [
            '--query',
            "JMESPath over the JSON result; implies JSON, unless -o says otherwise: --query 'proposals[].id' -o text. An expression that cannot be read is exit 2 and sends nothing; one that does not fit the answer is exit 9.",
          ],
          [
            '-q, --quiet',
            'Only the essential value, a line each: an id, a file, a milestone; the page of each command says which. Of stderr only errors are left.',
          ],
        ],
      },
    ],
  },
  {
    title: 'Errors',
    blocks: [
      'An error is one paragraph: what happened, why, what to do next. With json and jsonl stderr is JSON lines: {"note"} and {"warning"} as they come, and last one line',
      {
        lines: [
          '{"error":{"code","exitCode","message","operation","httpStatus",',
          '          "issues":[{"path","message"}],"booking","body"}}',
        ],
      },
      'with null where there is nothing to say. "booking" is the id in the journal, "body" the answer of the service. `waybill help exit-codes` lists the codes. With exit 9, and with 8 of a batch, what there is of a result is on stdout as well.',
    ],
  },
  {
    title: 'What is never shown',
    blocks: [
      'Credentials are masked everywhere, with --verbose too. The secret of a subscription is shown once when it is created, and again by `waybill history show ID --show-secret`.',
    ],
  },
];
