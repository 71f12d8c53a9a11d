/** Says whether PostgreSQL can store a text: it has no NUL character and no unpaired surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * Returns the path of the first text, names of fields included, that PostgreSQL cannot store, such as `limits.models[0]`; null when
 * there is none. The value must be a JSON value of bounded depth.
 */
export function findUnstorable(value: unknown, path = ''): string | null {
  if (typeof value === 'string') {
    return isStorable(value) ? null : path;
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  for (const [name, item] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[${name}]` : [path, name].filter(Boolean).join('.');
    const found = isStorable(name) ? findUnstorable(item, place) : path;
    if (found !== null) {
      return found;
    }
  }
  return null;
}
