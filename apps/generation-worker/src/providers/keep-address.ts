import type { ProviderInstance } from '@image-gateway/shared/catalog/document';
import { PROTOCOLS, type TaskSettings } from '@image-gateway/shared/upstreams';
import { asRecord } from './http/json-decoder.js';
import type { ImageProvider, ProviderJob } from './port.js';

/** Address of an instance as the handle of a job keeps it. */
export type KeptAddress = Pick<ProviderInstance, 'protocol' | 'baseUrl' | 'apiPath' | 'keyEnv' | 'task'>;

/**
 * Returns the provider under the name of its instance. The handles of its jobs keep the address, so that they can be polled
 * when no catalog has it any more.
 */
export function keepAddress(
  provider: ImageProvider,
  { name, protocol, baseUrl, apiPath, keyEnv, task }: KeptAddress & Pick<ProviderInstance, 'name'>,
): ImageProvider {
  const wrap = (handle: string | null): string =>
    JSON.stringify({
      protocol,
      base_url: baseUrl,
      ...(apiPath !== null && { api_path: apiPath }),
      key_env: keyEnv,
      ...(task && { task }),
      handle,
    });
  const { generate, cancel, withdraw, isUnsent } = provider;
  return {
    ...provider,
    name,
    generate: async function* (request, scope) {
      const job = request.job && unwrap(request.job);
      for await (const event of generate({ ...request, job }, scope)) {
        yield event.type === 'job' ? { ...event, handle: wrap(event.handle) } : event;
      }
    },
    ...(isUnsent && { isUnsent: (job) => isUnsent(unwrap(job)) }),
    ...(withdraw && { withdraw: (job, scope) => withdraw({ ...job, ...unwrap(job) }, scope) }),
    ...(cancel && { cancel: (job, scope) => cancel({ ...job, ...unwrap(job) }, scope) }),
  };
}

/** Parses the address in the handle of a job; null in that of a built-in provider. */
export function parseAddress(handle: string | null): KeptAddress | null {
  const { protocol, base_url: baseUrl, api_path: apiPath, key_env: keyEnv, task } = parse(handle);
  const known = PROTOCOLS.find((one) => one === protocol);
  if (known === undefined || typeof baseUrl !== 'string') {
    return null;
  }
  return {
    protocol: known,
    baseUrl,
    apiPath: typeof apiPath === 'string' ? apiPath : null,
    keyEnv: typeof keyEnv === 'string' ? keyEnv : null,
    // We wrote it, from a checked document.
    task: asRecord(task) as TaskSettings | null,
  };
}

function unwrap({ id, handle }: ProviderJob): ProviderJob {
  const { handle: inner } = parse(handle);
  return { id, handle: typeof inner === 'string' ? inner : null };
}

function parse(handle: string | null): Readonly<Record<string, unknown>> {
  try {
    return asRecord(JSON.parse(handle ?? 'null')) ?? {};
  } catch {
    return {};
  }
}
