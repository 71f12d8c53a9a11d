import { list, optional, text, url } from '../../runtime/config/index.js';
import { PROVIDER_NAMES, type ProviderName } from './provider-name.js';
import { UPSTREAMS, type UpstreamName } from './upstreams.js';

type Prefix = (typeof UPSTREAMS)[UpstreamName]['envPrefix'];
const keys = () => optional(list((value: string) => value));
const base = () => optional(url(['http:', 'https:']));

const knownProvider = (name: string): ProviderName => {
  const known = PROVIDER_NAMES.find((one) => one === name);
  if (known === undefined) {
    throw new Error(`must name providers (${PROVIDER_NAMES.join(', ')}), not ${name}`);
  }
  return known;
};

/** The settings of the providers: which, in which order, the keys of each, comma-separated, and an address of one's own. */
export const upstreamSettings = {
  GEMINI_API_KEY: keys(),
  GEMINI_BASE_URL: base(),
  FAL_API_KEY: keys(),
  FAL_BASE_URL: base(),
  REPLICATE_API_KEY: keys(),
  REPLICATE_BASE_URL: base(),
  OPENROUTER_API_KEY: keys(),
  OPENROUTER_BASE_URL: base(),
  OPENAI_API_KEY: keys(),
  OPENAI_BASE_URL: base(),
  PROVIDERS: optional(list(knownProvider)),
  ROUTES_FILE: optional(text()),
} as const satisfies Readonly<
  Record<`${Prefix}_API_KEY` | `${Prefix}_BASE_URL` | 'PROVIDERS' | 'ROUTES_FILE', unknown>
>;

/** Values of those settings. */
export type UpstreamSettings = Readonly<
  Record<`${Prefix}_API_KEY`, readonly string[] | undefined> &
    Record<`${Prefix}_BASE_URL`, string | undefined>
>;

/** An upstream provider as it is configured. */
export interface ConfiguredUpstream {
  readonly name: UpstreamName;
  /** Before every path of its API, without a trailing slash. */
  readonly apiUrl: string;
  /** The host of an address of one's own, which may be private; null for the provider's public address. */
  readonly ownHost: string | null;
  readonly keys: readonly string[];
}

/** Returns the settings of one upstream provider. */
export function configuredUpstream(settings: UpstreamSettings, name: UpstreamName): ConfiguredUpstream {
  const { envPrefix, baseUrl, apiPath } = UPSTREAMS[name];
  const own = settings[`${envPrefix}_BASE_URL`];
  return {
    name,
    apiUrl: withApiPath(own ?? baseUrl, apiPath),
    ownHost: own === undefined ? null : new URL(own).hostname,
    keys: settings[`${envPrefix}_API_KEY`] ?? [],
  };
}

/** Some write the version into an address, as OpenAI's clients do, and some don't: both mean the same. */
function withApiPath(address: string, apiPath: string): string {
  const version = apiPath.slice(apiPath.lastIndexOf('/'));
  return apiPath !== '' && address.endsWith(version) ? address : `${address}${apiPath}`;
}
