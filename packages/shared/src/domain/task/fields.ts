import Joi from 'joi';
import {
  type CatalogModel,
  type CatalogRoute,
  findPurchase,
  listResolutions,
} from '../catalog/document/index.js';
import {
  type CamelCase,
  type FormFieldName,
  type GenerateRequest,
  LIMITS,
  QUALITIES,
  RESOLUTIONS,
  sortMetadata,
  toCamelCase,
} from '../contract/index.js';
import { parseFileName } from '../ids/index.js';
import { listTakenValues, MAX_SEED, OPTIONAL_FIELDS, type OptionalField } from '../upstreams/index.js';
import {
  characterRule,
  findUrlFault,
  METADATA_RULE,
  metadataSchema,
  type TextRule,
  textSchema,
  urlRule,
} from '../validation/index.js';

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
> & { readonly routes: readonly Pick<CatalogRoute, 'accepts'>[] };

/** Models and URL checks that the schema of a generate request allows. */
export interface GenerateSchemaOptions {
  /** Enabled models. Each value that one of them offers is allowed; the first one gives the defaults. */
  readonly models: readonly OfferedModel[];
  /** Returns true if a well-formed URL may be fetched for an input image. */
  readonly isAllowedImageUrl: (url: string) => boolean;
  /** Returns true if a well-formed URL may be called when the task has ended. */
  readonly isAllowedWebhookUrl: (url: string) => boolean;
}

/** Entry of the table of fields. */
export interface TaskField {
  /** Schema of the field, with the sentence that a fault gets and the text of the OpenAPI document. */
  readonly schema: (options: GenerateSchemaOptions) => Joi.Schema;
  /** Type of its column, which has its name. */
  readonly sqlType: 'text' | 'int' | 'int8' | 'text[]' | 'jsonb';
  /** Default of the specification, which stands for an absent value in fingerprints. */
  readonly fingerprint: string | number | null;
  /** Came after the first release: it enters the second fingerprint, and only where it is given. */
  readonly isAdded?: true;
  /** Returns a given value in the form in which equal ones are equal; undefined for one that is the same as absent. */
  readonly normalize?: (value: unknown) => unknown;
  /** Handed to providers. */
  readonly isDrawn?: true;
  /** Row of the field that the route which draws it must be able to do, and every live worker must know. */
  readonly requires?: OptionalField;
  /** An image, which doors take apart: bodies of `/v1` have no such field. */
  readonly isUpload?: true;
  /** Changes no image, so the form of the playground does not offer it. */
  readonly isAside?: true;
  /** Schema of the field in `view=full`, which shows it where this is present. */
  readonly view?: { readonly type: 'string' | 'integer' };
}

/**
 * Every field of `POST /v1/generate`. Validation, INSERT, columns, fingerprint, `view=full`, OpenAPI and the request that
 * providers get follow from this table. Its order is that of faults and of stored fingerprints.
 */
