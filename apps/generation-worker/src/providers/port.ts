import type { AspectRatio, Resolution } from '@image-gateway/shared/contract';

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
  /** Numbers of the images that are wanted, counted over the whole task; at most `maxImagesPerCall` of them. */
  readonly slots: readonly number[];
  /** In the order in which the customer named them; empty for a generation. */
  readonly inputs: readonly InputImage[];
  /** How many calls were made for the task before this one. */
  readonly earlierCalls: number;
  /** The job to resume instead of asking for images again; null for a new call. */
  readonly jobId: string | null;
}

/** What a call yields, as it happens. */
export type ProviderEvent =
  /** One image, with its number when the provider knows which one it is. The bytes are not trusted. */
  | { readonly type: 'image'; readonly bytes: Buffer; readonly slot?: number }
  /** An asynchronous job was accepted; its id is saved before the next event is asked for. */
  | { readonly type: 'job'; readonly id: string }
  /** The job takes long: the call ends here and is resumed by its id later, in this process or in another. */
  | { readonly type: 'park'; readonly delayMs: number }
  /** What the call really cost, in micro-dollars; the list price counts otherwise. */
  | { readonly type: 'cost'; readonly micros: bigint };

/** An upstream that makes images: one folder, one line in the router. */
export interface ImageProvider {
  readonly name: string;
  readonly maxImagesPerCall: number;
  /** Whether calls become jobs with an id: one that is cut before its id is known may have been billed. */
  readonly asynchronous: boolean;
  /**
   * Makes one call and yields what comes of it, each image as it arrives. Throws ProviderError for everything that goes
   * wrong upstream. The signal ends the call; what is thrown then does not matter.
   */
  readonly generate: (request: ProviderRequest, signal: AbortSignal) => AsyncGenerator<ProviderEvent, void>;
}

/** A way to get images of a public model: a provider, its name of the model, and a key. */
export interface Candidate {
  readonly provider: ImageProvider;
  readonly model: string;
  readonly key: ProviderKey | null;
  /** Micro-dollars an image by the provider's price list. */
  readonly listCostMicros: bigint;
}
