export { type CheckSettings, checkUpstream, type UpstreamCheck } from './check-upstream.js';
export {
  checkProvider,
  configureProvider,
  describeKey,
  explainUntested,
  type ProviderPlaces,
} from './configure-provider.js';
