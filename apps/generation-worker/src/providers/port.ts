import type { AspectRatio, Resolution } from '@image-gateway/shared/contract';
import type { ProviderError } from './failures.js';

/** An input image of an edit: fetched, checked and decoded once already. */
export interface InputImage {
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** A key of a provider; the fingerprint is what may be written down. */
export interface ProviderKey {
  readonly fingerprint: string;
  readonly secret: string;
}

/** An asynchronous job at a provider. */
export interface ProviderJob {
  /** The provider's own id. */
  readonly id: string;
  /** What else the provider needs to find it again, such as where to ask; in its own words. */
  readonly handle: string | null;
}

/** What a provider is asked for in one call. */
export interface ProviderRequest {
  readonly taskId: string;
  /** The provider's own name of the model. */
  readonly model: string;
  readonly key: ProviderKey | null;
  readonly prompt: string;
  readonly negativePrompt: string | null;
  readonly aspectRatio: AspectRatio;
  readonly resolution: Resolution;
  /** Whether the model has more than one resolution and wants to be told which. */
  readonly takesResolution: boolean;
  /** Further fields of the request, from the routing table. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Numbers of the images that are wanted, counted over the whole task; at most the candidate's `maxImagesPerCall` of them. */
  readonly slots: readonly number[];
  /** In the order in which the customer named them; empty for a generation. */
  readonly inputs: readonly InputImage[];
  /** How many calls were made for the task before this one. */
  readonly earlierCalls: number;
  /** The job to resume instead of asking for images again; null for a new call. */
  readonly job: ProviderJob | null;
}

/** What a call yields, as it happens. */
export type ProviderEvent =
  /** One image, with its number when the provider knows which one it is. The bytes are not trusted. */
  | { readonly type: 'image'; readonly bytes: Buffer; readonly slot?: number }
  /** An asynchronous job was accepted; it is saved before the next event is asked for. */
  | ({ readonly type: 'job' } & ProviderJob)
  /** The provider's own id of a call that is no job, for its support. */
  | { readonly type: 'upstream-id'; readonly id: string }
  /** The job takes long: the call ends here and is resumed by its id later, in this process or in another; `trouble` is why nobody knows how it stands. */
  | { readonly type: 'park'; readonly delayMs: number; readonly error?: ProviderError }
  /** What the call really cost, in micro-dollars; the list price counts otherwise. */
  | { readonly type: 'cost'; readonly micros: bigint };

/** Place for the body of one response. */
export interface ResponseBody {
  /** Takes in the next bytes; resolves when there is room for more. */
  readonly write: (chunk: Buffer) => Promise<void>;
  /** Returns the whole body as soon as there is memory for so many copies of it. */
  readonly load: (copies: number) => Promise<Buffer>;
  /** Must be called. */
  readonly close: () => Promise<void>;
}

/** What a call runs in. */
export interface CallScope {
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** Opens a place for the next response. Responses are kept in memory unless given, which is for small ones. */
  readonly receive?: () => ResponseBody;
  /** Whether an image is stored already and need not be fetched again, as when a job is taken up once more; none is unless given. */
  readonly isStored?: (slot: number) => boolean;
}

/** An upstream that makes images: one folder, one line in the router. */
export interface ImageProvider {
  readonly name: string;
  /** Whether somebody else stands behind it, who can be down, busy, or tired of us. */
  readonly upstream: boolean;
  /** Whether calls become jobs with an id: one that is cut before its id is known may have been billed. */
  readonly asynchronous: boolean;
  /**
   * Makes one call and yields what comes of it, each image as it arrives. Throws ProviderError for everything that goes
   * wrong upstream. The scope's signal ends the call; what is thrown then does not matter.
   */
  readonly generate: (request: ProviderRequest, scope: CallScope) => AsyncGenerator<ProviderEvent, void>;
  /** Stops a job that nobody waits for any more; false when it is too late or not known. Throws ProviderError. */
  readonly cancel?: (
    job: ProviderJob & { readonly model: string; readonly key: ProviderKey | null },
    scope: CallScope,
  ) => Promise<boolean>;
}

/** A way to get images of a public model: a provider, its name of the model, and a key. */
export interface Candidate {
  readonly provider: ImageProvider;
  readonly model: string;
  readonly key: ProviderKey | null;
  readonly takesResolution: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly maxImagesPerCall: number;
  /** Calls of this process at a time, over all tasks. */
  readonly concurrency: number;
  /** Micro-dollars an image by the provider's price list. */
  readonly listCostMicros: bigint;
}

/** Returns the prompt for a provider without a field for a negative prompt. */
export function foldPrompt(prompt: string, negativePrompt: string | null): string {
  return negativePrompt === null ? prompt : `${prompt}\n\nAvoid: ${negativePrompt}`;
}
