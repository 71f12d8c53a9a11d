import { getHostPort } from '../../runtime/net/index.js';
import {
  chooseProxy,
  createOutbound,
  OutboundError,
  type ProxySettings,
} from '../../runtime/outbound/index.js';
import type { ProviderCheckResult } from '../provider/schema.js';
import {
  type ConfiguredUpstream,
  createTaskAuthorization,
  MACHINE_HOST,
  nameKey,
  readToken,
  type TokenRequest,
  type TokenStep,
  UPSTREAMS,
  type UpstreamDescription,
} from '../upstreams/index.js';
import { readReason } from './read-reason.js';

type CheckedKey = ProviderCheckResult['keys'][number];

/** Result of the free calls of a provider. */
export type UpstreamCheck = Pick<ProviderCheckResult, 'keys' | 'models' | 'ends'>;

type ModelList = Pick<UpstreamCheck, 'models' | 'ends'>;

/** Settings of these calls. */
export interface CheckSettings extends ProxySettings {
  readonly OUTBOUND_ALLOW: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

const MAX_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_MODELS = 2_000;
const MAX_NAME = 200;
const REFUSED = 401;
const NO_LIST: ModelList = { models: null, ends: null };
/** Statuses that refuse to give a token. */
const NO_TOKEN: ReadonlySet<number> = new Set([400, 403, 404]);

/**
 * Tries each key of a provider with a call that costs nothing, and lists its models where one call does that. Never throws for
 * what the provider does.
 */
export async function checkUpstream(
  upstream: ConfiguredUpstream,
  settings: CheckSettings,
): Promise<UpstreamCheck> {
  const secrets = upstream.keys.length > 0 ? upstream.keys : [null];
  const checks = await Promise.all(secrets.map((secret) => checkKey(upstream, secret, settings)));
  return {
    keys: checks.map(({ key }) => key),
    models: checks.map(({ models }) => models).find((models) => models !== null) ?? null,
    ends: checks.map(({ ends }) => ends).find((ends) => ends !== null) ?? null,
  };
}

async function checkKey(
  upstream: ConfiguredUpstream,
  secret: string | null,
  settings: CheckSettings,
): Promise<{ readonly key: CheckedKey } & ModelList> {
  const { protocol, checkPath: ownPath } = upstream;
  const description: UpstreamDescription = UPSTREAMS[protocol];
  const { fingerprint, lastFour } = secret === null ? { fingerprint: null, lastFour: '' } : nameKey(secret);
  const name = { fingerprint, ...(lastFour !== '' && { last_four: lastFour }) };
  const { get, send } = createClient(upstream, secret, settings);
  try {
    const steps = secret === null ? null : description.createTokenSteps?.(secret);
    const { status, bytes } = await (steps
      ? askToken(steps, send)
      : get(ownPath ?? description.checkPath, description.checkBody));
    const isNoToken = steps != null && NO_TOKEN.has(status);
    const isRefused = status === 401 || isNoToken || description.isRefusal?.(status, bytes) === true;
    // One that knows the key does not know the job.
    const isClear =
      status < 400 || (status === 404 && (ownPath !== undefined || description.checksMissingJob === true));
    const result = isRefused ? 'refused' : isClear ? 'accepted' : 'unclear';
    const reason = result === 'accepted' ? null : readReason(bytes, secret);
    const list = result === 'accepted' ? await readList(description, bytes, get) : NO_LIST;
    return { key: { ...name, result, status, reason }, ...list };
  } catch (error) {
    if (!(error instanceof OutboundError)) {
      throw error;
    }
    const reason = `${new URL(upstream.apiUrl).host} cannot be reached: ${error.message}`;
    return { key: { ...name, result: 'unclear', status: null, reason }, ...NO_LIST };
  }
}

/** Asks for the token of a key; the last answer counts. A key that names no account is one that is refused. */
async function askToken(
  steps: readonly TokenStep[],
  send: (request: TokenRequest) => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer = { status: REFUSED, bytes: Buffer.alloc(0) };
  let token: string | null = null;
  for (const step of steps) {
    let request: TokenRequest;
    try {
      request = await step(token);
    } catch (error) {
      const message = error instanceof Error ? error.message : 'the key is no account';
      return { status: REFUSED, bytes: Buffer.from(JSON.stringify({ error: { message } })) };
    }
    answer = await send(request);
    token = readToken(parseJson(answer.bytes))?.token ?? null;
    if (token === null) {
      return answer;
    }
  }
  return answer;
}

async function readList(
  { listModels, listEnds, modelsPath }: UpstreamDescription,
  bytes: Buffer,
  get: (path: string) => Promise<Answer>,
): Promise<ModelList> {
  if (listModels === undefined && listEnds === undefined) {
    return NO_LIST;
  }
  const listed = modelsPath === undefined ? { status: 200, bytes } : await get(modelsPath);
  const body = listed.status < 400 ? parseJson(listed.bytes) : null;
  const isShort = (name: string): boolean => name.length <= MAX_NAME;
  const models = [...new Set(listModels?.(body) ?? [])].filter(isShort).slice(0, MAX_MODELS);
  const ends =
    listEnds?.(body)
      .filter(({ model }) => isShort(model))
      .slice(0, MAX_MODELS) ?? null;
  return { models: models.length === 0 ? null : models, ends };
}

/** Creates the client of calls that cost nothing: of paths with a key, and for the token that a key is exchanged for. */
function createClient(
  { protocol, apiUrl, ownAddress, task }: ConfiguredUpstream,
  secret: string | null,
  { OUTBOUND_ALLOW, ...proxies }: CheckSettings,
) {
  const authorize = task ? createTaskAuthorization(task) : UPSTREAMS[protocol].authorize;
  const outbound = createOutbound({
    allow: new Set(OUTBOUND_ALLOW),
    proxy: chooseProxy(proxies, apiUrl),
    allowServers: new Set(ownAddress === null ? [] : [getHostPort(ownAddress)]),
  });
  return {
    send: ({ method, url, headers, body, isMachine }: TokenRequest): Promise<Answer> =>
      (isMachine === true ? createMachineClient() : outbound).request({
        method,
        url,
        headers,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        ...(body !== undefined && { body: Buffer.from(body) }),
      }),
    get: (path: string, content?: object): Promise<Answer> =>
      outbound.request({
        method: content === undefined ? 'GET' : 'POST',
        url: `${apiUrl}${path}`,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        headers: {
          ...(secret !== null && authorize(secret)),
          ...(content && { 'content-type': 'application/json' }),
        },
        ...(content && { body: Buffer.from(JSON.stringify(content)) }),
      }),
  };
}

/** The metadata server of the machine, which no other call reaches. */
const createMachineClient = () => createOutbound({ allow: new Set(), allowHosts: new Set([MACHINE_HOST]) });

function parseJson(response: Buffer): unknown {
  try {
    return JSON.parse(response.toString('utf8')) as unknown;
  } catch {
    // Another format than JSON contains no list.
    return null;
  }
}
