export { chooseProviders } from './choose-providers.js';
export { computeFingerprint } from './compute-fingerprint.js';
export { DEFAULT_ROUTES } from './default-routes.js';
export { PROVIDER_NAMES, type ProviderName } from './provider-name.js';
export { readRoutes } from './read-routes.js';
export type { Route, RoutingTable } from './route.js';
export { routesSchema } from './routes-schema.js';
export {
  type ConfiguredUpstream,
  configuredUpstream,
  type UpstreamSettings,
  upstreamSettings,
} from './upstream-settings.js';
export { UPSTREAMS, type UpstreamName } from './upstreams.js';
