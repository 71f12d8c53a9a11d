import { drawPurchase, findTrialRoute, type TrialRoute } from '@image-gateway/shared/catalog/document';
import { type ClaimedCheck, type Database, startDrawing } from '@image-gateway/shared/db';
import { ImageError, OUTPUT_LIMITS, type ValidateImage } from '@image-gateway/shared/images';
import { pause } from '@image-gateway/shared/lifecycle';
import { formatDollars } from '@image-gateway/shared/money';
import type { ProviderCheckResult } from '@image-gateway/shared/provider/schema';
import { DRAWN_PROPERTIES, type DrawnProperty } from '@image-gateway/shared/task';
import type { ProviderPlaces } from '@image-gateway/shared/upstream-checks';
import { PROVIDER_NAMES } from '@image-gateway/shared/upstreams';
import { acceptCost } from '../calls/accept-cost.js';
import { computeTokenCost } from '../calls/compute-token-cost.js';
import type { CheckSettings } from '../env.js';
import { createProviders, type Provider } from '../providers/create-providers.js';
import { FAILURE_TRAITS, ProviderError } from '../providers/failures.js';
import { getOwner, type ProviderJob, type ProviderRequest } from '../providers/port.js';

/** Dependencies of a trial image. */
export interface DrawDeps {
  readonly db: Pick<Database, 'run'>;
  readonly settings: CheckSettings;
  readonly validate: ValidateImage;
  readonly signal: AbortSignal;
}

type TrialImage = NonNullable<ProviderCheckResult['image']>;
/** Trial image, and what it cost; null where nothing was asked for. */
type Drawn = Omit<TrialImage, 'cost'> & { readonly cost: string; readonly costMicros: bigint | null };

/** Longest time of an image; some vendors take a minute. */
export const MAX_DRAW_MS = 110_000;
const PROMPT = 'A red apple on a white table';
const MAX_REASON = 300;

/** Draws one image with the first key in use, on the cheapest route that fits. Nothing of the image is kept. */
export async function drawTrial(
  deps: DrawDeps,
  places: ProviderPlaces,
  check: Pick<ClaimedCheck, 'id' | 'provider' | 'model' | 'attempt' | 'hasDrawn'>,
): Promise<Drawn> {
  const { db, settings } = deps;
  const { provider: name, model, id, attempt } = check;
  const trial = findTrialRoute(places.catalog, name, model);
  const began = performance.now();
  const end = (reason: string, costMicros: bigint | null): Drawn =>
    describe(trial, { reason, costMicros, ms: performance.now() - began });
  if (trial === null) {
    return end(
      model === null ? 'no model has a route of it that draws' : `no route of it draws ${model}`,
      null,
    );
  }
  if (check.hasDrawn) {
    return end('the process that drew it ended; the provider may have charged for it', trial.costMicros);
  }
  const found = findProvider(settings, places, name);
  if (found === null) {
    return end('it has no key here', null);
  }
  const { costMicros } = trial;
  const ceilingMicros = settings.MAX_UPSTREAM_COST_DAY ?? null;
  const refusal = await startDrawing(db, { id, attempt, provider: name, costMicros, ceilingMicros });
  if (refusal !== null) {
    return end(REFUSALS[refusal], null);
  }
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(MAX_DRAW_MS)]);
  const spent: Spent = { micros: null, image: null };
  try {
    const accept = (statedMicros: bigint | null): Promise<bigint | null> => {
      const priced = { provider: name, model: trial.route.model, listCostMicros: costMicros, images: 1 };
      return statedMicros === null ? Promise.resolve(null) : acceptCost(db, priced, statedMicros);
    };
    await callUntilDone(found, buildRequest(trial, found, check), { trial, spent, accept, signal });
    if (spent.image === null) {
      return end('the provider delivered no image', spent.micros ?? costMicros);
    }
    const { width, height, contentType, bytes } = await deps.validate(spent.image, OUTPUT_LIMITS, {
      key: id,
      signal,
    });
    return {
      ...end('', spent.micros ?? costMicros),
      reason: null,
      width,
      height,
      content_type: contentType,
      bytes: bytes.length,
    };
  } catch (error) {
    return end(explain(error, signal), spent.micros ?? (isBilled(error) ? costMicros : 0n));
  }
}

