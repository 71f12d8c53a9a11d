import { RESOLUTIONS, TASK_TYPES, type TaskType } from '../contract/index.js';
import type { Route, RoutingTable } from './route.js';
import { routesSchema, type WrittenRoute } from './routes-schema.js';
import { UPSTREAMS } from './upstreams.js';

const DEFAULTS = { maxInputs: 9, concurrency: 16, maxImagesPerCall: 4 } as const;
const MICROS = 1_000_000;

/** Reads a routing table as it is written in JSON; throws an Error that names every fault and where it stands. */
export function readRoutes(written: unknown): RoutingTable {
  const { error, value } = routesSchema.validate(written, {
    abortEarly: false,
    convert: false,
    errors: { wrap: { label: false } },
  });
  if (error) {
    throw new Error(error.details.map(({ message }) => message).join('; '));
  }
  return Object.fromEntries(
    Object.entries(value.models).map(([model, routes]) => [model, routes.map((route) => toRoute(route))]),
  );
}

function toRoute(route: WrittenRoute): Route {
  const { provider, model, cost_per_image: costs, options = {}, weight = null } = route;
  return {
    provider,
    model,
    weight,
    options,
    costMicros: Object.fromEntries(
      RESOLUTIONS.flatMap((name) => (costs[name] === undefined ? [] : [[name, parseMicros(costs[name])]])),
    ),
    types: (route.types as readonly TaskType[] | undefined) ?? TASK_TYPES,
    maxInputs: route.max_inputs ?? DEFAULTS.maxInputs,
    maxImagesPerCall: route.max_images_per_call ?? getMaxImages(provider),
    concurrency: route.concurrency ?? DEFAULTS.concurrency,
  };
}

// "0" is a price here, unlike in amounts of money that move.
function parseMicros(dollars: string): bigint {
  const [whole = '0', fraction = ''] = dollars.split('.');
  return BigInt(whole) * BigInt(MICROS) + BigInt(fraction.padEnd(6, '0'));
}

function getMaxImages(provider: string): number {
  return Object.hasOwn(UPSTREAMS, provider)
    ? UPSTREAMS[provider as keyof typeof UPSTREAMS].maxImagesPerCall
    : DEFAULTS.maxImagesPerCall;
}
