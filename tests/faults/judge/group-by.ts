/** Groups items by what a function says of each. */
export function groupBy<T>(items: readonly T[], getName: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(getName(item));
    if (group) {
      group.push(item);
    } else {
      groups.set(getName(item), [item]);
    }
  }
  return groups;
}
