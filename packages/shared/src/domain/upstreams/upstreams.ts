import { checkImageField } from './check-image-field.js';
import { checkWorkflow } from './check-workflow.js';
import type { ProtocolRoute, RouteFault } from './protocol-route.js';

/** An upstream provider as far as configuration goes. */
export interface UpstreamDescription {
  /** Begins the names of its settings, such as `FAL_API_KEY`; null for a protocol of instances only, which has no public address. */
  readonly envPrefix: string | null;
  /** Its public address, without the path of its API. */
  readonly baseUrl: string | null;
  /** Prefix of every path of its API. */
  readonly apiPath: string;
  /** Hosts beside the base URL's own that results may be downloaded from; `*.x` means every name below x. */
  readonly resultHosts: readonly string[];
  /** The headers that carry a key. */
  readonly authorize: (secret: string) => Readonly<Record<string, string>>;
  /** Images that one call can ask for, where the routing table says nothing else. */
  readonly maxImagesPerCall: number;
  /** A path whose GET costs nothing and is refused with 401 or 403 when the key is not good. */
  readonly checkPath: string;
  /** A path whose GET lists the models that are offered, where that of `checkPath` does not. */
  readonly modelsPath?: string;
  /** Where an operator gets a key. */
  readonly keysAt: string;
  /** Returns what is wrong with the options of a route, by field; absent: the protocol takes any. */
  readonly checkRoute?: (route: ProtocolRoute) => readonly RouteFault[];
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/**
 * Upstream providers with a key, in the default order of preference. Those that draw with the named models come first,
 * in the order of price; one that draws with its own comes last.
 */
export const UPSTREAMS = {
  gemini: {
    envPrefix: 'GEMINI',
    baseUrl: 'https://generativelanguage.googleapis.com',
    apiPath: '/v1beta',
    resultHosts: [],
    authorize: (secret) => ({ 'x-goog-api-key': secret }),
    maxImagesPerCall: 1,
    checkPath: '/models?pageSize=1000',
    keysAt: 'https://aistudio.google.com/apikey',
  },
  fal: {
    envPrefix: 'FAL',
    baseUrl: 'https://queue.fal.run',
    apiPath: '',
    resultHosts: ['fal.media', '*.fal.media'],
    authorize: (secret) => ({ authorization: `Key ${secret}` }),
    maxImagesPerCall: 4,
    // No such request exists: every valid key gets 404.
    checkPath: '/fal-ai/nano-banana/requests/00000000-0000-0000-0000-000000000000/status',
    keysAt: 'https://fal.ai/dashboard/keys',
  },
  replicate: {
    envPrefix: 'REPLICATE',
    baseUrl: 'https://api.replicate.com',
    apiPath: '/v1',
    resultHosts: ['replicate.delivery', '*.replicate.delivery'],
    authorize: bearer,
    maxImagesPerCall: 1,
    checkPath: '/account',
    keysAt: 'https://replicate.com/account/api-tokens',
    checkRoute: checkImageField,
  },
  openrouter: {
    envPrefix: 'OPENROUTER',
    baseUrl: 'https://openrouter.ai',
    apiPath: '/api/v1',
    resultHosts: [],
    authorize: bearer,
    maxImagesPerCall: 1,
    checkPath: '/key',
    modelsPath: '/images/models',
    keysAt: 'https://openrouter.ai/settings/keys',
  },
  openai: {
    envPrefix: 'OPENAI',
    baseUrl: 'https://api.openai.com',
    apiPath: '/v1',
    resultHosts: [],
    authorize: bearer,
    maxImagesPerCall: 4,
    checkPath: '/models',
    keysAt: 'https://platform.openai.com/api-keys',
  },
  comfyui: {
    envPrefix: null,
    baseUrl: null,
    apiPath: '',
    resultHosts: [],
    // The server itself has no keys; a proxy in front of it may require one.
    authorize: bearer,
    maxImagesPerCall: 1,
    checkPath: '/system_stats',
    keysAt: 'the proxy in front of the server',
    checkRoute: checkWorkflow,
  },
} as const satisfies Readonly<Record<string, UpstreamDescription>>;

/** Protocol of an upstream provider. */
export type UpstreamName = keyof typeof UPSTREAMS;

/** The name of an upstream provider that the environment configures, as `PROVIDERS` and routes give it. */
export type BuiltInUpstream = {
  [Name in UpstreamName]: (typeof UPSTREAMS)[Name]['envPrefix'] extends string ? Name : never;
}[UpstreamName];

/** Returns true for a provider that the environment configures. */
export function isBuiltIn(name: UpstreamName): name is BuiltInUpstream {
  return UPSTREAMS[name].envPrefix !== null;
}
