import type { TokenCost } from '@image-gateway/shared/catalog/document';
import type { Background, OutputFormat, Quality } from '@image-gateway/shared/contract';
import type { TaskRow } from '@image-gateway/shared/db';
import type { DrawnProperty } from '@image-gateway/shared/task';
import type { Capabilities } from '@image-gateway/shared/upstreams';
import type { ProviderError } from './failures.js';
import type { SaidFacts } from './upstream-text.js';

/** Input image of an edit, validated and decoded once. */
export interface InputImage {
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly width: number;
  readonly height: number;
  /** Mask of the first image of an edit, of its size; what is fully transparent is drawn anew. */
  readonly mask?: InputImage;
}

/** Key of a provider; only its fingerprint may be stored. */
export interface ProviderKey {
  readonly fingerprint: string;
  readonly secret: string;
}

/** Returns the owner of the connections that are kept for calls with a key. */
export function getOwner(key: ProviderKey | null): string {
  return key?.fingerprint ?? 'no key';
}

/** Asynchronous job at a provider. */
export interface ProviderJob {
  /** Id at the provider. */
  readonly id: string;
  /** Further data for finding it again, such as the paths to poll, in a format of the provider. */
  readonly handle: string | null;
}

/**
 * Optional fields of one call: what its route takes of the requirements and preferences of the task. An adapter writes what
 * stands here, under the vendor's names.
 */
export interface RequestFields {
  readonly quality?: Quality;
  /** Of the only image of the call. */
  readonly seed?: number;
  readonly outputFormat?: OutputFormat;
  readonly background?: Background;
  /** Of the size of the first input; what is fully transparent is drawn anew. */
  readonly mask?: InputImage;
  /** 0 to 100. */
  readonly outputCompression?: number;
  readonly moderation?: string;
  readonly inputFidelity?: string;
  readonly style?: string;
  /** For a field of its own; the prompt has it otherwise. */
  readonly negativePrompt?: string;
}

/** Request for one call of a provider. */
export interface ProviderRequest extends Pick<TaskRow, DrawnProperty> {
  readonly taskId: string;
  /** Id of this call; a resumed one keeps it. */
  readonly callId: string;
  /** Model name at the provider. */
  readonly model: string;
  readonly key: ProviderKey | null;
  /** True for a model with more than one resolution, which needs the field. */
  readonly takesResolution: boolean;
  /** Pixels to request, such as `1344x768`, where the route says them. */
  readonly size?: string;
  /** Longest call in milliseconds, where the route says it. */
  readonly timeoutMs?: number;
  /** Stands for the end user at the vendor, without personal data. */
  readonly endUser?: string;
  readonly fields: RequestFields;
  /** Further fields of the request, from the routing table. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Requested slots, numbered over the whole task; at most the candidate's `maxImagesPerCall`. */
  readonly slots: readonly number[];
  /** In the order of the customer's request; empty for a generation. */
  readonly inputs: readonly InputImage[];
  /** Number of calls for the task before this one. */
  readonly earlierCalls: number;
  /** Job to resume; null for a new call. */
  readonly job: ProviderJob | null;
}

/** Event of a call. */
export type ProviderEvent =
  /** One image, with its slot when the provider knows it, and what the upstream says about it. Nothing of it is trusted. */
  | {
      readonly type: 'image';
      readonly bytes: Buffer;
      readonly slot?: number;
      readonly said?: SaidFacts;
    }
  /** More images came than were asked for; the others are thrown away. */
  | { readonly type: 'surplus'; readonly images: number }
  /** An asynchronous job was accepted; it is saved before the next event is requested. */
  | ({ readonly type: 'job' } & ProviderJob)
  /** Id of a call without a job, for the support of the provider, as it came; kept as `readUpstreamText` reads it. */
  | { readonly type: 'upstream-id'; readonly id: unknown }
  /** The job takes long: the call ends here and is resumed by its id later, in any process. `error` is why its state is unknown. */
  | { readonly type: 'park'; readonly delayMs: number; readonly error?: ProviderError }
  /** Actual cost of the call in micro-dollars; without it the list price counts. */
  | { readonly type: 'cost'; readonly micros: bigint }
  /** Tokens of the call, which cost what the route says of tokens. */
  | { readonly type: 'usage'; readonly tokens: TokenUsage };

/** Tokens of a call by what they stand for. */
export type TokenUsage = Readonly<Record<keyof TokenCost, number>>;