export const TASK_FIELDS = {
  model: {
    schema: ({ models }) =>
      choice(models.map(({ id }) => id))
        .required()
        .description('Model ID.'),
    sqlType: 'text',
    fingerprint: null,
  },
  prompt: {
    schema: () =>
      says(
        textSchema(characterRule({ max: LIMITS.promptCharacters, visible: true })),
        `a string of 1 to ${LIMITS.promptCharacters} characters, not only white space, without NUL characters and unpaired surrogates`,
      )
        .required()
        .description('What to generate; for edits, what to change.'),
    sqlType: 'text',
    fingerprint: null,
    isDrawn: true,
    view: { type: 'string' },
  },
  negative_prompt: {
    schema: () =>
      says(
        textSchema(characterRule({ max: LIMITS.negativePromptCharacters })),
        `a string of at most ${LIMITS.negativePromptCharacters} characters, without NUL characters and unpaired surrogates`,
      ).description('What to avoid.'),
    sqlType: 'text',
    fingerprint: null,
    isDrawn: true,
  },
  aspect_ratio: {
    schema: ({ models }) =>
      choice([...new Set(models.flatMap(({ aspectRatios }) => aspectRatios))]).default(
        models[0]?.defaultAspectRatio ?? '16:9',
      ),
    sqlType: 'text',
    fingerprint: '16:9',
    isDrawn: true,
    view: { type: 'string' },
  },
  num_outputs: {
    schema: ({ models }) =>
      whole(1, Math.max(1, ...models.map(({ maxOutputs }) => maxOutputs)))
        .default(1)
        .description('How many images to make.'),
    sqlType: 'int',
    fingerprint: 1,
  },
  resolution: {
    schema: ({ models }) =>
      choice(
        RESOLUTIONS.filter((one) => models.some((model) => listResolutions(model).includes(one))),
      ).default(models[0]?.defaultResolution ?? '1k'),
    sqlType: 'text',
    fingerprint: '1k',
    isDrawn: true,
    view: { type: 'string' },
  },
  image_urls: {
    schema: ({ models, isAllowedImageUrl }) => {
      const editing = models.filter(({ types }) => types.includes('image_edit'));
      const max = Math.max(0, ...editing.map(({ maxInputs }) => maxInputs));
      const items = inputImage(isAllowedImageUrl).required();
      return says(
        Joi.array().items(items).min(1).max(max),
        max === 0 ? 'absent: this model takes no input images' : `a list of 1 to ${max} URLs`,
      ).description(
        'Images to edit, each as a URL, a data URL in base64, or the ID or URL of a file (`POST /v1/files`). Their presence ' +
          'makes the task an edit.',
      );
    },
    sqlType: 'text[]',
    fingerprint: null,
  },
  webhook_url: {
    schema: ({ isAllowedWebhookUrl }) =>
      url(LIMITS.webhookUrlCharacters, isAllowedWebhookUrl).description(
        'Called when the task has completed or failed.',
      ),
    sqlType: 'text',
    fingerprint: null,
    isAside: true,
  },
  duration: {
    schema: () =>
      whole(1, LIMITS.durationMax).description('Accepted and stored; it has no effect on images.'),
    sqlType: 'int',
    fingerprint: null,
    isAside: true,
  },
  quality: {
    schema: ({ models }) =>
      choiceOrAuto(
        QUALITIES.filter((quality) =>
          models.some((model) =>
            RESOLUTIONS.some((resolution) => findPurchase(model, resolution, quality) !== undefined),
          ),
        ),
      ).description('Has its own price. Models with one price draw at their own quality.'),
    sqlType: 'text',
    fingerprint: null,
    isAdded: true,
    requires: OPTIONAL_FIELDS.quality,
    normalize: omitAuto,
    view: { type: 'string' },
  },
  seed: {
    schema: ({ models }) =>
      (listTakenValues(
        'seed',
        models.flatMap(({ routes }) => routes),
      ).length > 0
        ? whole(0, MAX_SEED)
        : says(whole(0, MAX_SEED).max(-1), 'absent: no route of this model takes it')
      ).description('Of the first image; the next ones have the next seeds.'),
    sqlType: 'int8',
    fingerprint: null,
    isAdded: true,
    requires: OPTIONAL_FIELDS.seed,
    view: { type: 'integer' },
  },
  output_format: {
    schema: ({ models }) => {
      const formats = listTakenValues(
        'output_format',
        models.flatMap(({ routes }) => routes),
      );
      return (
        formats.length > 0
          ? choice(formats)
          : says(Joi.string().pattern(/(?!)/), 'absent: no route of this model takes it')
      ).description('Format of the images.');
    },
    sqlType: 'text',
    fingerprint: null,
    isAdded: true,
    requires: OPTIONAL_FIELDS.output_format,
    view: { type: 'string' },
  },
  background: {
    schema: ({ models }) =>
      choiceOrAuto(
        listTakenValues(
          'background',
          models.flatMap(({ routes }) => routes),
        ),
      ).description('`transparent` goes with `png` and `webp` only.'),
    sqlType: 'text',
    fingerprint: null,
    isAdded: true,
    requires: OPTIONAL_FIELDS.background,
    normalize: omitAuto,
    view: { type: 'string' },
  },
  metadata: {
    schema: () =>
      says(metadataSchema(), METADATA_RULE).description(
        'Texts of your own, such as who asked. They are in every form of the task and on its usage record.',
      ),
    sqlType: 'jsonb',
    fingerprint: null,
    isAdded: true,
    normalize: orderEntries,
    isAside: true,
  },
  mask: {
    schema: () => Joi.forbidden(),
    sqlType: 'text',
    fingerprint: null,
    requires: OPTIONAL_FIELDS.mask,
    isUpload: true,
  },
} as const satisfies Readonly<Record<keyof GenerateRequest | 'mask', TaskField>>;

type Fields = typeof TASK_FIELDS;
type NamesWith<Property extends string> = {
  [Name in keyof Fields]: Fields[Name] extends Readonly<Record<Property, unknown>> ? Name : never;
}[keyof Fields];

/** Name of a field of a generate request. */
export type TaskFieldName = keyof Fields;
/** Properties of the fields that providers get. */
export type DrawnProperty = CamelCase<NamesWith<'isDrawn'>>;
/** Names of the fields that `view=full` shows. */
export type ViewName = NamesWith<'view'>;
/** Properties of the fields that `view=full` shows. */
export type ViewProperty = CamelCase<ViewName>;

/** Name of a field that routes must be able to do. */
export type RequirementName = NamesWith<'requires'>;
/** Name of a field of a body of `/v1`. */
export type BodyName = Exclude<TaskFieldName, NamesWith<'isUpload'>>;

