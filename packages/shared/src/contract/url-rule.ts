import { characterRule } from './character-rule.js';
import type { TextRule } from './text-schema.js';

// URL itself would forgive `http:host`, spaces around and line breaks within.
const WEB_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\p{Cc}\\]+$/u;

/** An absolute `http` or `https` URL without user info, of at most `max` characters, that `isAllowed` lets through. */
export function urlRule(options: {
  readonly max: number;
  readonly isAllowed: (url: string) => boolean;
}): TextRule {
  const characters = characterRule({ max: options.max });
  return {
    test: (text) => {
      if (!characters.test(text) || !WEB_URL.test(text) || !URL.canParse(text)) return false;
      const { username, password } = new URL(text);
      return username === '' && password === '' && options.isAllowed(text);
    },
    jsonSchema: { maxLength: options.max, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
  };
}
