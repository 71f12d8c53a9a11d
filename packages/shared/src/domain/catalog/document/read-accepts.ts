import {
  BUILT_IN_CAPABILITIES,
  type Capabilities,
  type CapabilitiesEntry,
  fixCapabilities,
  getProtocolFields,
  NO_CAPABILITIES,
  type Protocol,
  readCapabilities,
} from '../../upstreams/index.js';
import type { CatalogRoute } from './catalog.js';
import type { RouteEntry } from './document-schema.js';

/**
 * Reads what a route takes: what the document says, else what is known of the upstream model, else the default of the
 * protocol. A task API has `byBody` instead of that default. An option that sets one of these fields fixes it.
 */
export function readAccepts(
  { model, accepts, options = {} }: RouteEntry,
  protocol: Protocol | undefined,
  byBody?: Capabilities,
): Pick<CatalogRoute, 'accepts' | 'defaultQuality'> {
  const fields = protocol && getProtocolFields(protocol);
  const entry = accepts ?? findBuiltIn(protocol, model);
  const taken = entry ? readCapabilities(entry) : (byBody ?? fields?.accepts(options) ?? NO_CAPABILITIES);
  const fixed = fixCapabilities(taken, options);
  const isFixed = Object.hasOwn(options, 'quality');
  return {
    accepts: fixed,
    defaultQuality: isFixed ? (fixed.quality[0] ?? null) : (fields?.defaultQuality ?? null),
  };
}

function findBuiltIn(protocol: Protocol | undefined, model: string): CapabilitiesEntry | undefined {
  const models = protocol && BUILT_IN_CAPABILITIES[protocol];
  return models && Object.hasOwn(models, model) ? models[model] : undefined;
}
