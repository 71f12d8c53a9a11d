export { type ChosenProviders, chooseProviders, type ProviderChoice } from './choose-providers.js';
export { computeFingerprint } from './compute-fingerprint.js';
export { createKeyReader, type ReadKeys } from './create-key-reader.js';
export { PROVIDER_NAMES, type ProviderName } from './provider-name.js';
export {
  type ConfiguredUpstream,
  configureUpstream,
  describeUpstream,
  type UpstreamSettings,
  upstreamSettings,
} from './upstream-settings.js';
export { UPSTREAMS, type UpstreamName } from './upstreams.js';
