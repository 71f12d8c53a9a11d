import Joi from 'joi';
import type { CatalogModel } from '../catalog/document/index.js';
import { type GenerateRequest, type GivenRequest, LIMITS, RESOLUTIONS } from '../contract/index.js';
import { characterRule, textSchema, urlRule } from './text-schema.js';

const FIELDS = [
  'model',
  'prompt',
  'negative_prompt',
  'aspect_ratio',
  'num_outputs',
  'resolution',
  'image_urls',
  'webhook_url',
  'duration',
] as const satisfies readonly (keyof GenerateRequest)[];

/** Properties of a model that its requests are checked against. */
export type OfferedModel = Pick<
  CatalogModel,
  | 'id'
  | 'types'
  | 'priceMicros'
  | 'defaultResolution'
  | 'aspectRatios'
  | 'defaultAspectRatio'
  | 'maxInputs'
  | 'maxOutputs'
>;

/** Models and URL checks that the schema of a generate request allows. */
export interface GenerateSchemaOptions {
  /** Enabled models. Each value that one of them offers is allowed; the first one gives the defaults. */
  readonly models: readonly OfferedModel[];
  /** Returns true if a well-formed URL may be fetched for an input image. */
  readonly isAllowedImageUrl: (url: string) => boolean;
  /** Returns true if a well-formed URL may be called when the task has ended. */
  readonly isAllowedWebhookUrl: (url: string) => boolean;
}

/** Builds the schema of the body of `POST /v1/generate`: no coercion, one sentence per field about what is allowed. */
export function generateSchema(options: GenerateSchemaOptions): Joi.ObjectSchema<GenerateRequest> {
  // Not `messages`: Joi would merge them with its own for every field of every request.
  const says = <S extends Joi.Schema>(schema: S, rule: string): S =>
    schema.error(([first]) => {
      const { label } = (first as Partial<Joi.ErrorReport> | undefined)?.local ?? {};
      // An invalid item of a list has become an Error already, which is no longer a report.
      return label === undefined && first ? first : new Error(`${label} must be ${rule}.`);
    }) as S;
  const choice = (values: readonly string[]) =>
    values.length === 0
      ? says(Joi.string().pattern(/(?!)/), 'a model that is on offer; none is at present')
      : says(
          Joi.string().valid(...values),
          values.length === 1 ? `"${values[0]}"` : `one of ${quoted(values)}`,
        );
  const whole = (max: number) => says(Joi.number().integer().min(1).max(max), `an integer from 1 to ${max}`);
  const url = (max: number, isAllowed: (url: string) => boolean) =>
    says(
      textSchema(urlRule({ max, isAllowed })),
      `an http or https URL of at most ${max} characters, without user info, that leads to the public Internet or to a host:port that OUTBOUND_ALLOW names`,
    );
  const { models } = options;
  const [first] = models;
  const ratios = [...new Set(models.flatMap(({ aspectRatios }) => aspectRatios))];
  const resolutions = RESOLUTIONS.filter((one) =>
    models.some(({ priceMicros }) => priceMicros[one] !== undefined),
  );
  const maxInputs = Math.max(
    0,
    ...models.map((model) => (model.types.includes('image_edit') ? model.maxInputs : 0)),
  );
  const fields = Joi.object<GenerateRequest>({
    model: choice(models.map(({ id }) => id))
      .required()
      .description('Model ID.'),
    prompt: says(
      textSchema(characterRule({ max: LIMITS.promptCharacters, visible: true })),
      `a string of 1 to ${LIMITS.promptCharacters} characters, not only white space, without NUL characters and unpaired surrogates`,
    )
      .required()
      .description('What to generate; for edits, what to change.'),
    negative_prompt: says(
      textSchema(characterRule({ max: LIMITS.negativePromptCharacters })),
      `a string of at most ${LIMITS.negativePromptCharacters} characters, without NUL characters and unpaired surrogates`,
    ).description('What to avoid.'),
    aspect_ratio: choice(ratios).default(first?.defaultAspectRatio ?? '16:9'),
    num_outputs: whole(Math.max(1, ...models.map(({ maxOutputs }) => maxOutputs)))
      .default(1)
      .description('How many images to make.'),
    resolution: choice(resolutions).default(first?.defaultResolution ?? '1k'),
    image_urls: says(
      Joi.array()
        .items(url(LIMITS.imageUrlCharacters, options.isAllowedImageUrl).required())
        .min(1)
        .max(maxInputs),
      maxInputs === 0 ? 'absent: this model takes no input images' : `a list of 1 to ${maxInputs} URLs`,
    ).description('Images to edit; their presence makes the task an edit.'),
    webhook_url: url(LIMITS.webhookUrlCharacters, options.isAllowedWebhookUrl).description(
      'Called when the task has completed or failed.',
    ),
    duration: whole(LIMITS.durationMax).description('Accepted and stored; it has no effect on images.'),
  });
  // Set once here: each validation would otherwise merge the preferences again.
  return fields.prefs({ convert: false, errors: { wrap: { label: false } } });
}

/** Request of a valid body and the fields that were given, or a sentence for the caller. */
export type ParsedRequest =
  | { readonly request: GenerateRequest; readonly given: GivenRequest }
  | { readonly fault: string };

/**
 * Validates a parsed JSON body. Reads own fields of the contract only, so that `__proto__` and unknown fields have no
 * effect. The value `null` is the same as absent. The result's `fault` is a sentence for the caller.
 */
export function parseGenerateRequest(
  schema: Joi.ObjectSchema<GenerateRequest>,
  body: unknown,
): ParsedRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { fault: 'The body must be a JSON object.' };
  }
  const given: Record<string, unknown> = {};
  for (const name of FIELDS) {
    const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    if (value !== undefined && value !== null) {
      given[name] = value;
    }
  }
  const { error, value } = schema.validate(given);
  // Given fields have passed the same checks, only without defaults.
  return error ? { fault: error.message } : { request: value, given: given as unknown as GivenRequest };
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}
