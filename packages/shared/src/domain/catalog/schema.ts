import Joi from 'joi';
import {
  ASPECT_RATIOS,
  type DollarsByQuality,
  QUALITIES,
  RESOLUTIONS,
  TASK_TYPES,
} from '../contract/index.js';
import {
  boolean,
  choice,
  count,
  describe,
  dollars,
  type Infer,
  integer,
  list,
  named,
  nullable,
  object,
  optional,
  partial,
  record,
  required,
  type Shape,
  shape,
  text,
  union,
  withMessage,
} from '../schema/index.js';
import { REQUIREMENT_NAMES, TASK_FIELDS } from '../task/index.js';
import type { OptionalField } from '../upstreams/index.js';

/** Dollars an image, or dollars an image by quality. */
const dollarsByQuality: Shape<DollarsByQuality, DollarsByQuality, 'required'> = union(text(), record(text()));

/** Price of a model at a resolution, compared with the cheapest route in use. Money in dollars an image. */
export const modelPrice = object({
  resolution: text(),
  /** Null for a plain price. */
  quality: nullable(text()),
  price: text(),
  /** Null where no route in use has a cost; the sandbox has none. */
  cost: nullable(text()),
  /** Provider and upstream model of the cheapest route. */
  cheapest: nullable(text()),
  /** Negative when it is sold below cost. */
  margin: nullable(text()),
});
export type ModelPrice = Infer<typeof modelPrice>;

/** Route of a model, and how the generation workers see it. */
export const modelRoute = object({
  provider: text(),
  model: text(),
  /** By resolution. */
  cost: record(dollarsByQuality),
  in_use: boolean(),
  /** Why it is not called, or why its calls are refused; null where they can succeed. */
  blocked_because: nullable(text()),
  /** Worst state in any worker, or `refused`; null while none has reported it. */
  circuit: nullable(text()),
  /** Accounts that it is closed to because their own calls failed; most of them in any worker. */
  accounts_paused: integer(),
  paused_seconds: integer(),
  set_aside: boolean(),
  running: integer(),
});
export type ModelRoute = Infer<typeof modelRoute>;

/** Model of the active catalog version. */
export const modelItem = object({
  id: text(),
  name: text(),
  family: nullable(text()),
  types: list(text()),
  /** Switch of the document. */
  enabled: boolean(),
  /** True if customers can use it: by ENABLED_MODELS where that is set, else by the switch. */
  is_offered: boolean(),
  /** True if it is switched on, and not on offer until a provider in use can draw it. */
  waits_for_key: boolean(),
  /** True if only the sandbox draws it: customers pay for test images. */
  is_sandbox: boolean(),
  /** Tasks that ended since midnight UTC. */
  tasks_today: integer(),
  prices: list(modelPrice),
  routes: list(modelRoute),
});
export type ModelItem = Infer<typeof modelItem>;

/** Fault, warning or change of a document, by its path. */
export const documentNote = object({
  path: text(),
  message: text(),
});
export type DocumentNote = Infer<typeof documentNote>;

/** Version of the catalog. */
export const catalogVersionItem = object({
  version: integer(),
  origin: text(),
  note: nullable(text()),
  created_by: nullable(text()),
  created_at: text(),
});
export type CatalogVersionItem = Infer<typeof catalogVersionItem>;

/** Catalog as operators see it. */
export const modelsView = object({
  version: integer(),
  /** Reason why the newest version cannot be read; null when it is active. */
  unreadable: nullable(text()),
  /** ENABLED_MODELS; null where the switches of the document decide. */
  enabled_models: nullable(list(text())),
  /** Providers that a generation worker reports, or those that the API is configured with while none does. */
  providers_in_use: list(text()),
  models: list(modelItem),
  warnings: list(documentNote),
  /** Text of the operator's document without `providers`. */
  source: text(),
  /** The newest ones. */
  versions: list(catalogVersionItem),
});
export type ModelsView = Infer<typeof modelsView>;

const marginFields = {
  images: integer(),
  /** Charged, without refunds. */
  revenue: text(),
  /** Upstream cost of all calls for its tasks. */
  cost: text(),
  /** Without images of the sandbox. */
  margin: text(),
};

