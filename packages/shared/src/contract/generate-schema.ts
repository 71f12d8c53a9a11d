import Joi from 'joi';
import { characterRule } from './character-rule.js';
import type { GenerateRequest } from './generate-request.js';
import { ASPECT_RATIOS, LIMITS, RESOLUTIONS } from './limits.js';
import { textSchema } from './text-schema.js';
import { urlRule } from './url-rule.js';

/** What the schema of a generate request depends on. */
export interface GenerateSchemaOptions {
  /** Ids of the enabled models, at least one. */
  readonly models: readonly string[];
  /** Says whether a well-formed URL may be fetched for an input image. */
  readonly isAllowedImageUrl: (url: string) => boolean;
  /** Says whether a well-formed URL may be called when the task has ended. */
  readonly isAllowedWebhookUrl: (url: string) => boolean;
}

/** Makes the schema of the body of `POST /v1/generate`: no coercion, one sentence a field that says what is allowed. */
export function generateSchema(options: GenerateSchemaOptions): Joi.ObjectSchema<GenerateRequest> {
  // Not by `messages`, which Joi would merge with its own for every field of every request.
  const says = <S extends Joi.Schema>(schema: S, rule: string): S =>
    schema.error(([first]) => {
      const { label } = (first as Partial<Joi.ErrorReport> | undefined)?.local ?? {};
      // An item of a list has already said what is wrong with it, and is no report any more.
      return label === undefined && first ? first : new Error(`${label} must be ${rule}.`);
    }) as S;
  const oneOf = (values: readonly string[]) =>
    says(Joi.string().valid(...values), values.length === 1 ? `"${values[0]}"` : `one of ${quoted(values)}`);
  const whole = (max: number) => says(Joi.number().integer().min(1).max(max), `an integer from 1 to ${max}`);
  const url = (max: number, isAllowed: (url: string) => boolean) =>
    says(
      textSchema(urlRule({ max, isAllowed })),
      `an http or https URL of at most ${max} characters, without user info, that leads to the public Internet`,
    );
  const fields = Joi.object<GenerateRequest>({
    model: oneOf(options.models).required().description('Model ID.'),
    prompt: says(
      textSchema(characterRule({ max: LIMITS.promptCharacters, visible: true })),
      `a string of 1 to ${LIMITS.promptCharacters} characters, not only white space, without NUL characters`,
    )
      .required()
      .description('What to generate; for edits, what to change.'),
    negative_prompt: says(
      textSchema(characterRule({ max: LIMITS.negativePromptCharacters })),
      `a string of at most ${LIMITS.negativePromptCharacters} characters, without NUL characters`,
    ).description('What to avoid.'),
    aspect_ratio: oneOf(ASPECT_RATIOS).default('16:9'),
    num_outputs: whole(LIMITS.outputs).default(1).description('How many images to make.'),
    resolution: oneOf(RESOLUTIONS).default('1k'),
    image_urls: says(
      Joi.array()
        .items(url(LIMITS.imageUrlCharacters, options.isAllowedImageUrl).required())
        .min(1)
        .max(LIMITS.inputImages),
      `a list of 1 to ${LIMITS.inputImages} URLs`,
    ).description('Images to edit; their presence makes the task an edit.'),
    webhook_url: url(LIMITS.webhookUrlCharacters, options.isAllowedWebhookUrl).description(
      'Called when the task has completed or failed.',
    ),
    duration: whole(LIMITS.durationMax).description('Accepted and stored; it has no effect on images.'),
  });
  // Here and not with each validation, which would merge them anew every time.
  return fields.prefs({ convert: false, errors: { wrap: { label: false } } });
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}