const REFUSALS = {
  paused: 'it is paused',
  ceiling: 'the ceiling of the day is reached',
  overtaken: 'another process does this check',
} as const;

interface Spent {
  micros: bigint | null;
  image: Buffer | null;
}

/** Makes the call, and follows a job that takes long. */
async function callUntilDone(
  { provider, keys: [key = null] }: Provider,
  request: ProviderRequest,
  {
    trial,
    spent,
    accept,
    signal,
  }: {
    readonly trial: TrialRoute;
    readonly spent: Spent;
    readonly accept: (statedMicros: bigint | null) => Promise<bigint | null>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { tokenCost } = trial.route;
  const beganMs = performance.now();
  let job: ProviderJob | null = null;
  for (;;) {
    let parkedMs: number | null = null;
    const scope = { signal, owner: getOwner(key), ageMs: performance.now() - beganMs, neededMs: MAX_DRAW_MS };
    for await (const event of provider.generate({ ...request, job }, scope)) {
      if (event.type === 'job') {
        job = { id: event.id, handle: event.handle };
      } else if (event.type === 'image') {
        spent.image ??= event.bytes;
      } else if (event.type === 'cost') {
        spent.micros = await accept(event.micros);
      } else if (event.type === 'usage' && tokenCost) {
        spent.micros = await accept(computeTokenCost(event.tokens, tokenCost));
      } else if (event.type === 'park') {
        parkedMs = event.delayMs;
      }
    }
    if (parkedMs === null) {
      return;
    }
    await pause(parkedMs, signal);
    signal.throwIfAborted();
  }
}

/** Fields of requests that a trial leaves out. */
const NO_FIELDS = Object.fromEntries(DRAWN_PROPERTIES.map((name) => [name, null])) as unknown as Pick<
  ProviderRequest,
  DrawnProperty
>;

function buildRequest(
  { model, route, resolution, quality }: TrialRoute,
  { keys: [key = null] }: Provider,
  { id }: Pick<ClaimedCheck, 'id'>,
): ProviderRequest {
  const aspectRatio = model.defaultAspectRatio;
  const size = route.sizes[aspectRatio]?.[resolution];
  const { quality: asked } = drawPurchase(route, resolution, { quality, preferred: null });
  return {
    taskId: id,
    callId: id,
    model: route.model,
    key,
    ...NO_FIELDS,
    prompt: PROMPT,
    aspectRatio,
    resolution,
    takesResolution: route.resolution === 'sent',
    ...(size !== undefined && { size }),
    ...(route.timeoutMs !== null && { timeoutMs: route.timeoutMs }),
    fields: asked === null ? {} : { quality: asked },
    options: route.options,
    slots: [0],
    inputs: [],
    earlierCalls: 0,
    job: null,
  };
}

function findProvider(settings: CheckSettings, places: ProviderPlaces, name: string): Provider | null {
  const builtIn = PROVIDER_NAMES.filter((one) => one === name);
  const providers = createProviders({
    ...settings,
    ...places.settings,
    readKeys: places.readKeys,
    chosen: { builtIn },
  });
  return providers.find(name, places.catalog.instances.get(name));
}

function describe(
  trial: TrialRoute | null,
  {
    reason,
    costMicros,
    ms,
  }: { readonly reason: string; readonly costMicros: bigint | null; readonly ms: number },
): Drawn {
  return {
    model: trial?.model.id ?? '',
    upstream_model: trial?.route.model ?? '',
    reason,
    width: null,
    height: null,
    content_type: null,
    bytes: null,
    ms: Math.round(ms),
    cost: formatDollars(costMicros ?? 0n),
    costMicros,
  };
}

function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) {
    return 'not finished in time; the provider may have charged for it';
  }
  if (error instanceof ProviderError) {
    return `${error.failure}: ${error.message}`.slice(0, MAX_REASON);
  }
  if (error instanceof ImageError) {
    return 'the provider delivered an unusable image';
  }
  throw error;
}

function isBilled(error: unknown): boolean {
  const state = error instanceof ProviderError ? FAILURE_TRAITS[error.failure].state : 'unknown';
  return state === 'unknown' || state === 'unusable';
}
