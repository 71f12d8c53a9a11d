import { type Catalog, configureInstance, listRouteModels } from '../catalog/document/index.js';
import type { ProviderCheckResult } from '../provider/schema.js';
import {
  type ConfiguredUpstream,
  configureUpstream,
  PROVIDER_NAMES,
  type ReadKeys,
  type UpstreamSettings,
} from '../upstreams/index.js';
import { type CheckSettings, checkUpstream } from './check-upstream.js';

/** Where a provider is configured. */
export interface ProviderPlaces {
  readonly settings: UpstreamSettings & CheckSettings;
  readonly catalog: Pick<Catalog, 'instances' | 'models'>;
  readonly readKeys: ReadKeys;
}

/** Returns the configuration of a provider, with other keys than its own where some are given; null for the sandbox and without keys. */
export function configureProvider(
  name: string,
  { settings, catalog, readKeys }: ProviderPlaces,
  keys: readonly string[] | null,
): ConfiguredUpstream | null {
  const instance = catalog.instances.get(name);
  if (instance) {
    return configureInstance(instance, keys === null ? readKeys : () => keys);
  }
  const known = PROVIDER_NAMES.find((one) => one === name);
  if (known === undefined || known === 'sandbox') {
    return null;
  }
  const upstream = configureUpstream(settings, known);
  const own = keys ?? upstream.keys;
  // An address of one's own may need no key.
  return own.length === 0 && upstream.ownAddress === null ? null : { ...upstream, keys: own };
}

/** Does what a check of a provider can do for nothing. */
export async function checkProvider(
  name: string,
  places: ProviderPlaces,
  keys: readonly string[] | null = null,
): Promise<ProviderCheckResult> {
  const { instances } = places.catalog;
  const upstream = configureProvider(name, places, keys);
  if (upstream === null) {
    const isSandbox = name === 'sandbox' || instances.get(name)?.protocol === 'sandbox';
    const note = isSandbox ? 'It draws test images and calls no upstream.' : 'It has no key here.';
    return { keys: [], models: null, ends: null, missing: [], image: null, note };
  }
  const { models, ...checked } = await checkUpstream(upstream, places.settings);
  const missing =
    models === null ? [] : listRouteModels(places.catalog, name).filter((model) => !models.includes(model));
  return { ...checked, models, missing, image: null, note: null };
}
