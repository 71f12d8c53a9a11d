import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { FullTaskRow } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import type { PublicTask } from '@image-gateway/shared/task/schema';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { ReadObject } from '../file/create-object-reader.js';
import type { KeyCall } from '../http/framework/call.js';

/** Longest wait of a tool for the end of a task, in seconds. Most clients give a call 60 s. */
export const WAIT_SECONDS = 50;

/**
 * Bytes of a whole message. The official Python SDK takes events of at most 1,048,576 bytes, and an agent that loses one has
 * paid for nothing.
 */
const MAX_MESSAGE_BYTES = 900_000;
/** Bytes of what the protocol adds to a result: the id of the request, a stamp of the server, the frame of the event. */
const FRAME_BYTES = 10_000;
/** Results with image content that are in memory at a time; further ones have links only. */
const CONTENT_PLACES = 8;
const PLACE_WAIT_MS = 5_000;

/** Dependencies of showing tasks. */
export interface ShowTaskDeps {
  readonly findFullTask: (id: string, accountId: string) => Promise<FullTaskRow | null>;
  readonly readObject: ReadObject;
}

/** Shows a task as the result of a tool. */
export type ShowTask = (call: KeyCall, task: PublicTask) => Promise<CallToolResult>;

type StoredImage = FullTaskRow['images'][number];

/** Returns the result of a tool: an object, and the same as text for clients that read only that. */
export function showObject(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value } };
}

/** Creates the function that shows tasks: their images as links, and as content as far as they are small. */
export function createTaskView({ findFullTask, readObject }: ShowTaskDeps): ShowTask {
  const places = createSemaphore({
    permits: CONTENT_PLACES,
    leavesRoom: 1,
    timeout: { ms: PLACE_WAIT_MS, createError: () => new AppError('SERVICE_UNAVAILABLE') },
  });

  const readImage = async (accountId: string, image: StoredImage): Promise<ContentBlock | null> => {
    const { key, bytes, contentType } = image;
    const body = await readObject({ key, start: 0, end: bytes - 1, address: accountId });
    if (!body) {
      return null;
    }
    const chunks = await body.toArray();
    const data = Buffer.concat(chunks as Buffer[]).toString('base64');
    return { type: 'image', data, mimeType: contentType };
  };

  const readImages = async (call: KeyCall, images: readonly StoredImage[]): Promise<ContentBlock[]> => {
    const { accountId } = call.caller;
    const closed = call.holdOpen();
    const release = await places.acquire({ key: accountId, signal: closed });
    if (closed.aborted) {
      release();
      return [];
    }
    closed.addEventListener('abort', release, { once: true });
    const blocks: ContentBlock[] = [];
    for (const image of images) {
      const block = await readImage(accountId, image);
      blocks.push(...(block ? [block] : []));
    }
    return blocks;
  };

  return async (call, task) => {
    if (task.status === 'pending') {
      const next =
        `The task goes on. Call get_task with task_id "${task.id}", which waits up to ${WAIT_SECONDS} s for the end. Do not ` +
        'submit it again.';
      return showObject({ ...task, next });
    }
    const shown = showObject(task);
    if (task.status === 'failed') {
      return { ...shown, isError: true };
    }
    const full = await findFullTask(task.id, call.caller.accountId);
    const linked = { ...shown, content: [...shown.content, ...linkImages(call, task)] };
    const small = selectSmall(full?.images ?? [], Buffer.byteLength(JSON.stringify(linked)));
    // Where there is no room, or the store does not answer, the links are enough.
    const images = small.length === 0 ? [] : await readImages(call, small).catch(() => []);
    return { ...linked, content: [...linked.content, ...images] };
  };
}

/** Selects the images that fit in a message beside the bytes of its other content. */
function selectSmall(images: readonly StoredImage[], otherBytes: number): readonly StoredImage[] {
  let left = MAX_MESSAGE_BYTES - FRAME_BYTES - otherBytes;
  return images.filter((image) => {
    const bytes = countBlockBytes(image);
    const isSmall = bytes <= left;
    left -= isSmall ? bytes : 0;
    return isSmall;
  });
}

/** Counts the bytes of an image as content, which has its bytes in base64. */
function countBlockBytes({ bytes, contentType }: StoredImage): number {
  const block: ContentBlock = { type: 'image', data: '', mimeType: contentType };
  return JSON.stringify(block).length + 1 + 4 * Math.ceil(bytes / 3);
}

/** Returns links to the images. Clients that name no version of the protocol are older than links; they read the addresses in the text. */
function linkImages(call: KeyCall, { output }: PublicTask): ContentBlock[] {
  if (call.header('mcp-protocol-version').length === 0) {
    return [];
  }
  return (output?.urls ?? []).map((uri) => ({
    type: 'resource_link',
    uri,
    name: uri.slice(uri.lastIndexOf('/') + 1),
  }));
}
