import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';
import { maybe } from './maybe.ts';

const count = (description: string) => about(description, z.int());

const booked = {
  shipments: count('Shipments that were booked'),
  labels: count('Labels that were made'),
  withoutPrice: count('Shipments without a price, which are not in the cost'),
  cost: about('The cost by currency', z.record(z.string(), z.number())),
};

/** What a batch prints on stdout. */
export const summary = z.object({
  operation: about('The operation of the batch', z.string()),
  input: about('The input as it was named', z.string()),
  results: maybe('The results file', z.string()),
  failed: maybe('The file of --failed, if a record is in it', z.string()),
  sandbox: about('Was it the sandbox?', z.boolean()),
  dryRun: about('Was it a dry run?', z.boolean()),
  records: count('All records of the input'),
  sent: count('Of them, those of which something was sent in this run'),
  toSend: count('Of them, those that reading the input did not end'),
  warned: count('Of those, the ones with a warning before anything was sent'),
  already: count('Of them, those that an earlier run created'),
  mended: count('Of them, those that were booked from a file of --failed, in which they are mended'),
  states: about('How many are in each state of the results', z.record(z.string(), z.int())),
  ...booked,
  before: about('The same of earlier runs', z.object(booked)),
  stopped: maybe('Why no further record was started: a signal, unknown, or the code of an error', z.string()),
  exitCode: about('The exit code', z.int()),
});

export type Summary = z.infer<typeof summary>;
