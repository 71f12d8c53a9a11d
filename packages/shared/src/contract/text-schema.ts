import Joi from 'joi';

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
export function textSchema(rule: TextRule): TextSchema {
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
