import { fieldsOf } from '../../contract/fields.ts';
import type { Form } from './form.ts';
import { isWithin, listElementOf, patternOf } from './state.ts';

/** `items[+]`: whether the list has another element. */
export const ADD_MORE = '[+]';

/** Sorts paths into the order of the form. List elements stay together, followed by the question for another one. */
export function byFormOrder({ order, schema }: Form): (one: string, other: string) => number {
  const schemaOrder = fieldsOf(schema).map(({ pattern }) => pattern);
  const rank = (path: string): number[] => {
    const pattern = patternOf(path);
    const { list, index } = path.endsWith(ADD_MORE)
      ? { list: path.slice(0, -ADD_MORE.length), index: Number.MAX_SAFE_INTEGER }
      : (listElementOf(path) ?? { list: pattern, index: Number.MAX_SAFE_INTEGER });
    return [positionIn(order, list), index, positionIn(order, pattern), schemaOrder.indexOf(pattern)];
  };
  return (one, other) => {
    const ranks = rank(other);
    return (
      rank(one)
        .map((value, at) => value - (ranks[at] ?? 0))
        .find(difference => difference !== 0) ?? 0
    );
  };
}

/** The position of a pattern, of its parent, or of its first child; the end if there is none. */
function positionIn(order: readonly string[], pattern: string): number {
  const exact = order.indexOf(pattern);
  const position =
    exact < 0 ? order.findIndex(one => isWithin(pattern, one) || isWithin(one, pattern)) : exact;
  return position < 0 ? order.length : position;
}
