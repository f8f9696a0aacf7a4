import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';
import { maybe } from './maybe.ts';

/** What `--log` tells: a line each. */
const EVENTS = {
  request: 'a request ended: with an answer, or without one',
  sending: 'the request of a booking is sent next, with this requestId: only if it has one',
  retry: 'a request is sent again after a wait',
  wait: 'something waits: for a booking that another process sends, or because the service asked a batch to',
  claim: 'the intent of a booking was recorded: it is sent next',
  outcome: 'what became of a booking was recorded',
  settlement: 'what a person said about a booking was recorded',
  label: 'a label was saved as a file',
  'batch-start': 'the input of a batch was read, and its first record is sent next',
  'batch-end': 'a batch ended',
  end: 'the command ended',
} as const;

const words = <T extends string>(description: string, all: Readonly<Record<T, string>>) =>
  about(
    `${description}: ${Object.entries(all)
      .map(([word, what]) => `${word} (${what})`)
      .join(', ')}`,
    z.enum(Object.keys(all) as [T, ...T[]]),
  );

const optional = z.exactOptional;

export const logLine = z.object({
  time: about('When it was written, in UTC', z.iso.datetime()),
  level: about('info, warning (it may be tried again) or error', z.enum(['info', 'warning', 'error'])),
  event: words('What happened', EVENTS),
  run: maybe('Which run this is, as --run', z.string()),
  actor: about('Who runs it, as --actor', z.string()),
  process: about('The process on its machine', z.int()),
  operation: maybe('The operation; token is a request for a token', z.string()),
  key: maybe('The key of the booking', z.string()),
  booking: maybe('The id of the booking in the journal', z.string()),
  attempt: maybe('sending, request, retry: which attempt, from 1', z.int()),
  httpStatus: maybe('The status of the answer', z.int()),
  durationMs: maybe('request, end: how long it took, in ms', z.number()),
  wait: maybe('retry, wait: how long it waits, in ms', z.number()),
  error: maybe(
    'What was wrong: the code of an error, or for a request the fault of the connection',
    z.string(),
  ),
  requestId: maybe(
    'sending, request: what the header has that requestIdHeader of the profile names',
    z.string(),
  ),
  state: optional(about('outcome, settlement: the state of the booking', z.string())),
  labelFile: optional(about('label: the path of the file', z.string())),
  counts: optional(about('batch-start, batch-end: numbers of records', z.record(z.string(), z.number()))),
  command: optional(about('end: the command, such as batch ship', z.string())),
  exitCode: optional(about('end: the exit code', z.int())),
});

/** A line of `--log`: no bodies, no data of customers, no secrets. */
export type LogLine = z.infer<typeof logLine>;
