// What `batch map` asks a person: which column has each field that the first order lacks.
import { withColumn } from '../../batch/guess/guess.ts';
import { MONEY, rankColumns } from '../../batch/guess/likely.ts';
import type { InputMap } from '../../batch/source.ts';
import { bodyOf } from '../../contract/operation.ts';
import { fieldIn, requiredFieldsUnder } from '../../forms/engine/state.ts';
import { byOrder } from '../../forms/engine/steps.ts';
import { SHIPMENT_ORDER, suggestion } from '../../forms/shipment-fields.ts';
import { isRequired } from '../../prompts/question.ts';
import { missingIn } from '../../request/validate.ts';
import { shortened } from '../../text.ts';
import { firstOrder, type Mapping } from './map-first-order.ts';
import { fieldWords } from './map-words.ts';

/** Asks, for each field of the first order that nothing gives, which column has it. Back takes the last answer back. */
export async function askForColumns(mapping: Mapping, start: InputMap): Promise<InputMap> {
  const { session } = mapping;
  const history: { map: InputMap; left: ReadonlySet<string> }[] = [];
  let state = { map: start, left: new Set<string>() as ReadonlySet<string> };
  for (;;) {
    const { body, paths } = await missingFields(mapping, state.map);
    const path = paths.find(one => !state.left.has(one));
    if (path === undefined) return state.map;
    const columns = columnsFor(mapping, state.map, path, body);
    const words = fieldWords(bodyOf(mapping.parts.operation), path, body);
    const likely = columns.find(({ isLikely }) => isLikely);
    const answer = await session.ask({
      kind: 'choice',
      id: path,
      message: `Which column has this? ${words}${path === 'key' ? '' : ` (${generalOf(path)})`}`,
      choices: [
        ...columns.map(({ title, first }) => ({
          value: COLUMN + title,
          name: `${title}  ${shortened(first)}`,
        })),
        { value: SAME, name: 'None of them: it is the same for all orders' },
        { value: LATER, name: 'None of them: I give it later, as a flag or in the file' },
      ],
      defaultAnswer: likely ? COLUMN + likely.title : path.startsWith('packages') ? SAME : LATER,
      esc: history.length > 0 ? 'back' : 'leave',
    });
    const next =
      answer === undefined ? history.pop() : await withAnswer(mapping, state, { path, words }, answer);
    if (next === undefined) continue;
    if (answer !== undefined) history.push(state);
    state = next;
  }
}

const SAME = '=';
const LATER = '-';
const COLUMN = ':';

/** The first order, and what it lacks, in the order of the form. */
async function missingFields(mapping: Mapping, map: InputMap) {
  const { body, open } = await firstOrder(mapping, map);
  const schema = bodyOf(mapping.parts.operation);
  const paths = missingIn(open, body).flatMap(({ path }) =>
    path === 'key' ? path : requiredFieldsUnder(schema, path),
  );
  return { body, paths: paths.toSorted(byOrder({ order: SHIPMENT_ORDER, schema })) };
}

function columnsFor({ parts, sample }: Mapping, { columns, decimal }: InputMap, path: string, body: unknown) {
  const free = sample.header.filter(title => columns[title]?.startsWith('_'));
  const { kind } = fieldIn(bodyOf(parts.operation), path) ?? {};
  // What is only usual follows from nothing.
  const expected = MONEY.test(path) ? suggestion(path, body) : undefined;
  return rankColumns(free, sample, { path, kind, expected, hasComma: decimal === ',' });
}

/** Every row of an order is an item. */
const generalOf = (path: string): string => path.replace(/^items\[0\]/, 'items[]');

/** `undefined`: the person went back. */
async function withAnswer(
  { session, sample }: Mapping,
  { map, left }: { map: InputMap; left: ReadonlySet<string> },
  { path, words }: { path: string; words: string },
  answer: string,
) {
  const general = generalOf(path);
  // A column that the first order leaves empty is an answer, too.
  const asLeft = { map, left: new Set([...left, path]) };
  if (answer.startsWith(COLUMN)) return { ...asLeft, map: withColumn(map, sample, answer.slice(1), general) };
  if (answer === LATER) return asLeft;
  const value = await session.ask({
    kind: 'text',
    id: `${path} =`,
    message: `${words}, the same for all orders`,
    check: isRequired,
  });
  if (value === undefined) return undefined;
  return { ...asLeft, map: { ...map, constants: { ...map.constants, [general]: value.trim() } } };
}
