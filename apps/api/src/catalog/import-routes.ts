import {
  type CatalogDocument,
  type CatalogFault,
  formatDocument,
} from '@image-gateway/shared/catalog/document';
import { AppError } from '@image-gateway/shared/errors';
import Joi from 'joi';
import { parseInThread } from './documents/parse-in-thread.js';

/** Document made from a routing file, and its faults, which prevent that it is applied. */
export interface ImportedRoutes {
  readonly source: string;
  readonly faults: readonly CatalogFault[];
}

type Route = NonNullable<NonNullable<CatalogDocument['models']>[string]['routes']>[number];
type FileRoute = Omit<Route, 'cost' | 'sizes' | 'resolution'> & { readonly cost_per_image: Route['cost'] };

const MAX_ROUTES = 100;
const route = Joi.object({
  provider: Joi.string().required(),
  model: Joi.string().required(),
  cost_per_image: Joi.object().pattern(Joi.string(), Joi.string()).min(1).required(),
  types: Joi.array().items(Joi.string()),
  max_inputs: Joi.number(),
  max_images_per_call: Joi.number(),
  weight: Joi.number(),
  concurrency: Joi.number(),
  options: Joi.object().unknown(),
});
const routingFile = Joi.object<{
  readonly $schema?: string;
  readonly models: Readonly<Record<string, readonly FileRoute[]>>;
}>({
  $schema: Joi.string(),
  models: Joi.object()
    .pattern(Joi.string(), Joi.array().items(route).min(1).max(MAX_ROUTES))
    .min(1)
    .required(),
});

/** Converts the text of a ROUTES_FILE of release 0.1.0 into a catalog document; throws AppError `VALIDATION_ERROR` for another text. */
export async function importRoutes(text: string): Promise<ImportedRoutes> {
  const { error, value } = routingFile.validate(parseJson(text), {
    abortEarly: false,
    convert: false,
    errors: { wrap: { label: false } },
  });
  if (error) {
    const faults = error.details.map(({ message }) => `\n  - ${message}`).join('');
    throw new AppError('VALIDATION_ERROR', { publicMessage: `The file is no routing table:${faults}` });
  }
  const models = Object.fromEntries(
    Object.entries(value.models).map(([id, routes]) => [id, { routes: routes.map(toRoute) }]),
  );
  const source = formatDocument({ models });
  const checked = await parseInThread('checkDocument', source);
  return { source, faults: 'faults' in checked ? checked.faults : [] };
}

/** A route with one price did not request a size; `fixed` keeps that for 1k, which such upstreams draw. */
function toRoute({ provider, model, cost_per_image: cost, ...rest }: FileRoute): Route {
  const isFixed = Object.keys(cost).join() === '1k';
  return { provider, model, cost, ...rest, ...(isFixed && { resolution: 'fixed' as const }) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error would quote the file, which may hold secrets.
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'The file is not valid JSON.' });
  }
}