/** Decoder of one response, which takes it piece by piece. Its bytes are in one buffer, which its owner provides. */
export interface BodyDecoder {
  /** Decodes the next bytes, and keeps none of the buffer that they are in. */
  readonly write: (piece: Buffer) => void;
  /** Returns how much room that many bytes of a response can need in the buffer. Bytes without room would be lost. */
  readonly measureRoom: (bytes: number) => number;
  /** Returns the bytes so far. */
  readonly bytes: () => Buffer;
  /** Replaces the buffer by one that begins with the bytes so far; an empty one parks the decoder. */
  readonly replace: (buffer: Buffer) => void;
}

/** Destination of the body of one response. */
export interface ResponseBody {
  /** Announces how long the body is; null when that is unknown. */
  readonly expect: (bytes: number | null) => void;
  /** Appends bytes; resolves when there is room for more. */
  readonly write: (chunk: Buffer) => Promise<void>;
  /** Resolves when the whole body is decoded, as soon as there is memory for it. */
  readonly finish: () => Promise<void>;
  /** Must be called. */
  readonly close: () => Promise<void>;
}

/** Scope of a call. */
export interface CallScope {
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** Owner of the connections that are kept: the provider's key. None is kept without it. */
  readonly owner?: string;
  /** Opens the body of the next response, which goes to that decoder. Without it, responses are kept in memory, which suits small ones. */
  readonly receive?: (decoder: BodyDecoder) => ResponseBody;
  /** Returns true for a slot whose image is already stored and needs no download, as for a resumed job. */
  readonly isStored?: (slot: number) => boolean;
  /** Milliseconds since the call was saved; absent: it is new. */
  readonly ageMs?: number;
  /** Milliseconds after which nobody asks for the results of the call any more, at most; absent: an hour. */
  readonly neededMs?: number;
  /** Trace of the call, for upstreams on the operator's own network; null where nothing is traced. */
  readonly traceparent?: string | null;
}

/** Provider of images: one folder, and one line in `provider-makers.ts`. */
export interface ImageProvider {
  readonly name: string;
  /** True for a remote service, which can be down, busy or rate-limited. */
  readonly upstream: boolean;
  /** True when a call that is cut before the id of its job is known may have been billed. */
  readonly asynchronous: boolean;
  /** True when a call is saved as a job before anything is sent: one that is cut before that cost nothing. */
  readonly recordsFirst?: boolean;
  /** True when a rate limit holds for all models of a key, not for one. */
  readonly limitsAccount?: boolean;
  /**
   * Makes one call and yields its events, each image as it arrives. Throws ProviderError for every upstream failure. The
   * scope's signal ends the call; the error thrown then is ignored.
   */
  readonly generate: (request: ProviderRequest, scope: CallScope) => AsyncGenerator<ProviderEvent, void>;
  /** Returns true for a job whose submission may have to be repeated, which needs the input images. Absent: there is none. */
  readonly isUnsent?: (job: ProviderJob) => boolean;
  /** Takes back a job that its provider says has not begun; returns false, and changes nothing, for any other one. Throws ProviderError. */
  readonly withdraw?: (
    job: ProviderJob & { readonly key: ProviderKey | null },
    scope: CallScope,
  ) => Promise<boolean>;
  /** Cancels an abandoned job; returns false when it has ended or is unknown. Throws ProviderError. */
  readonly cancel?: (
    job: ProviderJob & { readonly model: string; readonly key: ProviderKey | null },
    scope: CallScope,
  ) => Promise<boolean>;
}

/** Optional fields that a route takes, and how it chooses a quality. */
export interface RouteTerms {
  readonly accepts: Capabilities;
  /** Quality that is asked for without a preference: the priced one, else that of the route's cost; null: the upstream's own. */
  readonly quality: Quality | null;
  /** Qualities that a preference may choose: none is dearer than what the plain price was made for. */
  readonly preferredQualities: readonly Quality[];
}

/** Way to get images of a public model: a provider, its name of the model, and a key. */
export interface Candidate {
  readonly provider: ImageProvider;
  readonly model: string;
  readonly key: ProviderKey | null;
  readonly takesResolution: boolean;
  /** Pixels to request, where the route says them. */
  readonly size?: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Public model that the route belongs to. */
  readonly route?: string;
  /** Longest call in milliseconds, where the route says it. */
  readonly timeoutMs?: number;
  /** Cost of tokens, where the route says it. */
  readonly tokenCost?: TokenCost;
  readonly maxImagesPerCall: number;
  /** Maximum number of concurrent calls of this process, over all tasks. */
  readonly concurrency: number;
  /** The same over all routes of its provider; null without a limit. */
  readonly providerConcurrency?: number | null;
  /** True if repeating a call whose outcome is unknown costs nothing, as on hardware of the operator. */
  readonly repeatsUnknown?: boolean;
  /** Optional fields of the route; absent where the route is not known. */
  readonly terms?: RouteTerms;
  /** Micro-dollars per image in the provider's price list. */
  readonly listCostMicros: bigint;
}
