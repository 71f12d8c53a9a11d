import Joi from 'joi';
import { isStorable } from './is-storable.js';

// URL itself would forgive `http:host`, spaces around and line breaks within.
const WEB_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\p{Cc}\\]+$/u;

/** UTF-16 units up to which the characters of a text that is too long are counted. */
const MAX_COUNTED = 1_000_000;

/** A rule for a text and what JSON Schema says of it. */
export interface TextRule {
  readonly test: (text: string) => boolean;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

interface TextSchema extends Joi.StringSchema {
  fits(rule: TextRule): TextSchema;
}

/**
 * Makes a Joi string whose one rule is a function that also says how JSON Schema words it: Joi's own `max` counts UTF-16
 * units where the contract counts characters, and its JSON Schema forgets custom rules.
 */
export function textSchema(rule: TextRule): Joi.StringSchema {
  const extension = {
    type: 'text',
    base: Joi.string().min(0),
    messages: { 'text.fits': '{{#label}} is not allowed' },
    jsonSchema: (_schema: unknown, result: object) => ({ ...result, type: 'string' }),
    rules: {
      fits: {
        method(this: Joi.SchemaInternals, fitting: TextRule) {
          return this.$_addRule({ name: 'fits', args: { fitting } });
        },
        validate: (text: string, helpers: Joi.CustomHelpers, { fitting }: { fitting: TextRule }) =>
          fitting.test(text) ? text : helpers.error('text.fits'),
        jsonSchema: (added: { args: { fitting: TextRule } }, result: object) => ({
          ...result,
          ...added.args.fitting.jsonSchema,
        }),
      },
    },
  };
  const extended: { text(): TextSchema } = Joi.extend(extension as unknown as Joi.Extension);
  return extended.text().fits(rule);
}

/** A text of so many characters (Unicode code points) that PostgreSQL can store: no NUL, no unpaired surrogates. */
export function characterRule(limits: { readonly max: number; readonly visible?: true }): TextRule {
  return {
    test: (text) =>
      listCharacters(text, limits.max) <= limits.max &&
      isStorable(text) &&
      (!limits.visible || /\S/.test(text)),
    jsonSchema: { maxLength: limits.max, ...(limits.visible && { minLength: 1, pattern: '\\S' }) },
  };
}

/** Counts code points, but no more of them than matter: beyond twice `max` UTF-16 units a text is too long in any case. */
function listCharacters(text: string, max: number): number {
  if (text.length <= max || text.length > 2 * max) {
    return text.length;
  }
  let count = 0;
  for (const _ of text) {
    count++;
  }
  return count;
}

/** Adds to a sentence about a field that it is missing, or how many characters its text has beyond those that are allowed. */
export function explainText({
  name,
  message,
  value,
}: {
  readonly name: string;
  readonly message: string;
  readonly value: unknown;
}): string {
  if (value === undefined) {
    return message.replace(`${name} must be`, `${name} is required:`);
  }
  const most = Number(/ (\d+) characters/.exec(message)?.[1] ?? Number.NaN);
  const length = typeof value === 'string' ? [...value.slice(0, MAX_COUNTED)].length : 0;
  return length > most && typeof value === 'string'
    ? `${message.replace(/\.$/, '')}; it has ${value.length > MAX_COUNTED ? 'many more' : length}.`
    : message;
}

/** Joi string of a bounded number of characters that PostgreSQL can store; `visible` excludes the empty text and white space alone. */
export function boundedText(max: number, options: { readonly visible?: true } = {}): Joi.StringSchema {
  return textSchema(characterRule({ max, ...options }));
}

/** Bounds of a URL. */
export interface UrlBounds {
  /** In characters. */
  readonly max: number;
  /** Returns true for a well-formed URL that may be called. */
  readonly isAllowed: (url: string) => boolean;
}

/** An absolute `http` or `https` URL without user info, of at most `max` characters, that `isAllowed` lets through. */
export function urlRule(bounds: UrlBounds): TextRule {
  return {
    test: (text) => findUrlFault(text, bounds) === null,
    jsonSchema: { maxLength: bounds.max, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
  };
}

/** Returns what is wrong with a URL, for a sentence after its name; null for one that may be called. */
export function findUrlFault(text: string, { max, isAllowed }: UrlBounds): string | null {
  if (!/^https?:\/\//i.test(text)) {
    return 'must be an http or https URL';
  }
  if (listCharacters(text, max) > max) {
    return `must have at most ${max} characters`;
  }
  if (!isStorable(text) || !WEB_URL.test(text) || !URL.canParse(text)) {
    return 'is not a valid URL';
  }
  const { username, password } = new URL(text);
  if (username !== '' || password !== '') {
    return 'must not contain a user name or a password';
  }
  return isAllowed(text)
    ? null
    : 'must lead to the public Internet, or to a host:port that OUTBOUND_ALLOW names';
}
