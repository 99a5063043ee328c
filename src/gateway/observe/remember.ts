/**
 * Returns a function that finds the value of each key once, and then remembers it. Nothing is
 * forgotten, so there must be few keys.
 */
export function remember<Key, Value extends object>(
  find: (key: Key) => Value,
): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key);
    if (value !== undefined) return value;
    const found = find(key);
    known.set(key, found);
    return found;
  };
}
