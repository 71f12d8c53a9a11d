import { LIMITS } from '@image-gateway/shared/contract';
import type { ParsedRequest } from '@image-gateway/shared/task';
import type { KeyCall } from '../../http/framework/call.js';
import type { BodyBudget } from '../../http/framework/json-body.js';
import type { CheckContent } from './check-content.js';
import { openRoom, type RoomDeps } from './open-room.js';
import { type EntryRules, readEntry } from './read-input-entry.js';
import { MAX_JSON_BYTES, NO_UPLOADS, type ReceivedJson, receiveJson } from './receive-json.js';
import type { RequestSpool } from './spool-upload.js';
import { type InputImage, type NamedFile, requireFiles, type StoreInputsDeps } from './store-inputs.js';

/** Dependencies of requests to `/v1` that may carry images. */
export interface ReceiveDeps extends RoomDeps, EntryRules, StoreInputsDeps {
  /** Memory for texts of bodies under way. */
  readonly bodies: BodyBudget;
  readonly checkContent: CheckContent;
}

/** Body of a request, with the images of its data URLs on disk. */
export interface ReceivedRequest extends ReceivedJson {
  /** Frees the disk space; later calls do nothing. */
  readonly close: () => Promise<void>;
}

/** A valid request whose images are known: entries of the task, and what stands for each in the fingerprint. */
export type NamedRequest = Exclude<ParsedRequest, { readonly fault: string }> & {
  readonly images: readonly InputImage[];
};

const FIELD = 'image_urls';
const FIELDS = { isImage: (name: string) => name === FIELD, hasMask: false };

/**
 * Receives a body that the route has not read, since it is large or of unknown length. A large one is judged before it is read.
 * Rejects with AppError.
 */
export async function receiveRequest(
  deps: ReceiveDeps,
  call: KeyCall,
  judge: () => Promise<void> = () => Promise.resolve(),
): Promise<ReceivedRequest> {
  if (call.body !== undefined) {
    return { body: call.body, uploads: NO_UPLOADS, close: () => Promise.resolve() };
  }
  if (Number(call.header('content-length')[0] ?? 0) > LIMITS.bodyBytes) {
    await judge();
  }
  const key = call.caller.accountId;
  const release = await deps.bodies.acquire({ key, count: LIMITS.bodyBytes });
  let room: RequestSpool | undefined;
  const close = async (): Promise<void> => room?.close();
  try {
    const received = await receiveJson(call, FIELDS, async () => {
      room ??= await openRoom(deps, call, MAX_JSON_BYTES);
      return room;
    });
    return { ...received, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    release();
  }
}

/** Names the images of a valid request. Throws FieldError for an upload that is empty or too large. */
export function nameInputs(
  rules: EntryRules,
  parsed: Exclude<ParsedRequest, { readonly fault: string }>,
  uploads: ReceivedJson['uploads'],
): NamedRequest {
  const { request, given } = parsed;
  if (request.image_urls === undefined) {
    return { ...parsed, images: [] };
  }
  const images = request.image_urls.map((url, index) =>
    readEntry(rules, { field: FIELD, place: `${FIELD}[${index}]`, url }, uploads),
  );
  return {
    request: { ...request, image_urls: images.map(({ entry }) => entry) },
    given: { ...given, image_urls: images.map(({ digest }) => digest) },
    images,
  };
}

/** Decodes the uploads of a request, and finds its files. Throws FieldError for the first in the order of the request that is no image. */
export async function checkInputs(
  deps: Pick<ReceiveDeps, 'checkContent' | 'db'>,
  { caller: { accountId }, holdOpen }: Pick<KeyCall, 'caller' | 'holdOpen'>,
  images: readonly InputImage[],
): Promise<void> {
  const files = images.flatMap(({ file }): readonly NamedFile[] => (file ? [file] : []));
  await requireFiles(deps.db, { accountId, files, isUse: false });
  if (images.every(({ upload }) => upload === undefined)) {
    return;
  }
  const signal = holdOpen();
  for (const [index, { upload }] of images.entries()) {
    if (upload) {
      const place = { field: FIELD, place: `${FIELD}[${index}]` };
      await deps.checkContent({ ...place, accountId, body: upload.body, signal });
    }
  }
}