/** Money of a model in the last days. */
export const modelMargin = object({
  model: text(),
  ...marginFields,
  /** Of its tasks with prices by quality, from the lowest quality; absent without such tasks. */
  qualities: optional(list(object({ ...marginFields, quality: text() }))),
});
export type ModelMargin = Infer<typeof modelMargin>;

/** Meaning of a change of the catalog for the customers of one model. */
export const modelImpact = object({
  model: text(),
  /** Way in which it leaves the catalog or the offer, or comes to it; null where it stays. */
  kind: nullable(choice(['gone', 'off', 'on', 'new'])),
  /** True where its routes change, also for its open tasks. */
  is_rerouted: boolean(),
  /** Those that change, and those that are below cost from now on. */
  prices: list(
    object({
      /** Resolution, with the quality where there is one. */
      offer: text(),
      /** Null where it was not sold. */
      from: nullable(text()),
      /** Null where it is sold no more. */
      to: nullable(text()),
      /** Cheapest cost where it is sold below it. */
      cost: nullable(text()),
      /** True for a factor of ten or more. */
      is_leap: boolean(),
    }),
  ),
  /** Aliases that it loses, with the model that has them then. */
  aliases: list(object({ alias: text(), to: nullable(text()) })),
  /** Keys in force that are limited to models, this one among them. */
  keys: integer(),
  /** Accounts that used it in the last 30 days. */
  accounts: integer(),
  open_tasks: integer(),
});
export type ModelImpact = Infer<typeof modelImpact>;

/** Result of a check: faults, or warnings and the difference to the active version. */
export const checkedDocumentView = object({
  faults: list(documentNote),
  warnings: list(documentNote),
  changes: list(documentNote),
  impact: list(modelImpact),
});
export type CheckedDocumentView = Infer<typeof checkedDocumentView>;

/** Document with a new model, to be checked and applied. */
export const modelDraftView = object({
  /** Version that it is made from. */
  from: integer(),
  /** Without `providers`. */
  source: text(),
  /** Lines of the new model. */
  lines: text(),
});
export type ModelDraftView = Infer<typeof modelDraftView>;

/** A new version of the catalog. */
export const newVersion = object({ version: integer() });

const MAX_VERSION = 2 ** 31 - 1;
const MAX_MODELS = 500;
const version = integer({ minimum: 1, maximum: MAX_VERSION });
const amount = text({ minLength: 1, maxLength: 20 });
const plainAmounts = (message: string) =>
  withMessage(
    partial(RESOLUTIONS, amount, (amounts) => amounts.min(1)),
    message,
  );
// The message of a wrong amount names its field, which that of alternatives does not.
const amounts = shape<DollarsByQuality>(
  Joi.alternatives().conditional(Joi.object(), {
    // biome-ignore lint/suspicious/noThenProperty: a keyword of Joi
    then: partial(QUALITIES, amount, (byQuality) => byQuality.min(1)).joi.optional(),
    otherwise: amount.joi.optional(),
  }),
);

/** Body of a check. */
export const checkDocumentBody = object({ source: text() });

/** Amounts of prices that change by a factor of ten, typed once more. */
const retyped = optional(list(text({ maxLength: 20 }), { maxItems: MAX_MODELS }));

/** Body that applies a document. */
export const applyBody = object({
  from: version,
  source: text(),
  note: optional(nullable(text({ maxLength: 400 }))),
  retyped,
});

/** Change of a model in the form. */
export const modelChange = object({
  id: text({ minLength: 1, maxLength: 64 }),
  enabled: boolean(),
  /** By resolution. */
  price: shape<Readonly<Record<string, DollarsByQuality>>>(
    partial(RESOLUTIONS, amounts, (prices) => prices.min(1)).joi,
  ),
});
export type ModelChange = Infer<typeof modelChange>;

const editedRouteFields = {
  /** Place of the route in the version that is edited; null for a new one. */
  place: nullable(integer({ minimum: 0, maximum: 99 })),
  provider: text({ maxLength: 64 }),
  /** Name of the model at the provider. */
  model: text({ maxLength: 200 }),
  /** Dollars an image by resolution. The check of the document names what is wrong with an amount. */
  cost: shape<Readonly<Record<string, DollarsByQuality>>>(partial(RESOLUTIONS, amounts).joi),
  /** Share of the tasks among neighbors with a weight; null: the order decides. */
  weight: nullable(shape<number>(Joi.number(), { type: 'number' })),
  types: list(choice(TASK_TYPES)),
  /** Null: as many as the protocol takes. */
  max_inputs: nullable(integer({ minimum: 0, maximum: 100 })),
  /** Field of the provider's request for input images; null: that of the protocol. */
  image_field: nullable(text({ maxLength: 100 })),
  /** True for a provider that draws one size. */
  is_fixed: boolean(),
};
const editedRoute = object(editedRouteFields);
export type EditedRoute = Infer<typeof editedRoute>;

