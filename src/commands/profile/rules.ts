// The rules of a profile: shown, or tried on an order.
import { existsSync } from 'node:fs';
import { bodyOf } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { completed, gather } from '../../order/build.ts';
import { findOrSuggest } from '../../order/find.ts';
import { type Rule, readRules } from '../../order/rules.ts';
import { firstThatFits, fitOf } from '../../order/ruling.ts';
import { table } from '../../output/table.ts';
import { profileOrDemo } from '../../profile/store.ts';
import { afterWords, conditionWords, missWords, ruleChoiceWords, unansweredWords } from '../../say/rules.ts';
import { declare, operand } from '../../session/command.ts';
import { readObject, readValue } from '../../session/files.ts';
import { flag } from '../../session/flags.ts';
import type { Session } from '../../session/session.ts';
import { SHIP } from '../ship.ts';

export const command = declare({
  examples: [
    '# Save rules, and see which one an order would get.',
    `echo '[{"name":"Heavy","if":{"weightKg":{"above":20}},"then":{"carrier":"EXP"}}]' > rules.json`,
    'waybill profile set demo rules=rules.json',
    'waybill profile rules demo',
    'waybill schema ship --example > order.json',
    'waybill profile rules demo --try order.json',
    'waybill profile set demo rules=',
  ],
  output: {
    table: 'one line for each rule, in their order; with --try whether it fits, and why not',
    quiet: 'their names; with --try the one that fits',
    json: 'the rules of the file; with --try a list of rule, fits, why',
  },
  exits: {
    invalid_request: 'the rules have a problem, or the order does not tell what one of them asks for',
    not_found: 'the journal has no such order for --try',
  },
  operands: [operand('<profile>', 'its name')],
  flags: { try: flag('--try <file>', 'a request file, or an order of the journal by any of its names') },
  async run(session, options, name) {
    const { rules: path } = profileOrDemo(session, name);
    if (path === undefined) throw new Failure('usage', { kind: 'no-rules', profile: name });
    const rules = await readRules(session, path);
    await (options.try === undefined
      ? showRules(session, path, rules)
      : tryRules(session, name, rules, options.try));
  },
});

async function showRules(session: Session, path: string, rules: readonly Rule[]): Promise<void> {
  await session.printer.result(await readValue(path, session.host), {
    essential: () => rules.map(({ name }) => name),
    table: (_, look) =>
      table(look, {
        head: ['', 'rule', 'if', 'then'],
        align: ['right', 'left', 'left', 'left'],
        rows: rules.map(({ name, if: conditions, then: choice }, index) => [
          index + 1,
          name,
          conditionWords(conditions),
          ruleChoiceWords(choice),
        ]),
      }),
  });
}

/** A rule, whether it fits an order, and why not. `fits`: `null` if the order lacks what the rule asks for. */
interface Tried {
  rule: string;
  fits: boolean | null;
  why: string | null;
}

/** Shows which rules fit an order, and then throws `invalid_request` if a rule cannot be decided for that order. */
async function tryRules(session: Session, name: string, rules: readonly Rule[], ref: string): Promise<void> {
  const order = { body: await bodyToTry(session, name, ref) };
  let first: string | undefined;
  const tried = rules.map((rule): Tried => {
    const fit = fitOf(rule, order);
    if (fit.fits === undefined)
      return {
        rule: rule.name,
        fits: null,
        why: `${fit.path} ${unansweredWords(rule.name, fit.unanswered)}`,
      };
    if (!fit.fits) return { rule: rule.name, fits: false, why: missWords(fit.miss) };
    const why = first === undefined ? null : afterWords(first);
    first ??= rule.name;
    return { rule: rule.name, fits: true, why };
  });
  await session.printer.result(tried, {
    essential: () => tried.filter(({ fits, why }) => fits && why === null).map(({ rule }) => rule),
    table: (_, look) =>
      table(look, {
        head: ['rule', 'fits', 'why'],
        rows: tried.map(({ rule, fits, why }) => [rule, fits === null ? '?' : fits ? 'yes' : 'no', why]),
      }),
  });
  const { rule, problem } = firstThatFits(rules, order);
  if (rule && problem)
    throw new Failure('invalid_request', { kind: 'rules-undecided', rule: rule.name }, { issues: [problem] });
}

/** The request on which rules are tried: from a file, with what the profile gives, or from a booked order. */
async function bodyToTry(session: Session, name: string, ref: string): Promise<unknown> {
  if (!existsSync(absolutePath(ref, session.host)))
    return (await findOrSuggest(session, ref, ['profile', 'rules', name, '--try'])).request;
  const profile = profileOrDemo(session, name);
  const ofProfile = { ...session, target: () => ({ ...session.target(), name, profile }) };
  const { layers } = await gather(ofProfile, SHIP, {}, { file: await readObject(ref, session.host) });
  return completed(bodyOf(SHIP.operation), layers.full);
}
