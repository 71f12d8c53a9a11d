import { type AspectRatio, type Quality, RESOLUTIONS, type Resolution } from '../contract/index.js';
import type { Capabilities, OptionalName } from './capabilities.js';
import type { TaskSettings } from './task-settings.js';

const SECOND_MS = 1_000;
const MAX_YEAR = 9_999;

/** Route of a catalog as far as its protocol is concerned. */
export interface ProtocolRoute {
  readonly model: string;
  readonly types: readonly string[];
  readonly maxInputs: number;
  /** Null: what the protocol takes. */
  readonly maxImagesPerCall: number | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly resolution: 'sent' | 'fixed';
  /** Pixels to request. */
  readonly sizes: Readonly<Partial<Record<AspectRatio, Readonly<Partial<Record<Resolution, string>>>>>>;
  /** Settings of the task API that it leads to; absent for other protocols. */
  readonly task?: TaskSettings | null;
}

/** Fault of a route, with the path of the field below the route. */
export interface RouteFault {
  readonly field: string;
  readonly message: string;
}

/** Request for a token. */
export interface TokenRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True for the metadata server of the machine, which no other request reaches. */
  readonly isMachine?: true;
}

/** Prepares a request for a token, with the token of the request before it. Throws Error for a key that names no account. */
export type TokenStep = (former: string | null) => Promise<TokenRequest>;

/** All that API and workers know of a protocol and of its public provider; the adapter of the worker knows the rest. */
export interface UpstreamDescription {
  /** Begins the names of its settings, such as `FAL_API_KEY`; null for a protocol of instances only, which has no public address. */
  readonly envPrefix: string | null;
  /** Its public address, without the path of its API. */
  readonly baseUrl: string | null;
  /** Prefix of every path of its API. */
  readonly apiPath: string;
  /** Hosts beside the base URL's own that results may be downloaded from; `*.x` means every name below x, `*` every host. */
  readonly resultHosts: readonly string[];
  /** The headers that carry a key. */
  readonly authorize: (secret: string) => Readonly<Record<string, string>>;
  /**
   * Returns the requests that exchange a key for a token, which then goes as `Authorization: Bearer`; null for a key that is
   * sent itself.
   */
  readonly createTokenSteps?: (secret: string) => readonly TokenStep[] | null;
  /**
   * Returns why a key can't be used, without a word of it; null for one that may be tried. Absent: the protocol takes any text
   * that is no key file.
   */
  readonly findOwnKeyFault?: (secret: string) => string | null;
  /** Images that one call can ask for, where the route says nothing else. */
  readonly maxImagesPerCall: number;
  /** A path whose GET costs nothing and is refused with 401 or 403 when the key is not good. */
  readonly checkPath: string;
  /** JSON that goes to `checkPath` by POST, where no GET tells. */
  readonly checkBody?: object;
  /** Returns true for another response to it that refuses the key. */
  readonly isRefusal?: (status: number, body: Buffer) => boolean;
  /** True where `checkPath` names a job that does not exist: 404 says that the key is good. */
  readonly checksMissingJob?: boolean;
  /** A path whose GET lists the models that are offered, where that of `checkPath` does not. */
  readonly modelsPath?: string;
  /** Returns the models that a response lists; none for a response without a whole list. Absent: the protocol has no such list. */
  readonly listModels?: (body: unknown) => readonly string[];
  /** Returns the models of the same response whose end it states; absent: such a list states none. */
  readonly listEnds?: (body: unknown) => readonly ModelEnd[];
  /** Where an operator gets a key. */
  readonly keysAt: string;
  /** Returns the optional fields that a route takes where neither the document nor the built-in entry of its model says more. */
  readonly accepts: (options: ProtocolRoute['options']) => Capabilities;
  /** Optional fields that the adapter can send on a route, whatever a document says; absent: all. */
  readonly sends?: (route: ProtocolRoute) => readonly OptionalName[];
  /** True where the vendor may rewrite prompts, and the option `prompt_rewriting` of a route lets it. */
  readonly switchesRewriting?: true;
  /** Quality that the adapter asks for without a preference; null: none, and the upstream draws at its own. */
  readonly defaultQuality: Quality | null;
  /** Returns what is wrong with the options of a route, by field; absent: the protocol takes any. */
  readonly checkRoute?: (route: ProtocolRoute) => readonly RouteFault[];
  /** Resolutions that a model has, where no route says pixels of its own; absent: all. */
  readonly listResolutions?: (model: string) => readonly Resolution[];
  /** Returns what is wrong with an address, without a word of it; null for one that may be right. */
  readonly checkAddress?: (address: string) => string | null;
}

const FIRST_NANO_BANANA =
  /(^|\/)(gemini-2\.5-flash-image|gemini-25-flash-image|nano-banana)(-preview)?(\/edit)?$/;

/** Lists the resolutions of Google's image models, under the names that vendors give them: the first one has no choice of size. */
export function listGoogleResolutions(model: string): readonly Resolution[] {
  return FIRST_NANO_BANANA.test(model) ? ['1k'] : RESOLUTIONS;
}

/** End of a model as the list of its vendor states it. */
export interface ModelEnd {
  readonly model: string;
  /** Such as `2026-12-01`. */
  readonly on: string;
}

/** Returns the header of a key as most APIs take it. */
export const bearer = (secret: string): { readonly authorization: string } => ({
  authorization: `Bearer ${secret}`,
});

/** Returns the texts that a list in a response has in one field of its entries, such as `data[].id`. */
export function readNames(body: unknown, list: string, field: string): string[] {
  return readEntries(body, list).flatMap(({ [field]: name }) => (typeof name === 'string' ? [name] : []));
}

/** Returns the ends in `data[]`, which are texts that begin with a day, or seconds since 1970; other values state no end. */
export function readEnds(
  body: unknown,
  readEnd: (entry: Readonly<Record<string, unknown>>) => unknown,
): ModelEnd[] {
  return readEntries(body, 'data').flatMap((entry) => {
    const on = toDay(readEnd(entry));
    return typeof entry.id === 'string' && on !== null ? [{ model: entry.id, on }] : [];
  });
}

function toDay(end: unknown): string | null {
  const text = typeof end === 'string' ? /^\d{4}-\d\d-\d\d/.exec(end)?.[0] : undefined;
  const date = new Date(typeof end === 'number' ? end * SECOND_MS : (text ?? Number.NaN));
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > MAX_YEAR
    ? null
    : date.toISOString().slice(0, 10);
}

function readEntries(body: unknown, list: string): Readonly<Record<string, unknown>>[] {
  const entries = isObject(body) ? body[list] : undefined;
  return (Array.isArray(entries) ? entries : []).filter(isObject);
}

/** Returns true for an object that is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
