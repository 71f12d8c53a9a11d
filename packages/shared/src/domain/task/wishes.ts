import Joi from 'joi';
import { OUTPUT_FORMATS, QUALITIES, type Wishes } from '../contract/index.js';
import { MAX_SEED } from '../upstreams/index.js';

interface Wish {
  /** Values that some route understands. */
  readonly schema: Joi.Schema;
  /** Other names of values. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Every wish of a request of the facade. Reading it, its fingerprint and its OpenAPI text follow from this table. */
export const WISHES = {
  quality: {
    schema: Joi.string()
      .valid(...QUALITIES)
      .description(
        '`standard` is `medium`, `hd` is `high`. Sent or refused where a model has prices by quality.',
      ),
    aliases: { standard: 'medium', hd: 'high' },
  },
  output_format: {
    schema: Joi.string()
      .valid(...OUTPUT_FORMATS)
      .description('Format of the images.'),
    aliases: { jpg: 'jpeg' },
  },
  output_compression: {
    schema: Joi.number().integer().min(0).max(100).description('Quality of `jpeg` and `webp` in percent.'),
  },
  style: {
    schema: Joi.string()
      .pattern(/^[\w .:-]{1,64}$/)
      .description('Such as `vivid`.'),
  },
  moderation: { schema: Joi.string().valid('low').description('How strictly the upstream moderates.') },
  input_fidelity: {
    schema: Joi.string().valid('low', 'high').description('How closely an edit follows its images.'),
  },
  seed: {
    schema: Joi.number()
      .integer()
      .min(0)
      .max(MAX_SEED)
      .description('Of the first image; the next ones have the next seeds.'),
  },
} as const satisfies Readonly<Record<Exclude<keyof Wishes, 'background'>, Wish>>;

/** Names of all wishes of the table. */
export const WISH_NAMES = Object.keys(WISHES) as (keyof typeof WISHES)[];

/** Reads a wish, in a form from its text. Null: no route understands the value. */
export function readWish<Name extends keyof typeof WISHES>(
  name: Name,
  value: unknown,
  { isForm }: { readonly isForm: boolean },
): Wishes[Name] | null {
  const { schema, aliases = {} }: Wish = WISHES[name];
  const meant = typeof value === 'string' && Object.hasOwn(aliases, value) ? aliases[value] : value;
  const { error, value: read } = schema.validate(meant, { convert: isForm });
  return error ? null : (read as Wishes[Name]);
}