/** Names of all fields, in the order of the table. */
export const TASK_FIELD_NAMES = Object.keys(TASK_FIELDS) as TaskFieldName[];
/** Names of the fields that bodies of `/v1` have. */
export const BODY_NAMES = TASK_FIELD_NAMES.filter(
  (name): name is BodyName => !('isUpload' in TASK_FIELDS[name]),
);
/** Names of the fields that routes must be able to do, and workers must know. */
export const REQUIREMENT_NAMES = TASK_FIELD_NAMES.filter(
  (name): name is RequirementName => 'requires' in TASK_FIELDS[name],
);
/** Properties of the fields that providers get. */
export const DRAWN_PROPERTIES = TASK_FIELD_NAMES.filter((name) => 'isDrawn' in TASK_FIELDS[name]).map(
  toCamelCase,
) as DrawnProperty[];
/** Fields that `view=full` shows. */
export const VIEW_NAMES = TASK_FIELD_NAMES.filter((name) => 'view' in TASK_FIELDS[name]) as ViewName[];

/** Fields that the form of the playground offers, beside the model and the images to edit. */
export const FORM_NAMES: readonly FormFieldName[] = BODY_NAMES.filter(
  (name): name is Exclude<BodyName, NamesWith<'isAside'> | 'model' | 'image_urls'> =>
    name !== 'model' && name !== 'image_urls' && !('isAside' in TASK_FIELDS[name]),
);

/** Names of the fields that came after the first release. */
export const ADDED_NAMES = BODY_NAMES.filter((name) => 'isAdded' in TASK_FIELDS[name]);

/** Writes the selection of a field of the table `t` as the property of a task row; seeds fit into a number. */
export function selectField(name: TaskFieldName): string {
  const cast = TASK_FIELDS[name].sqlType === 'int8' ? '::float8' : '';
  return `t.${name}${cast} AS "${toCamelCase(name)}"`;
}

function omitAuto(value: unknown): unknown {
  return value === 'auto' ? undefined : value;
}

function orderEntries(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.keys(value).length === 0 ? undefined : sortMetadata(value as Record<string, unknown>);
}

// Not `messages`: Joi would merge them with its own for every field of every request.
function says<S extends Joi.Schema>(schema: S, rule: string): S {
  return schema.error(([first]) => {
    const { label } = (first as Partial<Joi.ErrorReport> | undefined)?.local ?? {};
    // An invalid item of a list has become an Error already, which is no longer a report.
    return label === undefined && first ? first : new Error(`${label} must be ${rule}.`);
  }) as S;
}

function choice(values: readonly string[]): Joi.StringSchema {
  return values.length === 0
    ? says(Joi.string().pattern(/(?!)/), describeChoice(values))
    : says(Joi.string().valid(...values), describeChoice(values));
}

function choiceOrAuto(values: readonly string[]): Joi.StringSchema {
  return choice(['auto', ...values]);
}

/** Start of a data URL that holds its bytes in base64. */
export const DATA_URL = /^data:[^,]{0,240};base64,/i;

/** Characters that the values of a choice may take in a sentence, which has at most 400. */
const MAX_CHOICE_LENGTH = 280;

/** Describes values of which one is expected, for a sentence after "must be". Values that find no room are counted. */
export function describeChoice(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`);
  let length = 0;
  const shown = quoted.filter((text) => {
    length += text.length + 2;
    return length <= MAX_CHOICE_LENGTH;
  });
  if (quoted.length === 0) {
    return 'a model that is on offer; none is at present';
  }
  const more = quoted.length - shown.length;
  return `${quoted.length === 1 ? '' : 'one of '}${shown.join(', ')}${more === 0 ? '' : ` or ${more} more`}`;
}

function whole(min: number, max: number): Joi.NumberSchema {
  return says(Joi.number().integer().min(min).max(max), `an integer from ${min} to ${max}`);
}

/** A text whose rule says itself what is wrong. */
function entry(rule: TextRule, find: (text: string) => string | null): Joi.StringSchema {
  return textSchema(rule).error(([first]) => {
    const { label, value } = (first as Partial<Joi.ErrorReport> | undefined)?.local ?? {};
    return new Error(`${label} ${typeof value === 'string' ? find(value) : 'must be a string'}.`);
  });
}

function url(max: number, isAllowed: (url: string) => boolean): Joi.StringSchema {
  const bounds = { max, isAllowed };
  return entry(urlRule(bounds), (text) => findUrlFault(text, bounds));
}

function inputImage(isAllowed: (url: string) => boolean): Joi.StringSchema {
  const find = (text: string): string | null => findInputFault(text, isAllowed);
  const jsonSchema = { pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|[Dd][Aa][Tt][Aa]:|file_)' };
  return entry({ test: (text) => find(text) === null, jsonSchema }, find);
}

/** Returns what is wrong with an entry of `image_urls`, for a sentence after its place. Null for a URL, a data URL and the id of a file. */
export function findInputFault(entry: string, isAllowedImageUrl: (url: string) => boolean): string | null {
  if (/^data:/i.test(entry)) {
    return DATA_URL.test(entry) ? null : 'must hold its image in base64, as data:image/png;base64,… does';
  }
  if (parseFileName(entry)?.extension === null) {
    return null;
  }
  return /^https?:\/\//i.test(entry)
    ? findUrlFault(entry, { max: LIMITS.imageUrlCharacters, isAllowed: isAllowedImageUrl })
    : 'must be an http or https URL, a data URL, or the ID of a file (POST /v1/files)';
}
