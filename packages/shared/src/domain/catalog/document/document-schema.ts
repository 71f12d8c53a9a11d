import Joi from 'joi';
import {
  ASPECT_RATIOS,
  ID_PATTERN,
  QUALITIES,
  type Quality,
  RESOLUTIONS,
  TASK_TYPES,
} from '../../contract/index.js';
import {
  type CapabilitiesEntry,
  OPTIONAL_FIELDS,
  OPTIONAL_NAMES,
  type OptionalField,
  PROTOCOLS,
  type TaskSettings,
} from '../../upstreams/index.js';
import { taskFields } from './task-schema.js';

const NONZERO_DOLLARS = /^(?!0+(\.0+)?$)\d{1,6}(\.\d{1,6})?$/;
const DOLLARS = /^\d{1,6}(\.\d{1,6})?$/;
const SIZE = /^[1-9]\d{1,4}x[1-9]\d{1,4}$/;

const ID_RULE = 'must be 1 to 64 of a-z, 0-9, ".", "_" and "-", beginning with a letter or a digit';

const matching = (pattern: RegExp, rule: string): Joi.StringSchema =>
  Joi.string()
    .pattern(pattern)
    .messages({ '*': `{{#label}} ${rule}` });
const id = matching(ID_PATTERN, ID_RULE);
const text = Joi.string().min(1).max(200);
const count = (min: number, max: number) => Joi.number().integer().min(min).max(max);
const choice = <const V extends string>(values: readonly V[]) => Joi.string<V>().valid(...values);
const listSchema = <V extends string>(values: readonly V[]) =>
  Joi.array().items(choice(values)).min(1).unique();
/** Object with any of these keys; `unknown` is the fault of another one. */
const keyed = <K extends string, T>(
  names: readonly K[],
  schema: Joi.AnySchema<T>,
  unknown: string,
): Joi.ObjectSchema<Readonly<Partial<Record<K, T>>>> =>
  Joi.object(Object.fromEntries(names.map((name) => [name, schema])))
    .min(1)
    .messages({ 'object.unknown': unknown });
const byResolution = <T>(schema: Joi.AnySchema<T>) =>
  keyed(RESOLUTIONS, schema, `unknown resolution; possible: ${RESOLUTIONS.join(', ')}`);
/** Amounts by resolution: one, or one for each quality. */
const amounts = (amount: Joi.StringSchema) =>
  byResolution(
    Joi.alternatives<DollarsEntry>().conditional(Joi.object(), {
      // biome-ignore lint/suspicious/noThenProperty: a keyword of Joi
      then: keyed(QUALITIES, amount, `unknown quality; possible: ${QUALITIES.join(', ')}`),
      otherwise: amount,
    }),
  );
/** Object with these fields; the fault of another one names them. */
const section = <T>(given: Readonly<Record<string, Joi.Schema>>) =>
  Joi.object<T>(given).messages({
    'object.unknown': `unknown field; possible: ${Object.keys(given).join(', ')}`,
  });
/** Object with entries by their ids. */
const entries = <T>(entry: Joi.AnySchema<T>) =>
  Joi.object<Readonly<Record<string, T>>>()
    .pattern(ID_PATTERN, entry)
    .messages({ 'object.unknown': `the name ${ID_RULE}` });

/** Fields of a provider instance of any protocol. */
export const providerFields = {
  protocol: choice(PROTOCOLS).required().description('Protocol that the server speaks'),
  base_url: Joi.string()
    .max(2048)
    .description('Address of the server, http or https; required for every protocol but sandbox'),
  api_path: matching(/^(\/[\w.~-]+)*$/, 'must be a path, such as /v3, or empty').description(
    'Path of the API below base_url; default: that of the protocol, unless base_url has a version already',
  ),
  key_env: matching(
    /^[A-Z][A-Z0-9_]*_KEYS?$/,
    'must be the name of an environment variable that ends with _KEY or _KEYS, such as MY_GPU_KEYS',
  ).description('Environment variable with the keys, comma-separated; absent: the server needs no key'),
  concurrency: count(1, 10_000).description('Calls of one worker process at a time over all its routes'),
  repeat_unknown: Joi.boolean().description(
    'Whether repeating a call whose outcome is unknown costs nothing, as on hardware of your own',
  ),
};

const acceptsFields = Object.fromEntries(
  OPTIONAL_NAMES.map((name) => {
    const { kind, values = [], greatest = 0, note }: OptionalField = OPTIONAL_FIELDS[name];
    const number = Joi.alternatives(Joi.boolean(), count(0, greatest));
    const schema = { values: listSchema(values), number, all: Joi.boolean() }[kind];
    return [name, note === undefined ? schema : schema.description(note)];
  }),
);

const tokenPrice = matching(DOLLARS, 'must be dollars a million tokens in quotes, such as "30"');
/** Fields of what tokens cost at a route. */
export const tokenFields = {
  text_in: tokenPrice.description('Tokens of the prompt'),
  image_in: tokenPrice.description('Tokens of input images'),
  out: tokenPrice.required().description('Tokens of the images that are drawn'),
  text_out: tokenPrice.description('Tokens of texts and thoughts; default: out'),
};

