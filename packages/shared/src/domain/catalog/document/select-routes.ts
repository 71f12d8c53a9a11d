import { QUALITIES, TASK_TYPES } from '../../contract/index.js';
import {
  type ChosenProviders,
  type ConfiguredUpstream,
  describeUpstream,
  findKeyFault,
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

/** Returns the configuration of an instance; null for a sandbox, which has no address, and where it has no key that can be used. */
export function configureInstance(
  instance: Pick<ProviderInstance, 'name' | 'protocol' | 'baseUrl' | 'apiPath' | 'keyEnv' | 'task'>,
  readKeys: ReadKeys,
): ConfiguredUpstream | null {
  const { name, protocol, baseUrl, apiPath, keyEnv, task } = instance;
  if (protocol === 'sandbox' || !isReady(instance, readKeys)) {
    return null;
  }
  const keys = listUsableKeys(instance, readKeys);
  const settings = { keys: keyEnv ?? `key_env of ${name}`, address: `base_url of ${name}` };
  return describeUpstream({ name, protocol, settings, address: baseUrl ?? undefined, apiPath, task }, keys);
}

function isReady(instance: KeyedInstance, readKeys: ReadKeys): boolean {
  return instance.keyEnv === null || listUsableKeys(instance, readKeys).length > 0;
}

type KeyedInstance = Pick<ProviderInstance, 'name' | 'protocol' | 'keyEnv'>;

function listUsableKeys({ name, protocol, keyEnv }: KeyedInstance, readKeys: ReadKeys): readonly string[] {
  const keys = keyEnv === null ? [] : readKeys(keyEnv, name);
  return protocol === 'sandbox' ? keys : keys.filter((key) => findKeyFault(protocol, key) === null);
}

/** Lists the instances with keys in the environment that can't be used, and why; such keys are sent nowhere. */
export function listKeyFaults(
  { instances }: Pick<Catalog, 'instances'>,
  readKeys: ReadKeys,
): readonly { readonly name: string; readonly variable: string; readonly fault: string }[] {
  return [...instances.values()].flatMap(({ name, protocol, keyEnv: variable }) => {
    if (variable === null || protocol === 'sandbox') {
      return [];
    }
    const faults = readKeys(variable).map((key) => findKeyFault(protocol, key));
    const fault = faults.find((one) => one !== null);
    return fault == null ? [] : [{ name, variable, fault }];
  });
}
