// Proposals and rates for people.
import type { Look } from '../output/look.ts';
import { table } from '../output/table.ts';
import type { CarrierColumns } from './comparison.ts';
import { isValid, type Proposal, priceWords } from './proposals.ts';

/** With bars on a terminal that can draw them; a pipe does not load their code. `hasValid`: a column says so. */
export async function proposalTable(
  look: Look,
  columns: CarrierColumns & { hasValid?: boolean },
  proposals: readonly Proposal[],
): Promise<string> {
  if (look.pen !== undefined) {
    const { comparison } = await import('./comparison.ts');
    const drawn = await comparison(look, columns, proposals);
    if (drawn !== undefined) return drawn;
  }
  const { title, id, name, hasValid } = columns;
  return table(look, {
    head: [title, 'name', 'service', 'delivery', 'price', ...(hasValid ? ['valid'] : [])],
    align: ['whole', 'left', 'left', 'left', 'right'],
    rows: proposals.map(proposal => [
      ...[id, name, 'serviceType', 'deliveryTime'].map(field => String(proposal[field] ?? '-')),
      priceWords(proposal),
      ...(hasValid ? [isValid(proposal) ? 'yes' : 'no'] : []),
    ]),
  });
}
