export { type CheckSettings, checkUpstream, type UpstreamCheck } from './check-upstream.js';
export {
  checkProvider,
  configureProvider,
  type ProviderPlaces,
} from './configure-provider.js';