/** Routes of a model as the document has them, to be edited. */
export const editedRoutesView = object({
  /** Version that they are of. */
  version: integer(),
  /** True for built-in routes, which are called in the order of PROVIDERS until they are edited. */
  is_built_in: boolean(),
  /** In the order of preference. */
  routes: list(
    object({
      ...editedRouteFields,
      /** Names of further fields that only the document changes. */
      other: list(text()),
    }),
  ),
});
export type EditedRoutesView = Infer<typeof editedRoutesView>;

/** Body that changes the routes of a model, and that of a look at such a change. */
export const routesBody = object({ from: version, routes: list(editedRoute, { maxItems: 100 }) });

const models = list(modelChange, { minItems: 1, maxItems: MAX_MODELS });

/** Body that changes prices and switches. */
export const pricesBody = object({ from: version, models, retyped });

/** Body of a look at such a change. */
export const checkPricesBody = object({ models });

/** Body of a new model with one route; the document judges the rest. */
export const draftBody = object({
  id: required(64, 'Enter the name of the model.'),
  /** Null: the id. */
  name: nullable(text({ minLength: 1, maxLength: 100 })),
  provider: required(64, 'Choose a provider.'),
  /** Name of the model at the provider. */
  model: required(200, 'Enter the model of the provider.'),
  types: withMessage(
    list(choice(TASK_TYPES), { minItems: 1 }),
    'Say whether the model generates, edits, or both.',
  ),
  aspect_ratios: withMessage(list(choice(ASPECT_RATIOS), { minItems: 1 }), 'Choose at least one shape.'),
  /** Null without edits. */
  max_inputs: nullable(integer({ minimum: 1, maximum: 9 })),
  /** Field of the provider's request for input images; null: that of the protocol. */
  image_field: nullable(text({ minLength: 1, maxLength: 100 })),
  /** True for a provider that draws one size. */
  is_fixed: boolean(),
  /** Dollars an image by resolution. */
  price: plainAmounts('Enter a price for at least one resolution.'),
  cost: plainAmounts('Enter a cost for at least one resolution.'),
});
export type ModelDraft = Infer<typeof draftBody>;

/** Body of a rollback. */
export const rollbackBody = object({ from: version, to: version, retyped });

/** Says of a field that routes take which values there are. */
function acceptedField({ kind, values, usual }: OptionalField): Shape<unknown> {
  const field = {
    values: list(text()),
    number: integer({ minimum: 0, description: 'Greatest seed.' }),
    all: boolean(),
  }[kind];
  const shown = values && kind === 'values' ? list(choice(values)) : field;
  return usual === undefined ? optional(shown) : shown;
}

const price = partial(RESOLUTIONS, dollars);

/** A model as `GET /v1/models` lists it. */
export const publicModel = named(
  'Model',
  object({
    id: text({ description: 'Value of `model` in a request.' }),
    name: text(),
    family: optional(text({ description: 'Name of the model family. Only when it has one.' })),
    types: list(choice(TASK_TYPES)),
    price: describe(
      price,
      'Price of an image by resolution, of a request without `quality`. A resolution without a price is not offered.',
    ),
    prices: optional(
      describe(
        partial(RESOLUTIONS, partial(QUALITIES, dollars)),
        'Price of an image by quality. Only the resolutions whose price depends on it.',
      ),
    ),
    aspect_ratios: list(text()),
    max_inputs: describe(count, 'Input images of one request, at most.'),
    max_outputs: integer({ minimum: 1, description: 'Output images of one request, at most.' }),
    accepts: describe(
      object(
        Object.fromEntries(
          REQUIREMENT_NAMES.map((name) => [name, acceptedField(TASK_FIELDS[name].requires)]),
        ),
      ),
      'Optional fields that can be asked for, and their values.',
    ),
  }),
);
