import { hash } from 'node:crypto';
import type { Semaphore } from '@image-gateway/shared/concurrency';
import { LIMITS } from '@image-gateway/shared/contract';
import { urlRule } from '@image-gateway/shared/validation';
import type { KeyCall } from '../../http/framework/call.js';
import { FacadeError, invalidField } from '../errors/facade-error.js';
import { checkSize } from './receive-form.js';
import { type SpoolDeps, type SpooledUpload, spoolUpload } from './spool-upload.js';
import { type StoredInput, type StoreInputDeps, storeInput } from './store-input.js';

/** Dependencies of receiving JSON. */
export interface JsonDeps extends StoreInputDeps, SpoolDeps {
  /** Semaphore with one permit for each byte of memory that bodies of the process may take. */
  readonly bodyBytes: Pick<Semaphore, 'acquire'>;
  /** Returns true for a URL that may be fetched for an input image. */
  readonly isAllowedImageUrl: (url: string) => boolean;
}

/** JSON body with its images stored. */
export interface ReceivedJson {
  readonly body: unknown;
  readonly images: readonly StoredInput[];
}

const MAX_BYTES = 16 * 1024 * 1024;
/** Share of memory beside the body itself: its text, and the bytes of one image. */
const COPIES = 3;
const DATA_URL = /^data:[^,]{0,200};base64,/i;

/**
 * Receives a JSON body whose images are URLs or data URLs. It is read into memory when it is whole, so that a slow client holds none.
 * Throws AppError.
 */
export async function receiveJson(deps: JsonDeps, call: KeyCall): Promise<ReceivedJson> {
  if (Number(call.header('content-length')[0] ?? 0) > MAX_BYTES) {
    throw tooLarge();
  }
  const source = readSource(call);
  return spoolUpload(
    deps,
    call,
    { source, maxBytes: MAX_BYTES, createTooLarge: tooLarge },
    async (upload) => {
      const { accountId } = call.caller;
      const release = await deps.bodyBytes.acquire({ key: accountId, count: upload.bytes * COPIES });
      try {
        const body = await parseBody(upload);
        const images: StoredInput[] = [];
        for (const [index, url] of listImages(body).entries()) {
          images.push(await receiveImage(deps, call, { url, index }));
        }
        return { body, images };
      } finally {
        release();
      }
    },
  );
}

/** Yields the body as it arrives; a connection that breaks is an error of the request. */
async function* readSource({ source }: KeyCall): AsyncGenerator<unknown> {
  try {
    yield* source;
  } catch {
    throw invalidJson();
  }
}

async function parseBody({ readAll }: SpooledUpload): Promise<unknown> {
  const bytes = await readAll();
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidJson();
  }
}

/** Lists the URLs of `images`, or of `image`: texts, or objects with `image_url`. */
function listImages(body: unknown): string[] {
  const { images, image } = (body ?? {}) as { readonly images?: unknown; readonly image?: unknown };
  const given = images ?? image ?? [];
  return (Array.isArray(given) ? given : [given]).map((entry: unknown, index) => {
    const { image_url: url } = (
      typeof entry === 'object' && entry !== null ? entry : { image_url: entry }
    ) as {
      readonly image_url?: unknown;
    };
    if (typeof url !== 'string') {
      throw invalidField('images', `images[${index}] must be an object with image_url: a URL or a data URL.`);
    }
    return url;
  });
}

async function receiveImage(
  deps: JsonDeps,
  { caller: { accountId } }: KeyCall,
  { url, index }: { readonly url: string; readonly index: number },
): Promise<StoredInput> {
  const [prefix] = DATA_URL.exec(url) ?? [];
  if (prefix !== undefined) {
    const bytes = Buffer.from(url.slice(prefix.length), 'base64');
    checkSize(bytes.length, index);
    return storeInput(deps, { accountId, body: bytes, sha256: hash('sha256', bytes) });
  }
  if (!urlRule({ max: LIMITS.imageUrlCharacters, isAllowed: deps.isAllowedImageUrl }).test(url)) {
    throw invalidField(
      'images',
      `images[${index}].image_url must be an http or https URL of the public Internet, or a data URL in base64.`,
    );
  }
  return { id: null, entry: url, digest: url };
}

function invalidJson(): FacadeError {
  return new FacadeError('BAD_REQUEST', { publicMessage: 'The body is not valid JSON.' });
}

function tooLarge(): FacadeError {
  return new FacadeError('BAD_REQUEST', { publicMessage: 'The body is larger than 16 MiB.' });
}
