/** The providers that the stub speaks for. */
export const STUB_PROVIDERS = [
  'gemini',
  'fal',
  'replicate',
  'openai',
  'openrouter',
  'vertex',
  'azure-openai',
  'bfl',
  'dashscope',
  'sdapi',
  'comfyui',
  'task',
] as const;

/** One of them. */
export type StubProvider = (typeof STUB_PROVIDERS)[number];

/** Purposes of a call. */
export const CALL_KINDS = ['submit', 'poll', 'result', 'download', 'cancel', 'check'] as const;

/** One of those purposes. */
export type CallKind = (typeof CALL_KINDS)[number];

/** Answers in the provider's own words that cost nothing and make nothing. */
export const REFUSALS = [
  'overload',
  'rate-limit',
  'quota',
  'auth',
  'billing',
  'model-gone',
  'geo',
  'server-error',
  'timeout',
] as const;

/** Outcomes for the images; with asynchronous providers they belong to the job, not to the call. */
export const OUTCOMES = [
  'moderation',
  'invalid-input',
  'no-image',
  'broken-image',
  'bomb',
  'invalid-base64',
  'fewer-images',
] as const;

/** Outcomes that only jobs have: they never end, are forgotten, or lose their images. */
export const JOB_OUTCOMES = ['endless-job', 'job-lost', 'output-gone'] as const;

/**
 * Faults between two machines:
 * - `down` resets the connection before anything is done.
 * - After the work was done and billed, `hang` never responds, `lost-answer` resets, and `truncated` ends in the
 *   middle.
 * - After it, too, `drip` sends a byte a second, and `huge` sends 200 MB.
 * - The modes `html`, `empty` and `redirect` respond so instead of doing anything.
 */
export const WIRE_FAULTS = [
  'down',
  'slow',
  'hang',
  'lost-answer',
  'truncated',
  'drip',
  'huge',
  'html',
  'empty',
  'redirect',
] as const;

/** Everything that the stub can do. */
export const STUB_MODES = ['ok', ...REFUSALS, ...OUTCOMES, ...JOB_OUTCOMES, ...WIRE_FAULTS] as const;

/** One of those. */
export type StubMode = (typeof STUB_MODES)[number];

/** A refusal. */
export type Refusal = (typeof REFUSALS)[number];

/** Behaviour of a provider towards matching calls; all other calls succeed. */
export interface Behaviour {
  readonly mode: StubMode;
  /** Kinds of calls; unless given, those for images, and downloads for what happens to files. */
  readonly on?: readonly CallKind[];
  readonly keys?: readonly string[];
  readonly models?: readonly string[];
  /** Stands in the prompt. */
  readonly prompt?: string;
  /** For so many calls only. */
  readonly times?: number;
  /** For that share of the calls, drawn by the seed. */
  readonly percent?: number;
  /** Before the answer, in milliseconds. */
  readonly latencyMs?: number;
  /** How long a job takes, in milliseconds. */
  readonly jobMs?: number;
  /** How long a job waits before it begins, where the provider tells, in milliseconds. */
  readonly queuedMs?: number;
  /** For `rate-limit` and `overload`, in seconds. */
  readonly retryAfterS?: number;
  /** ComfyUI draws the ids of workflows itself, as servers of earlier years do, and ignores those of submissions. */
  readonly ownIds?: boolean;
  /** For `fewer-images`; one less than requested unless given. */
  readonly images?: number;
  /** ImageStore as large as the real ones, instead of small ones of the same shape. */
  readonly fullSize?: boolean;
  /** ImageStore of noise, which nothing compresses: with `fullSize` more than 2 MB for each megapixel. */
  readonly noise?: boolean;
}
