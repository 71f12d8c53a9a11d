import Joi from 'joi';
import {
  type CatalogModel,
  findPurchase,
  findRoutes,
  listQualities,
  listResolutions,
  type Requirements,
} from '../catalog/document/index.js';
import { getTaskType } from '../catalog/index.js';
import { type GenerateRequest, type GivenRequest, QUALITIES, type TaskRequest } from '../contract/index.js';
import { ALL_CAPABILITIES } from '../upstreams/index.js';
import { explainText } from '../validation/index.js';
import {
  ADDED_NAMES,
  BODY_NAMES,
  describeChoice,
  type GenerateSchemaOptions,
  type OfferedModel,
  TASK_FIELDS,
  type TaskField,
  type TaskFieldName,
} from './fields.js';
import { findConflict, findUnmet, readRequirements } from './requirements.js';

/** Builds the schema of the body of `POST /v1/generate`: no coercion, one sentence per field about what is allowed. */
export function generateSchema(options: GenerateSchemaOptions): Joi.ObjectSchema<GenerateRequest> {
  return buildSchema(BODY_NAMES.map((name) => [name, TASK_FIELDS[name].schema(options)]));
}

function buildSchema(
  fields: readonly (readonly [TaskFieldName, Joi.Schema])[],
): Joi.ObjectSchema<GenerateRequest> {
  // Set once here: each validation would otherwise merge the preferences again.
  return Joi.object<GenerateRequest>(Object.fromEntries(fields)).prefs({
    convert: false,
    errors: { wrap: { label: false } },
  });
}

/** Schemas for the sets of fields that requests have had, by the schema of all fields. */
const narrowed = new WeakMap<Joi.ObjectSchema, Map<string, Joi.ObjectSchema<GenerateRequest>>>();
const MAX_NARROWED = 64;

/**
 * Returns the schema of these fields, and of those that are required or have a default. Joi takes nearly as long for an absent
 * field as for a given one.
 */
function narrow(
  schema: Joi.ObjectSchema<GenerateRequest>,
  given: Readonly<Record<string, unknown>>,
): Joi.ObjectSchema<GenerateRequest> {
  const known = narrowed.get(schema) ?? new Map<string, Joi.ObjectSchema<GenerateRequest>>();
  narrowed.set(schema, known);
  const set = Object.keys(given).join();
  const found = known.get(set);
  if (found || known.size >= MAX_NARROWED) {
    return found ?? schema;
  }
  const fields = BODY_NAMES.map((name) => [name, schema.extract(name)] as const);
  const built = buildSchema(fields.filter(([name, field]) => name in given || isNeverLeftOut(field)));
  known.set(set, built);
  return built;
}

function isNeverLeftOut(field: Joi.Schema): boolean {
  const { flags = {} } = field.describe() as { readonly flags?: Readonly<Record<string, unknown>> };
  return 'default' in flags || flags.presence === 'required';
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
  for (const name of BODY_NAMES) {
    const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    const field: TaskField = TASK_FIELDS[name];
    const normal = field.normalize ? field.normalize(value) : value;
    if (normal !== undefined && normal !== null) {
      given[name] = normal;
    }
  }
  const { error, value } = narrow(schema, given).validate(given);
  // Given fields have passed the same checks, only without defaults.
  return error
    ? { fault: explainFault(error.message, given) }
    : { request: value, given: given as unknown as GivenRequest };
}

/** Adds to the fault of a prompt that it is missing, or how long it is. */
function explainFault(message: string, given: Readonly<Record<string, unknown>>): string {
  const [name = ''] = /^(?:negative_)?prompt(?= must be)/.exec(message) ?? [];
  return name === '' ? message : explainText({ name, message, value: given[name] });
}

/** Models on offer and the URL checks of their requests. */
export interface RequestParserOptions extends GenerateSchemaOptions {
  readonly models: readonly CatalogModel[];
}

/** Parser of request bodies against the models on offer. */
export interface RequestParser {
  /** Schema for the documentation: the models on offer, and every value of the fields that depend on routes, which change at any time. */
  readonly schema: Joi.ObjectSchema<GenerateRequest>;
  /** Parses a body against its model. The fault names the field and what is possible, with a list of models only those of the list. */
  readonly parse: (
    body: unknown,
    onlyModels?: readonly string[],
    /** Entries of images that the door took apart. */
    uploads?: Pick<TaskRequest, 'mask'>,
  ) => ParsedRequest;
}

