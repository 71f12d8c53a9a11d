import { PLAYGROUND_KEY_ID } from '@image-gateway/shared/contract';
import type { KeyItem } from '@image-gateway/shared/key/schema';

/** Returns the names of keys by their ids, and that of the playground. Where two are equal, their prefixes tell them apart. */
export function nameKeys(keys: readonly KeyItem[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { name } of keys) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Map([
    [PLAYGROUND_KEY_ID, 'Playground'],
    ...keys.map(({ id, name, prefix }) => {
      const isOnlyOne = name !== '' && counts.get(name) === 1;
      return [id, isOnlyOne ? name : `${name || 'Unnamed'} (${prefix}…)`] as const;
    }),
  ]);
}
