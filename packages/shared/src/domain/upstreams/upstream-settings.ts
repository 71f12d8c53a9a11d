import { boolean, list, optional, type Setting, secret, url } from '../../runtime/config/index.js';
import { ID_PATTERN } from '../contract/index.js';
import { findKeyFault } from './find-key-fault.js';
import { splitKeys } from './split-keys.js';
import { resolveTaskApi } from './task-api.js';
import type { TaskSettings } from './task-settings.js';
import { type BuiltInUpstream, UPSTREAMS, type UpstreamName } from './upstreams.js';

const NO_JOB = 'gen_0000000000000000000000';

type Prefix = (typeof UPSTREAMS)[BuiltInUpstream]['envPrefix'];

/** Values of the settings of all upstream providers. */
export type UpstreamSettings = Readonly<
  Record<`${Prefix}_API_KEY`, readonly string[] | undefined> &
    Record<`${Prefix}_BASE_URL`, string | undefined>
>;

const providerName = (name: string): string => {
  if (!ID_PATTERN.test(name)) {
    throw new Error(`must name providers in lower case, such as openai, not ${name}`);
  }
  return name;
};
const parseKeys = (protocol: UpstreamName) =>
  optional({
    parse: (text: string): readonly string[] => {
      const keys = splitKeys(text);
      const fault = keys.map((key) => findKeyFault(protocol, key)).find((one) => one !== null);
      if (fault) {
        throw new Error(`has a key that cannot be used: it ${fault}`);
      }
      return keys;
    },
  });
const base = optional(url(['http:', 'https:']));

/** Settings of the providers: which, in which order, the keys of each, separated by commas or line ends, and an address of one's own. */
export const upstreamSettings = {
  ...(Object.fromEntries(
    Object.entries(UPSTREAMS).flatMap(([protocol, { envPrefix }]) =>
      envPrefix === null
        ? []
        : [
            [`${envPrefix}_API_KEY`, secret(parseKeys(protocol as UpstreamName))],
            [`${envPrefix}_BASE_URL`, base],
          ],
    ),
  ) as { readonly [Name in keyof UpstreamSettings]: Setting<UpstreamSettings[Name]> }),
  HTTPS_PROXY: optional(url(['http:', 'https:'])),
  NO_PROXY: list((value: string) => value, []),
  PROVIDERS: optional(list(providerName)),
  SANDBOX_FALLBACK: boolean(false),
} as const;

/** Upstream provider as it is configured: a built-in one, or an instance of the catalog. */
export interface ConfiguredUpstream {
  /** Name in `PROVIDERS`, in routes and in metrics. */
  readonly name: string;
  readonly protocol: UpstreamName;
  /** Prefix of every path of its API, without a trailing slash. */
  readonly apiUrl: string;
  /** Address of the operator's own, which may be private; null for the provider's public one. */
  readonly ownAddress: URL | null;
  readonly keys: readonly string[];
  /** Where an operator sets its keys and its address. */
  readonly settings: { readonly keys: string; readonly address: string };
  /** Settings of a task API; absent for other protocols. */
  readonly task?: TaskSettings | null;
  /** A path whose GET tells whether a key is good, where the protocol has none for all. */
  readonly checkPath?: string | undefined;
}

/** Returns the configuration of a built-in upstream provider. */
export function configureUpstream(settings: UpstreamSettings, name: BuiltInUpstream): ConfiguredUpstream {
  const { envPrefix } = UPSTREAMS[name];
  const places = { keys: `${envPrefix}_API_KEY`, address: `${envPrefix}_BASE_URL` } as const;
  const address = settings[places.address];
  return describeUpstream({ name, protocol: name, settings: places, address }, settings[places.keys] ?? []);
}

/** Describes an upstream at an address, at its public one without. */
export function describeUpstream(
  {
    address,
    apiPath: ownPath,
    ...named
  }: Pick<ConfiguredUpstream, 'name' | 'protocol' | 'settings' | 'task'> & {
    readonly address?: string | undefined;
    /** Replaces that of the protocol, version or not. */
    readonly apiPath?: string | null | undefined;
  },
  keys: readonly string[],
): ConfiguredUpstream {
  const { baseUrl, apiPath } = UPSTREAMS[named.protocol];
  const origin = (address ?? baseUrl ?? '').replace(/\/+$/, '');
  return {
    ...named,
    keys,
    // No job has this id.
    checkPath: named.task ? resolveTaskApi(named.task)?.poll.path.replace('{id}', NO_JOB) : undefined,
    apiUrl: ownPath == null ? withApiPath(origin, apiPath) : `${origin}${ownPath}`,
    ownAddress: address === undefined ? null : new URL(address),
  };
}

const VERSION = /^v\d+([a-z]+\d*)?$/;

/** Appends the path of the API unless the address ends with it or has a version. Operators write both forms. */
function withApiPath(address: string, apiPath: string): string {
  const path = URL.canParse(address) ? new URL(address).pathname : '';
  const isWhole =
    (apiPath !== '' && path.endsWith(apiPath)) || path.split('/').some((part) => VERSION.test(part));
  return isWhole ? address : `${address}${apiPath}`;
}
