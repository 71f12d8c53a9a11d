export { DEFAULT_DATABASE_POOL, READ_CONNECTIONS } from './default-database-pool.js';
export { getPublicUrls } from './get-public-urls.js';
export { ConfigError, loadSettings, type SettingTable, type SettingValues } from './load-settings.js';
export { parseHostPort } from './parse-host-port.js';
export { parseRate, type Rate } from './parse-rate.js';
export { parseSentinelUrl, type SentinelGroup } from './parse-redis-url.js';
export type { TrustProxy } from './parse-trust-proxy.js';
export { readEnvironment } from './read-environment.js';
export { getVersion } from './release-version.js';
export {
  boolean,
  choice,
  list,
  optional,
  port,
  positiveInteger,
  positiveNumber,
  required,
  type Setting,
  secret,
  text,
  url,
  wholeNumber,
} from './setting.js';
export { pickSettings, sharedSettings } from './shared-settings.js';
