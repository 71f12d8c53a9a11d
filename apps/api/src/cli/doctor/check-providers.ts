import { readFileSync } from 'node:fs';
import type { Catalog } from '@image-gateway/shared/catalog/document';
import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { createOutbound, OutboundError } from '@image-gateway/shared/outbound';
import {
  type ConfiguredUpstream,
  chooseProviders,
  computeFingerprint,
  configuredUpstream,
  UPSTREAMS,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import { defaultToSandbox } from '../../operations/provider/default-to-sandbox.js';
import { type ListedRoute, listRoutes } from '../../operations/provider/list-routes.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';
import { findMissingModels } from './find-missing-models.js';

type Env = Readonly<Record<string, string | undefined>>;

const { ENABLED_MODELS, OUTBOUND_ALLOW } = sharedSettings;
const table = { ...upstreamSettings, ENABLED_MODELS, OUTBOUND_ALLOW };
const MAX_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** Checks every key of every configured provider with a free call, and that the provider offers the models of the routes. */
export async function checkProviders(env: Env, catalog: Promise<Catalog>): Promise<CheckResult[]> {
  try {
    const settings = loadSettings(table, env);
    const chosen = chooseProviders(defaultToSandbox(settings), (file) => readFileSync(file, 'utf8'));
    const { providers, unused } = chosen;
    const fileRoutes = settings.ROUTES_FILE === undefined ? null : chosen.routes;
    const routes = Object.values(listRoutes(await catalog, { providers, fileRoutes })).flat();
    const checks = providers.map(async (name) => {
      if (name === 'sandbox') {
        return [fine('sandbox', 'built in, needs no key')];
      }
      return checkProvider(configuredUpstream(settings, name), routes, settings.OUTBOUND_ALLOW);
    });
    const idle = unused.map((name) =>
      warning(name, 'has a key, but PROVIDERS does not name it', 'Add it to PROVIDERS, or remove its key.'),
    );
    return [...(await Promise.all(checks)).flat(), ...idle];
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    return error.faults.map((text) =>
      fault('providers', text, 'Set it in the environment of the generation workers.'),
    );
  }
}

async function checkProvider(
  upstream: ConfiguredUpstream,
  routes: readonly ListedRoute[],
  allow: readonly string[],
): Promise<CheckResult[]> {
  const secrets = upstream.keys.length > 0 ? upstream.keys : [null];
  return Promise.all(secrets.map((secret) => checkKey(upstream, secret, { routes, allow })));
}

async function checkKey(
  { name, apiUrl, ownHost }: ConfiguredUpstream,
  secret: string | null,
  { routes, allow }: { readonly routes: readonly ListedRoute[]; readonly allow: readonly string[] },
): Promise<CheckResult> {
  const { authorize, checkPath, envPrefix, keysAt } = UPSTREAMS[name];
  const which = secret === null ? 'without a key' : `key ${computeFingerprint(secret)}`;
  const outbound = createOutbound({
    allow: new Set(allow),
    allowHosts: new Set(ownHost === null ? [] : [ownHost]),
  });
  try {
    const { status, bytes } = await outbound.request({
      ...{ method: 'GET', url: `${apiUrl}${checkPath}`, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS },
      headers: secret === null ? {} : authorize(secret),
    });
    if (status === 401 || status === 403 || isRefusedByGemini(name, status, bytes)) {
      return fault(
        name,
        `${which} is refused (${status})`,
        `Set a valid key in ${envPrefix}_API_KEY: ${keysAt}`,
      );
    }
    if (status >= 500) {
      return warning(
        name,
        `${which}: the provider responds with ${status}`,
        'Try again later, or check its status page.',
      );
    }
    const missing = findMissingModels(name, bytes, routes);
    return missing.length === 0
      ? fine(name, `${which} is accepted`)
      : warning(
          name,
          `${which} is accepted, but ${missing.join(', ')} is not offered`,
          'Remove the route with catalog apply (or from ROUTES_FILE), or request access to the model.',
        );
  } catch (error) {
    if (!(error instanceof OutboundError)) {
      throw error;
    }
    return fault(
      name,
      `${new URL(apiUrl).host} cannot be reached: ${error.message}`,
      `Check the network and ${envPrefix}_BASE_URL.`,
    );
  }
}

/** Returns whether Gemini refuses the key, which it does with 400 and this reason. */
function isRefusedByGemini(name: string, status: number, bytes: Buffer): boolean {
  return name === 'gemini' && status === 400 && bytes.includes('API_KEY_INVALID');
}