/** Creates a parser; the schema of a model is built when a request names it first. */
export function createRequestParser(options: RequestParserOptions): RequestParser {
  const models = new Map(options.models.map((model) => [model.id, model]));
  const schemas = new Map<string, Joi.ObjectSchema<GenerateRequest>>();
  const schema = generateSchema({ ...options, models: options.models.map(takeEverything) });
  const getSchema = (model: CatalogModel): Joi.ObjectSchema<GenerateRequest> => {
    const known = schemas.get(model.id);
    if (known) {
      return known;
    }
    const built = generateSchema({ ...options, models: [model] });
    schemas.set(model.id, built);
    return built;
  };
  return {
    schema,
    parse: (body, onlyModels = [], uploads = {}) => {
      const model = models.get(readModel(body));
      if (!model) {
        const parsed = parseGenerateRequest(schema, body);
        const isAboutModel = typeof body === 'object' && body !== null && !Array.isArray(body);
        return isAboutModel ? { fault: describeModels([...models.keys()], onlyModels) } : parsed;
      }
      const parsed = parseGenerateRequest(getSchema(model), body);
      if ('fault' in parsed) {
        return parsed;
      }
      const fault = findUnservable(model, { ...parsed.request, ...uploads });
      return fault === null ? parsed : { fault };
    },
  };
}

/** Returns a model as if it had a route that takes every field, and a price for each quality. */
function takeEverything(model: CatalogModel): OfferedModel {
  const anything = Object.fromEntries(QUALITIES.map((quality) => [quality, 1n]));
  return {
    ...model,
    priceMicros: Object.fromEntries(listResolutions(model).map((resolution) => [resolution, anything])),
    routes: [{ accepts: ALL_CAPABILITIES }],
  };
}

/** Says which models a key may name: those of its list that are on offer, or all where the list is empty. */
function describeModels(offered: readonly string[], onlyModels: readonly string[]): string {
  const allowed = offered.filter((id) => onlyModels.length === 0 || onlyModels.includes(id));
  const choice = describeChoice(allowed);
  return `model must be ${choice}${choice.endsWith('more') ? '; GET /v1/models lists them' : ''}.`;
}

/**
 * Parses a body without a catalog, for a replay. Model, limits and fields that the release of the task may not have known are
 * not judged.
 */
export function createReplayParser({
  isAllowedImageUrl,
  isAllowedWebhookUrl,
}: Omit<GenerateSchemaOptions, 'models'>): (body: unknown) => ParsedRequest {
  const schema = generateSchema({
    isAllowedImageUrl,
    isAllowedWebhookUrl,
    models: [
      {
        id: '',
        types: ['image_generate', 'image_edit'],
        maxInputs: 9,
        maxOutputs: 10,
        priceMicros: {},
        routes: [],
        defaultResolution: '1k',
        aspectRatios: [],
        defaultAspectRatio: '16:9',
      },
    ],
  }).keys({
    model: Joi.string().required(),
    aspect_ratio: Joi.string().default('16:9'),
    resolution: Joi.string().default('1k'),
    ...Object.fromEntries(ADDED_NAMES.map((name) => [name, Joi.any()])),
  });
  return (body) => parseGenerateRequest(schema, body);
}

function readModel(body: unknown): string {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'model')) {
    return '';
  }
  const { model } = body as { readonly model?: unknown };
  return typeof model === 'string' ? model : '';
}

/** Returns what is wrong with a request that no single route of its model can do; null if one can. */
function findUnservable(model: CatalogModel, request: TaskRequest): string | null {
  const type = getTaskType(request);
  if (!model.types.includes(type)) {
    return type === 'image_edit'
      ? `image_urls must be absent: ${model.id} does not edit images.`
      : `image_urls must be a list of 1 to ${model.maxInputs} URLs: ${model.id} only edits images.`;
  }
  const { resolution, aspect_ratio: aspectRatio, image_urls: urls = [], quality } = request;
  const conflict = findConflict(request);
  if (conflict !== null) {
    return conflict;
  }
  const purchase = findPurchase(model, resolution, quality);
  if (!purchase) {
    const qualities = listQualities(model, resolution);
    return `quality must be ${describeChoice(['auto', ...qualities])} at ${resolution} with ${model.id}.`;
  }
  const required = readRequirements(request);
  const can = (other: Requirements): boolean =>
    findRoutes(model, {
      type,
      resolution,
      aspectRatio,
      inputs: urls.length,
      ...required,
      ...other,
      quality: (other.quality === null ? findPurchase(model, resolution) : purchase)?.quality ?? null,
    }).length > 0;
  if (can({})) {
    return null;
  }
  const unmet = findUnmet(model, required, can);
  if (unmet !== null) {
    return unmet.sentence;
  }
  for (let inputs = urls.length - 1; inputs > 0; inputs--) {
    if (can({ inputs })) {
      return `image_urls must be a list of 1 to ${inputs} URLs for ${aspectRatio} at ${resolution} with ${model.id}.`;
    }
  }
  for (let inputs = urls.length + 1; urls.length > 0 && inputs <= model.maxInputs; inputs++) {
    if (can({ inputs })) {
      return `image_urls must be a list of at least ${inputs} URLs for ${aspectRatio} at ${resolution} with ${model.id}.`;
    }
  }
  const ratios = model.aspectRatios.filter((ratio) => can({ aspectRatio: ratio }));
  return `aspect_ratio must be ${describeChoice(ratios)} at ${resolution} with ${model.id}.`;
}