/** Fields of a route. */
export const routeFields = {
  provider: Joi.string().max(64).required().description('Built-in provider or an instance of `providers`'),
  model: text.required().description("The provider's own name of the model"),
  cost: amounts(
    matching(DOLLARS, 'must be dollars with at most six decimals in quotes, such as "0.0336" or "0"'),
  )
    .required()
    .description(
      'Cost of an image in dollars, by resolution, or by resolution and quality; what has no cost is not requested. ' +
        'One cost is that of the quality which the route draws by default',
    ),
  accepts: section<CapabilitiesEntry>(acceptsFields).description(
    'Optional fields that go to the upstream; replaces the default as a whole, `{}` is none',
  ),
  retires: matching(
    /^20\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
    'must be a date, such as "2026-12-01"',
  ).description(
    'Day on which the upstream model ends; from then on the route is asked last. Default: what its vendor has announced',
  ),
  token_cost: section<TokenCostEntry>(tokenFields).description(
    'Dollars a million tokens: calls whose answers report tokens are recorded at that cost instead',
  ),
  timeout: count(1, 900).description('Longest call in seconds; default: that of the provider'),
  types: listSchema(TASK_TYPES).description('Task types that it can do; default: both'),
  min_inputs: count(1, 100).description('Input images that an edit needs; default 1'),
  max_inputs: count(0, 100).description('Input images that it takes; default 9'),
  max_images_per_call: count(1, 100).description('Images in one call; default: what the provider takes'),
  weight: Joi.number()
    .greater(0)
    .max(1_000_000)
    .description('Share of the tasks among neighbors with a weight; without one the order decides'),
  concurrency: count(1, 10_000).description(
    'Calls of one worker process at a time; default GENERATION_CONCURRENCY',
  ),
  options: Joi.object<Readonly<Record<string, unknown>>>()
    .unknown()
    .description("Further fields of the provider's request"),
  sizes: keyed(
    ASPECT_RATIOS,
    byResolution(matching(SIZE, 'must be WIDTHxHEIGHT in pixels, such as "1344x768"')),
    'unknown aspect ratio',
  ).description('Pixels to request, by aspect ratio and resolution'),
  resolution: choice(['sent', 'fixed']).description(
    '`sent` (default), or `fixed` when the upstream draws one size and takes no such field',
  ),
};

/** Fields of a model, of which an entry may change a few. */
export const modelFields = {
  name: text.description('Name for people'),
  family: text.description('Public name of the model family'),
  enabled: Joi.boolean().description('Whether it is on offer where ENABLED_MODELS does not decide'),
  types: listSchema(TASK_TYPES).description('Default: both'),
  price: amounts(
    matching(
      NONZERO_DOLLARS,
      'must be dollars above 0 with at most six decimals in quotes, such as "0.0100"',
    ),
  ).description(
    'Price of an image in dollars, by resolution, or by resolution and quality; what has no price is not offered. ' +
      'One price offers no choice of quality',
  ),
  default_resolution: choice(RESOLUTIONS).description('Default: 1k if offered, else the cheapest'),
  aspect_ratios: listSchema(ASPECT_RATIOS).description('Aspect ratios of /v1; default 16:9 and 9:16'),
  default_aspect_ratio: choice(ASPECT_RATIOS).description('Default: 16:9 if listed, else the first'),
  max_inputs: count(0, 9).description('Input images of an edit; default 9'),
  max_outputs: count(1, 10).description('Images of one task of /v1; default 4'),
  aliases: Joi.array().items(id).unique().description('Further names for the OpenAI-compatible facade'),
  facade_aspect_ratios: listSchema(ASPECT_RATIOS).description(
    'Default: aspect_ratios; of the built-in models all that their routes draw',
  ),
  routes: Joi.array()
    .items(section<RouteEntry>(routeFields))
    .min(1)
    .max(100)
    .description('In the order of preference'),
};

const documentFields = {
  $schema: Joi.string(),
  default_model: id.description('Model of facade requests that name none'),
  providers: entries(section<ProviderEntry>({ ...providerFields, ...taskFields }))
    .max(100)
    .description('Further provider instances'),
  models: entries(section<ModelEntry>(modelFields)).max(500).description('Models by id'),
};

/** Schema of a catalog document as an operator writes it; `docs/catalog.schema.json` is generated from it. */
export const documentSchema = section<CatalogDocument>(documentFields);

const LEVELS = {
  document: Object.keys(documentFields),
  provider: Object.keys({ ...providerFields, ...taskFields }),
  model: Object.keys(modelFields),
  route: Object.keys(routeFields),
  accepts: Object.keys(acceptsFields),
};

/** Lists the names of the fields at a level of a document. */
export const listFields = (level: keyof typeof LEVELS): readonly string[] => LEVELS[level];

type Value<S> =
  S extends Joi.AnySchema<infer T> ? (T extends readonly (infer I)[] ? readonly I[] : T) : never;
/** Entry of a document by the schemas of its fields; `Needed` ones are always there. */
type Entry<F, Needed extends keyof F = never> = { readonly [Name in Needed]: Value<F[Name]> } & {
  readonly [Name in Exclude<keyof F, Needed>]?: Value<F[Name]>;
};

/** Dollars an image: one amount, or an amount for each quality. */
export type DollarsEntry = string | Readonly<Partial<Record<Quality, string>>>;

/** Provider instance of a document: a further address and keys of a protocol. */
export type ProviderEntry = Entry<typeof providerFields, 'protocol'> & TaskSettings;

/** Dollars a million tokens of each kind; texts and thoughts that are drawn cost as images unless they have a price of their own. */
export type TokenCostEntry = Entry<typeof tokenFields, 'out'>;

/** Route of a document: a provider, its own model name, and what an image costs there. */
export type RouteEntry = Entry<typeof routeFields, 'provider' | 'model' | 'cost'>;

/** Model of a document. Every field is optional, because an entry may change a few fields of a built-in model. */
export type ModelEntry = Entry<typeof modelFields>;

/** Catalog document as an operator writes it. */
export interface CatalogDocument {
  readonly $schema?: string;
  readonly default_model?: string;
  readonly providers?: Readonly<Record<string, ProviderEntry>>;
  readonly models?: Readonly<Record<string, ModelEntry>>;
}
