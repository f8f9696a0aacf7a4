// What the rules of a carrier ask of an order, which decides whether the order can go by it.
import type { Issue } from '../contract/operation.ts';
import { setAt } from '../contract/paths.ts';
import { comparable } from '../contract/words.ts';
import type { RequestKind } from '../orders/request-command.ts';
import type { Session } from '../session/session.ts';
import { type CarrierChoice, type Chosen, choose } from './choose.ts';
import { type Proposal, proposalWords } from './proposals.ts';

/** Chooses the proposal for an order. Throws `not_found`. */
export function chooseFor(
  session: Session,
  { operation }: Pick<RequestKind, 'operation'>,
  body: unknown,
  proposals: readonly Proposal[],
  choice: CarrierChoice,
): Chosen {
  const carriers = session.economyCarriers();
  const issuesBy = (id: string, economyCarriers = carriers): Issue[] => {
    const by = (carrier: string) =>
      operation.rules.flatMap(rule =>
        rule.check(setAt(body, ['carrier', 'id'], carrier), { economyCarriers, serviceOnLoopback: false }),
      );
    // What any carrier would ask is no matter of this one.
    const common = new Set(by('').map(({ path }) => path));
    return by(id).filter(({ path }) => !common.has(path));
  };
  const { proposal, warnings } = choose(proposals, choice, operation.command, issuesBy);
  const { id = '' } = proposal;
  const isUnnamed = carriers.length === 0 && isEconomy(proposal);
  return {
    proposal,
    warnings: [
      ...warnings,
      ...(isUnnamed ? issuesBy(id, [id]) : []).map(
        ({ path, message }) =>
          `${proposalWords(proposal)}: ${path} ${message}, and no setting says which carrier that is. If it is not ${id}, name it: \`economyCarriers\` of the profile, or WAYBILL_ECONOMY_CARRIERS`,
      ),
    ],
  };
}

// The second word is Turkish.
const ECONOMY = /\b(economy|ekonomi)\b/;

const isEconomy = ({ serviceType = '' }: Proposal): boolean => ECONOMY.test(comparable(serviceType));
