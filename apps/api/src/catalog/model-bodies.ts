import {
  ASPECT_RATIOS,
  type DollarsByQuality,
  type ModelDraft,
  QUALITIES,
  RESOLUTIONS,
  TASK_TYPES,
} from '@image-gateway/shared/contract';
import Joi from 'joi';

interface Change {
  readonly from: number;
}

const MAX_VERSION = 2 ** 31 - 1;
const MAX_MODELS = 500;
const version = () => Joi.number().integer().min(1).max(MAX_VERSION).required();
const source = Joi.string().allow('').required();

const amount = Joi.string().max(20);
const amounts = Joi.alternatives().conditional(Joi.object(), {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of Joi
  then: Joi.object(Object.fromEntries(QUALITIES.map((name) => [name, amount]))).min(1),
  otherwise: amount,
});

/** Body of a check. */
export const checkBody: Joi.ObjectSchema<{ readonly source: string }> = Joi.object({ source }).required();

/** Body that applies a document. */
export const applyBody: Joi.ObjectSchema<
  Change & { readonly source: string; readonly note?: string | null }
> = Joi.object({ from: version(), source, note: Joi.string().max(400).allow('', null) }).required();

/** Body that changes prices and switches. */
export const pricesBody: Joi.ObjectSchema<
  Change & {
    readonly models: readonly {
      readonly id: string;
      readonly enabled: boolean;
      readonly price: Readonly<Record<string, DollarsByQuality>>;
    }[];
  }
> = Joi.object({
  from: version(),
  models: Joi.array()
    .items(
      Joi.object({
        id: Joi.string().max(64).required(),
        enabled: Joi.boolean().required(),
        price: Joi.object(Object.fromEntries(RESOLUTIONS.map((name) => [name, amounts])))
          .min(1)
          .required(),
      }),
    )
    .min(1)
    .max(MAX_MODELS)
    .required(),
}).required();

const plainAmounts = Joi.object(Object.fromEntries(RESOLUTIONS.map((name) => [name, amount])))
  .min(1)
  .required();

/** Body of a new model; the document judges the rest. */
export const draftBody: Joi.ObjectSchema<ModelDraft> = Joi.object({
  id: Joi.string().max(64).required().messages({ '*': 'Enter the name of the model.' }),
  name: Joi.string().max(100).allow(null).required(),
  provider: Joi.string().max(64).required().messages({ '*': 'Choose a provider.' }),
  model: Joi.string().max(200).required().messages({ '*': 'Enter the model of the provider.' }),
  types: Joi.array()
    .items(Joi.string().valid(...TASK_TYPES))
    .min(1)
    .required()
    .messages({ '*': 'Say whether the model generates, edits, or both.' }),
  aspect_ratios: Joi.array()
    .items(Joi.string().valid(...ASPECT_RATIOS))
    .min(1)
    .required()
    .messages({ '*': 'Choose at least one shape.' }),
  max_inputs: Joi.number().integer().min(1).max(9).allow(null).required(),
  image_field: Joi.string().max(100).allow(null).required(),
  is_fixed: Joi.boolean().required(),
  price: plainAmounts.messages({ '*': 'Enter a price for at least one resolution.' }),
  cost: plainAmounts.messages({ '*': 'Enter a cost for at least one resolution.' }),
}).required();

/** Body of a rollback. */
export const rollbackBody: Joi.ObjectSchema<Change & { readonly to: number }> = Joi.object({
  from: version(),
  to: version(),
}).required();
