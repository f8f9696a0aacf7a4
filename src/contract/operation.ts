import type * as z from 'zod/mini';

export type Schema = z.ZodMiniType;

/** One problem of a request body: where it is, what is wrong, and the nearest right value if there is one. */
export interface Issue {
  /** A field path such as `items[0].hsCode`; empty for the body itself. */
  path: string;
  message: string;
  suggestion?: string;
}

/** What a rule needs to know besides the body. */
export interface RuleContext {
  /** Carrier ids (opaque) that the service document calls "the economy carrier". */
  economyCarriers: readonly string[];
  /** Is the service itself on loopback? Then a webhook may be there too. */
  serviceOnLoopback: boolean;
}

/** A rule of the service document that no single field can state. */
export interface Rule {
  /** The sentence of the document, for help and OpenAPI. */
  description: string;
  /** Never throws, for any body: rules run together with the schema, so that all problems are shown at once. */
  check(body: unknown, context: RuleContext): Issue[];
}

export const LEGS = ['international', 'domestic'] as const;
export type Leg = (typeof LEGS)[number];

/** What a booking makes: where its answer has the ids, and the label of each leg. */
interface Made {
  ids: Readonly<Partial<Record<'shipment' | 'international' | 'domestic' | 'subscription', string>>>;
  /** Texts that no other answer has: without one of them the booking is partial. */
  givenOnce?: readonly string[];
  /** `at`: where the answer has the label; `asked`: the field of the body that asks for it. */
  labels: Readonly<Partial<Record<Leg, { at: string; asked: string }>>>;
}

export type ErrorStatus = 400 | 401 | 404 | 422 | 429 | 500;

/** The schema of the body of an operation that has one. */
export function bodyOf({ id, body }: { id: string; body?: Schema }): Schema {
  if (body === undefined) throw new Error(`${id} has no body`);
  return body;
}

/** The groups of `waybill --help`, in their order. */
export const HELP_GROUPS = ['Quote and book', 'Follow and look back', 'Set up and try'] as const;
export type HelpGroup = (typeof HELP_GROUPS)[number];

/** One endpoint of the service, as plain data. */
export interface OperationRow {
  /** The command, and the name that outputs use for the operation; its file is `src/commands/COMMAND.ts`. */
  command: string;
  /** How help lists the command. Left out if another row of the same command has it. */
  help?: {
    summary: string;
    /** Left out if the command is a subcommand: its group lists it. */
    group?: HelpGroup;
  };
  /** Section of the service document. */
  section: string;
  summary: string;
  method: 'GET' | 'POST';
  /** Relative to the base address, with `{name}` placeholders. */
  path: string;
  /** What each placeholder of the path stands for. */
  parameters?: Readonly<Record<string, string>>;
  /** The request body: strict, so that an unknown field is an issue. */
  body?: Schema;
  rules?: readonly Rule[];
  /** The answer: loose, because the document says that its lists of fields are not complete. */
  success: { status: 200 | 201; description: string; schema: Schema };
  errors: Readonly<Partial<Record<ErrorStatus, string>>>;
  /** What a 2xx answer must have to count as one; of a booking, anything that it made. */
  needs: Schema;
  /**
   * Objects that a service may leave out: `international.id` for `international.shipment.id`. Each with the fields that
   * tell, in the object around it, that it is left out.
   */
  mayLack?: Readonly<Record<string, readonly string[]>>;
  made?: Made;
  /** May it create something that costs money or is given only once? Then it is never repeated. */
  books?: boolean;
  /** Bookings with the same one share their keys; `null`: it takes no key. */
  keySpace?: 'shipment' | 'subscription' | null;
  /** Is there a sandbox address for it? */
  sandbox?: boolean;
  /** Does the document say that it requires a contract? */
  contract?: boolean;
  /** The scope that the token needs; `null` if the document lists no 401 at all. */
  scope?: 'any' | 'shipment:write' | null;
  /** Requests a minute, if the document limits them. */
  perMinute?: number;
}

/** What a row has if it does not say otherwise. */
export const DEFAULTS = {
  parameters: {},
  rules: [],
  mayLack: {},
  made: { ids: {}, labels: {} },
  books: false,
  keySpace: null,
  sandbox: false,
  contract: false,
  scope: 'any',
} as const satisfies Partial<OperationRow>;

/** The command as it is typed, for messages: `webhook create`. */
export const typedName = ({ command }: { command: string }): string =>
  command.replace(/^webhook-/, 'webhook ');
