import type { TextRule } from './text-schema.js';

/** A text of so many characters (Unicode code points) that PostgreSQL can store: no NUL, no unpaired surrogates. */
export function characterRule(limits: { readonly max: number; readonly visible?: true }): TextRule {
  return {
    test: (text) =>
      charactersOf(text, limits.max) <= limits.max &&
      !text.includes('\u0000') &&
      text.isWellFormed() &&
      (!limits.visible || /\S/.test(text)),
    jsonSchema: { maxLength: limits.max, ...(limits.visible && { minLength: 1, pattern: '\\S' }) },
  };
}

/** Counts code points, but no more of them than matter: beyond twice `max` UTF-16 units a text is too long in any case. */
function charactersOf(text: string, max: number): number {
  if (text.length <= max || text.length > 2 * max) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}
