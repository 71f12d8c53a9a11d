export { readImageField } from './check-image-field.js';
export { IMAGE_PLACEHOLDERS, PLACEHOLDER } from './check-workflow.js';
export { type ChosenProviders, chooseProviders, type ProviderChoice } from './choose-providers.js';
export { computeFingerprint } from './compute-fingerprint.js';
export { createKeyReader, type ReadKeys } from './create-key-reader.js';
export type { RouteFault } from './protocol-route.js';
export { PROTOCOLS, PROVIDER_NAMES, type Protocol, type ProviderName } from './provider-name.js';
export {
  type ConfiguredUpstream,
  configureUpstream,
  describeUpstream,
  type UpstreamSettings,
  upstreamSettings,
} from './upstream-settings.js';
export { UPSTREAMS, type UpstreamDescription, type UpstreamName } from './upstreams.js';
