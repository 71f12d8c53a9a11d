import type { DocumentNote } from '@image-gateway/shared/contract';

/** Lists the fields that differ between two merged documents, by path. Providers are left out. */
export function compareDocuments(before: unknown, after: unknown): DocumentNote[] {
  const [old, now] = [flatten(before), flatten(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => ({ path, message: `${old.get(path) ?? '(none)'} → ${now.get(path) ?? '(none)'}` }));
}

/** Returns the JSON text of each leaf by its path; an entry of a list has its index in the path. */
function flatten(document: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) {
      leaves.set(path.join('.'), JSON.stringify(value));
      return;
    }
    for (const [name, child] of Object.entries(value)) {
      if (path.length > 0 || !HIDDEN.includes(name)) {
        walk(child, [...path, name]);
      }
    }
  };
  walk(document, []);
  return leaves;
}

const HIDDEN = ['providers', 'built_in_routes'];
