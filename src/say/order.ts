// What is said of an order before it is priced: its options, its key, its plan.
import { commandName } from '../contract/operations.ts';
import { numbered, operandWords, someOf } from '../text.ts';
import { command, flag, joinedTexts, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

export interface OfOperation {
  /** The name of the operation in the contract. */
  operation: string;
}

export interface Target {
  /** The options of a command that name the same service. */
  flags: readonly string[];
}

/** A sentence about an operation, which begins with the name of its command. */
export const forOperation = (order: OfOperation, what: Text): Text =>
  say`${commandName({ command: order.operation })}: ${what}`;

/** The command to type for a file of many records. */
export const batchText = (operation: string, file: string, flags: readonly string[]): Text =>
  say`${command('waybill', 'batch', operation, ...flags, ...operandWords([file]))}, with your other options, is for a file of many`;

/** Why a text is no package. */
export type PackageFault = { fault: 'form' | 'comma' } | { fault: 'digits'; number: string };

function packageAdvice(fault: PackageFault): string {
  switch (fault.fault) {
    case 'form':
      return 'try 2x1.5kg@30x20x10cm';
    case 'comma':
      return 'decimals have a dot, not a comma';
    case 'digits':
      return `${stranger(fault.number)} has too many digits`;
  }
}

/** An option that the profile gives, as a person would type it. */
type TypedOption = readonly [name: string, value?: string];

/** A file that holds a plan. */
interface OfPlan extends OfOperation {
  file: string;
}

const ofPlan = (plan: OfPlan, what: Text): Text => forOperation(plan, say`${stranger(plan.file)} ${what}`);

const notOfForm = (option: string, typed: string, form: string): Text =>
  say`${flag(option)} ${stranger(typed)} is not of the form ${form}`;

const GIVE_KEY = say`Give the number of the order as ${flag('--key', 'NAME')}`;

const NEW_PLAN = say`${flag('--plan FILE')} makes a new one`;

export const ORDER = {
  'request-invalid': (request: OfOperation & { problems: number }): Saying => ({
    what: forOperation(request, say`the request has ${numbered(request.problems, 'problem')}`),
  }),
  'warnings-refused': (request: OfOperation): Saying => ({
    what: forOperation(request, say`${flag('--strict')} makes errors of warnings`),
  }),
  'key-empty': (): Saying => ({
    what: say`${flag('--key')} is empty`,
    toDo: GIVE_KEY,
  }),
  'key-unusable': (notice: { key: string; rule: string }): Saying => ({
    what: say`${flag('--key')} ${stranger(notice.key)} ${notice.rule}`,
  }),
  'swap-without-like': (): Saying => ({
    what: say`${flag('--swap')} turns an earlier order round: name it, as ${flag('--like', 'REF')}`,
  }),
  'paper-without-print': (notice: { option: string }): Saying => ({
    what: say`${flag(notice.option)} says how labels are printed or merged: give ${flag('--print')} or ${flag('--merge')} FILE, too`,
  }),
  'per-page-without-merge': (): Saying => ({
    what: say`${flag('--per-page')} needs ${flag('--merge')} FILE`,
  }),
  'per-page-with-papers': (): Saying => ({
    what: say`${flag('--per-page')} does not go with ${flag('--papers')}`,
    toDo: say`${pattern('waybill papers REF --print')} prints the papers by themselves`,
  }),
  'two-papers': (): Saying => ({
    what: say`${flag('--fit')} and ${flag('--per-page')} name two papers: give one of them`,
  }),
  'papers-without-files': (): Saying => ({
    what: say`${flag('--papers')} needs ${flag('--merge')}, ${flag('--print')} or ${flag('--download')}`,
  }),
  /** `option`: here with its hyphens, in the two notices below without them. */
  'option-needs-label': (notice: { option: string }): Saying => ({
    what: say`${flag(notice.option)} needs ${flag('--label')}`,
  }),
  'packages-given-twice': (notice: { option: string }): Saying => ({
    what: say`${flag('--package')} and ${flag(`--${notice.option}`)} both describe packages; give one`,
  }),
  'package-incomplete': (notice: { option: string; missing: readonly string[] }): Saying => ({
    what: say`${flag(`--${notice.option}`)} needs ${joinedTexts(
      notice.missing.map(name => [flag(`--${name}`)]),
      ', ',
    )}, too`,
    toDo: say`Or give all at once: ${flag('--package', '1.5kg@30x20x10cm')}`,
  }),
  /** `where`: what has the text, such as `--package`. */
  'package-malformed': (notice: PackageFault & Record<'where' | 'typed', string>): Saying => ({
    what: say`${notice.where.startsWith('--') ? flag(notice.where) : notice.where} ${stranger(notice.typed)} is not of the form [PIECESx]WEIGHT[kg]@LENGTHxWIDTHxHEIGHT[cm]; ${packageAdvice(notice)}`,
  }),
  /** `without`: the option that leaves one of `options` out. */
  'profile-gives-options': (notice: {
    profile: string;
    options: readonly TypedOption[];
    without: string;
  }): Saying => ({
    what: say`the profile ${notice.profile} gives ${joinedTexts(
      notice.options.map(option => [flag(...option)]),
      ' ',
    )}; a flag beats one, and ${flag(notice.without)} ${notice.options.length === 1 ? 'leaves it out' : 'and the like leave one out'}`,
  }),
  'item-malformed': (notice: { typed: string }): Saying => ({
    what: say`${notOfForm('--item', notice.typed, 'NAME=VALUE,NAME=VALUE')}; try description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5`,
  }),
  'item-names-twice': (notice: { typed: string; name: string }): Saying => ({
    what: say`${flag('--item')} ${stranger(notice.typed)} gives ${notice.name} twice`,
  }),
  'header-malformed': (notice: { typed: string }): Saying => ({
    what: notOfForm('--header', notice.typed, "'X-Name: value'"),
  }),
  'set-malformed': (notice: { typed: string; isIndexTooLarge: boolean }): Saying => ({
    what: say`${notOfForm('--set', notice.typed, 'PATH=VALUE')}; ${notice.isIndexTooLarge ? say`an index is at most 999` : say`try ${flag('--set', 'receiver.address.city=Berlin')} or ${flag('--set', "'items[0].hsCode=610910'")}`}`,
  }),
  'saved-fields-left-out': (notice: { fields: readonly string[] }): Saying => ({
    what: say`left out of the saved party, only for dual shipments: ${someOf(notice.fields)}`,
  }),
  'key-required': (order: OfOperation): Saying => ({
    what: forOperation(order, say`a key is required (requireKey)`),
    toDo: GIVE_KEY,
  }),
  'key-mangled': (typed: OfOperation & { key: string; rule: string }): Saying => ({
    what: forOperation(typed, say`${flag('--key')} ${stranger(typed.key)} ${typed.rule}`),
  }),

  /** `file`: the path of the plan, as it was typed. */
  'plan-changed': (plan: OfPlan): Saying => ({
    what: ofPlan(plan, say`was changed after it was made`),
    toDo: NEW_PLAN,
  }),
  'plan-of-other-command': (plan: OfPlan & { planned: string }): Saying => ({
    what: ofPlan(plan, say`is a plan of \`waybill ${commandName({ command: plan.planned })}\``),
  }),
  'plan-for-other-place': (plan: OfPlan & { planned: string; place: string }): Saying => ({
    what: ofPlan(plan, say`is a plan for ${plan.planned}, and this is ${plan.place}`),
  }),
  'plan-for-other-mode': (plan: OfPlan & { planned: 'sandbox' | 'production' }): Saying => ({
    what: ofPlan(
      plan,
      say`is a plan for ${plan.planned === 'sandbox' ? 'the sandbox' : 'production'}, and this is not`,
    ),
  }),
  'plan-ended': (plan: OfPlan & { at: string }): Saying => ({
    what: ofPlan(plan, say`was valid until ${plan.at}`),
    toDo: NEW_PLAN,
  }),
  'plan-with-option': (plan: OfPlan & { option: string }): Saying => ({
    what: ofPlan(plan, say`is a plan, which takes no ${flag(plan.option)}`),
    toDo: NEW_PLAN,
  }),
  /** `planned`: the key in the plan. */
  'plan-with-other-key': (plan: OfPlan & { planned: string | null }): Saying => ({
    what: ofPlan(
      plan,
      say`is a plan ${plan.planned === null ? 'without a key' : `with the key ${stranger(plan.planned)}`}`,
    ),
  }),
  'plan-without-price': (plan: OfPlan): Saying => ({
    what: ofPlan(plan, say`is a plan without a price`),
    toDo: NEW_PLAN,
  }),
};
