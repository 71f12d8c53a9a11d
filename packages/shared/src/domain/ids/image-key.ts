import { isId } from './id.js';

/** Prefix of the keys of all images in the object store. */
export const IMAGES_PREFIX = 'images/';

const KEY = /^images\/([^/]+)\/(?:0|[1-9]\d{0,2})\.[a-z]{3,4}$/;

/** Returns the key of an image in the object store, `images/<task>/<index>.<extension>`, which is the path of its URL too. */
export function imageKey(taskId: string, index: number, extension: string): string {
  return `${taskPrefix(taskId)}${index}.${extension}`;
}

/** Returns the prefix of the keys of all images of a task. */
export function taskPrefix(taskId: string): string {
  return `${IMAGES_PREFIX}${taskId}/`;
}

/** Parses the key of an image; null for anything that cannot be one. */
export function parseImageKey(key: string): { readonly taskId: string } | null {
  const taskId = KEY.exec(key)?.[1];
  return taskId !== undefined && isId('gen', taskId) ? { taskId } : null;
}

/** Image of this gateway behind a URL; `key` is null when no such image can exist. */
export interface OwnResult {
  readonly taskId: string;
  readonly key: string | null;
}

/** Parses a result URL of this gateway, `{fileUrl}/images/…`; null for every other URL. Query and fragment do not matter. */
export function parseOwnResultUrl(url: string, fileUrl: string): OwnResult | null {
  if (!URL.canParse(url)) {
    return null;
  }
  const { origin, pathname } = new URL(url);
  const base = new URL(fileUrl);
  const prefix = `${base.pathname.replace(/\/+$/, '')}/`;
  if (origin !== base.origin || !pathname.startsWith(`${prefix}${IMAGES_PREFIX}`)) {
    return null;
  }
  const key = pathname.slice(prefix.length);
  const taskId = parseImageKey(key)?.taskId;
  return taskId === undefined ? { taskId: '', key: null } : { taskId, key };
}
