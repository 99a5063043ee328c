/** Items that come and go. */
export interface Slots<T> extends Iterable<T> {
  /** Adds an item, and returns what removes it. */
  add(item: T): () => void;
}

/**
 * Creates an empty set of slots. A `Map` or `Set` with many changes gets a new table again and
 * again, and each former table refers to the next one: once one of them is old, everything that
 * any later table contained stays in memory until the next full garbage collection.
 */
export function createSlots<T>(): Slots<T> {
  const slots: (T | undefined)[] = [];
  const free: number[] = [];
  return {
    add: (item) => {
      const index = free.pop() ?? slots.length;
      slots[index] = item;
      return () => {
        if (slots[index] !== item) return;
        slots[index] = undefined;
        free.push(index);
      };
    },
    *[Symbol.iterator]() {
      for (const item of slots) if (item !== undefined) yield item;
    },
  };
}
