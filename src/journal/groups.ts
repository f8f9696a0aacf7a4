import type { Host } from '../host.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * What is written at about the same time is written together, and in the order in which it comes: what arrives during a
 * write, and as long as each turn of the event loop brings more, is the next group, so that nothing waits for a timer.
 * `write` writes all or nothing, and gives a result for each. After an error that one of them may have caused, each is
 * written alone.
 */
export function inGroups<Item, Result>(
  write: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>,
  { turn }: Pick<Host, 'turn'>,
  isOfOne: (error: unknown) => boolean = () => true,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  async function writeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => void resolve(results[index] as Result));
    } catch (error) {
      if (group.length > 1 && isOfOne(error)) for (const one of group) await writeGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      for (let count = 0; waiting.length > count; await turn()) count = waiting.length;
      const group = waiting;
      waiting = [];
      await writeGroup(group);
    }
    isWriting = false;
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeWaiting();
    });
}
