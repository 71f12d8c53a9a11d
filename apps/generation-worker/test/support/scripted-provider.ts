import type { ProviderFailure } from '../../src/providers/failures.js';
import { ProviderError } from '../../src/providers/failures.js';
import { createPlainDecoder } from '../../src/providers/http/create-upstream.js';
import type {
  CallScope,
  Candidate,
  ImageProvider,
  ProviderEvent,
  ProviderRequest,
  RouteTerms,
} from '../../src/providers/port.js';
import type { Router } from '../../src/routing/create-router.js';
import { drawImage, getColour } from './draw-image.js';

/** Behaviour of a provider in one call; `call` counts its calls from 0. */
export type Script = (
  request: ProviderRequest,
  call: number,
  signal: AbortSignal,
) => AsyncGenerator<ProviderEvent, void>;

/** A provider behind the port that does as it is told and remembers what it was asked. */
export interface ScriptedProvider extends ImageProvider {
  readonly requests: ProviderRequest[];
  /** Scope of each call, and when it came, in milliseconds since 1970. */
  readonly scopes: (CallScope & { readonly at: number })[];
  /** Images as they were received, in the memory of their calls. */
  readonly received: Buffer[];
  readonly maxImagesPerCall: number;
  /** Optional fields of its route; absent: none. */
  readonly terms?: RouteTerms;
}

/** Makes a scripted provider, whose images come as a response does. */
export function scriptedProvider(
  script: Script,
  options: Partial<
    Omit<ImageProvider, 'generate'> & Pick<ScriptedProvider, 'maxImagesPerCall' | 'terms'>
  > = {},
): ScriptedProvider {
  const requests: ProviderRequest[] = [];
  const scopes: ScriptedProvider['scopes'] = [];
  const received: Buffer[] = [];
  return {
    name: 'fake',
    maxImagesPerCall: 4,
    asynchronous: false,
    upstream: true,
    ...options,
    requests,
    scopes,
    received,
    generate: (request, scope) => {
      requests.push(request);
      scopes.push({ ...scope, at: Date.now() });
      return receiveImages(script(request, requests.length - 1, scope.signal), scope, received);
    },
  };
}

async function* receiveImages(
  events: AsyncGenerator<ProviderEvent, void>,
  scope: CallScope,
  received: Buffer[],
): AsyncGenerator<ProviderEvent, void> {
  for await (const event of events) {
    if (event.type === 'image') {
      const bytes = await receive(event.bytes, scope);
      received.push(bytes);
      yield { ...event, bytes };
    } else {
      yield event;
    }
  }
}

async function receive(response: Buffer, scope: CallScope): Promise<Buffer> {
  const decoder = createPlainDecoder();
  const body = scope.receive?.(decoder);
  if (body === undefined) {
    return response;
  }
  try {
    await body.write(response);
    await body.finish();
  } finally {
    await body.close();
  }
  return decoder.bytes();
}

/** Delivers every image that is asked for. */
export async function* deliver(request: ProviderRequest): AsyncGenerator<ProviderEvent, void> {
  for (const slot of request.slots) {
    yield { type: 'image', bytes: await drawImage(getColour(slot)), slot };
  }
}

/** Fails like this. */
export function failWith(failure: ProviderFailure, retryAfterMs?: number): never {
  throw new ProviderError(failure, 'scripted', retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** Fails like this on every call. */
export const failing = (failure: ProviderFailure, retryAfterMs?: number): Script =>
  // biome-ignore lint/correctness/useYield: what fails yields nothing
  async function* () {
    failWith(failure, retryAfterMs);
  };

/** Waits until something has happened, then delivers every image that is asked for. */
export const deliverAfter = (happened: Promise<unknown>): Script =>
  async function* (request) {
    await happened;
    yield* deliver(request);
  };

/** A router over scripted providers, in this order. */
export function routerOver(...providers: readonly ScriptedProvider[]): Router {
  const candidates = providers.map(
    (provider): Candidate => ({
      provider,
      model: 'fake-1',
      key: null,
      takesResolution: false,
      options: {},
      concurrency: 16,
      maxImagesPerCall: provider.maxImagesPerCall,
      listCostMicros: 1_000n,
      ...(provider.terms && { terms: provider.terms }),
    }),
  );
  return {
    listCandidates: () => Promise.resolve(candidates),
    findMaker: (call) => candidates.find(({ provider }) => provider.name === call.provider) ?? null,
    describeCut: ({ provider: name, costMicros }) =>
      Promise.resolve({
        state: candidates.some(({ provider }) => provider.name === name && !provider.asynchronous)
          ? 'cut'
          : 'unknown',
        costMicros,
      }),
  };
}

/** A gate that stays shut until it is opened. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
