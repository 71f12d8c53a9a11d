import { QUALITIES, TASK_TYPES } from '../../contract/index.js';
import {
  type ChosenProviders,
  type ConfiguredUpstream,
  describeUpstream,
  getProtocolFields,
  type ReadKeys,
  type SandboxServes,
} from '../../upstreams/index.js';
import { BUILT_IN_DOCUMENT } from './built-in-document.js';
import type { Catalog, CatalogModel, CatalogRoute, ProviderInstance } from './catalog.js';
import { hasRetired } from './retirements.js';

/** Maximum number of input images that the sandbox takes. */
const SANDBOX_INPUTS = 9;
const SANDBOX = getProtocolFields('sandbox');
/** Cost of an image of the sandbox. */
const FREE = Object.fromEntries(QUALITIES.map((quality) => [quality, 0n]));

/**
 * Returns the routes of a model through the providers in use, in the order of preference. Built-in routes follow the order
 * of the providers. Routes whose upstream model has ended come last.
 */
export function selectRoutes(
  model: Pick<CatalogModel, 'id' | 'routes' | 'priceMicros' | 'hasBuiltInRoutes'>,
  { names, sandboxServesRest }: ProvidersInUse,
  accepts: (route: CatalogRoute) => boolean = () => true,
): readonly CatalogRoute[] {
  const rank = ({ provider }: CatalogRoute): number => names.indexOf(provider);
  const usable = model.routes.filter((route) => rank(route) !== -1 && accepts(route));
  const isBuiltIn = Object.hasOwn(BUILT_IN_DOCUMENT.models, model.id);
  if (
    usable.length === 0 &&
    (sandboxServesRest === true || (sandboxServesRest === 'built-in' && isBuiltIn))
  ) {
    return [toSandboxRoute(model)];
  }
  const ordered = model.hasBuiltInRoutes ? usable.sort((a, b) => rank(a) - rank(b)) : usable;
  return [...ordered.filter((route) => !hasRetired(route)), ...ordered.filter((route) => hasRetired(route))];
}

function toSandboxRoute({ id, priceMicros }: Pick<CatalogModel, 'id' | 'priceMicros'>): CatalogRoute {
  return {
    provider: 'sandbox',
    model: id,
    costMicros: Object.fromEntries(
      Object.entries(priceMicros).map(([resolution, price]) => [
        resolution,
        typeof price === 'object' ? FREE : 0n,
      ]),
    ),
    accepts: SANDBOX.accepts({}),
    defaultQuality: SANDBOX.defaultQuality,
    types: TASK_TYPES,
    minInputs: 1,
    maxInputs: SANDBOX_INPUTS,
    maxImagesPerCall: null,
    weight: null,
    concurrency: null,
    options: {},
    sizes: {},
    resolution: 'sent',
    timeoutMs: null,
    tokenCost: null,
    retires: null,
  };
}

/** Providers in use under a catalog. */
export interface ProvidersInUse {
  /** In the order of preference. */
  readonly names: readonly string[];
  /** Models that the sandbox serves because no provider in use does. */
  readonly sandboxServesRest: SandboxServes;
}

/** Lists the built-in providers and the instances of a catalog that can be called here. */
export function listProvidersInUse(
  { instances }: Pick<Catalog, 'instances'>,
  { builtIn, named, sandboxServesRest }: ChosenProviders,
  readKeys: ReadKeys,
): ProvidersInUse {
  const ready = [...instances.values()].filter((one) => isReady(one, readKeys)).map(({ name }) => name);
  const all: readonly string[] = [...builtIn, ...ready];
  return { names: named === null ? all : named.filter((name) => all.includes(name)), sandboxServesRest };
}

/** Returns the configuration of an instance; null for a sandbox, which has no address, and where its keys are missing. */
export function configureInstance(
  instance: Pick<ProviderInstance, 'name' | 'protocol' | 'baseUrl' | 'apiPath' | 'keyEnv' | 'task'>,
  readKeys: ReadKeys,
): ConfiguredUpstream | null {
  const { name, protocol, baseUrl, apiPath, keyEnv, task } = instance;
  if (protocol === 'sandbox' || !isReady(instance, readKeys)) {
    return null;
  }
  const keys = keyEnv === null ? [] : readKeys(keyEnv, name);
  const settings = { keys: keyEnv ?? `key_env of ${name}`, address: `base_url of ${name}` };
  return describeUpstream({ name, protocol, settings, address: baseUrl ?? undefined, apiPath, task }, keys);
}

function isReady({ name, keyEnv }: Pick<ProviderInstance, 'name' | 'keyEnv'>, readKeys: ReadKeys): boolean {
  return keyEnv === null || readKeys(keyEnv, name).length > 0;
}
