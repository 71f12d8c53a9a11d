import Joi from 'joi';
import { MODELS } from '../catalog/index.js';
import { RESOLUTIONS, TASK_TYPES } from '../contract/index.js';
import { UPSTREAMS } from './upstreams.js';

/** A route as it stands in a routing file. */
export interface WrittenRoute {
  readonly provider: string;
  readonly model: string;
  readonly cost_per_image: Readonly<Record<string, string>>;
  readonly types?: readonly string[];
  readonly max_inputs?: number;
  readonly max_images_per_call?: number;
  readonly weight?: number;
  readonly concurrency?: number;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Content of a routing file. */
export interface WrittenRoutes {
  readonly $schema?: string;
  readonly models: Readonly<Record<string, readonly WrittenRoute[]>>;
}

const dollars = Joi.string()
  .pattern(/^\d{1,6}(\.\d{1,6})?$/)
  .description('Dollars, such as "0.0336"; "0" for hardware of your own');

const route = Joi.object<WrittenRoute>({
  provider: Joi.string()
    .valid(...Object.keys(UPSTREAMS), 'sandbox')
    .required()
    .description('Which provider is asked'),
  model: Joi.string().min(1).max(200).required().description("The provider's own name of the model"),
  cost_per_image: Joi.object(Object.fromEntries(RESOLUTIONS.map((name) => [name, dollars])))
    .min(1)
    .required()
    .description('What an image costs upstream, by resolution; a resolution that is absent is not offered'),
  types: Joi.array()
    .items(Joi.string().valid(...TASK_TYPES))
    .min(1)
    .unique()
    .description('Kinds of tasks that it can do; all unless given'),
  max_inputs: Joi.number()
    .integer()
    .min(0)
    .max(100)
    .description('Input images that it takes; 9 unless given'),
  max_images_per_call: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .description('Images that one call can ask for; what the provider takes unless given'),
  weight: Joi.number()
    .positive()
    .max(1_000_000)
    .description('Share of the tasks among neighbours that have a weight too; without one the order decides'),
  concurrency: Joi.number()
    .integer()
    .min(1)
    .max(10_000)
    .description('Calls that one worker process has under way at once; 16 unless given'),
  options: Joi.object().unknown().description("Further fields of the provider's request"),
});

/** Schema of a routing file; Joi, so that the published JSON Schema is made from it. */
export const routesSchema = Joi.object<WrittenRoutes>({
  $schema: Joi.string(),
  models: Joi.object(
    Object.fromEntries(Object.keys(MODELS).map((name) => [name, Joi.array().items(route).min(1)])),
  )
    .min(1)
    .required()
    .description('Routes of each public model, in the order of preference'),
});
