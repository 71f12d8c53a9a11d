import { IMAGES_PREFIX, parseImageKey } from '@image-gateway/shared/ids';

/** A picture of this gateway that a URL names; `key` is null when there can be no such picture. */
export interface OwnResult {
  readonly taskId: string;
  readonly key: string | null;
}

/** Recognises a result URL of this gateway, `{fileUrl}/images/…`; null for every other URL. Query and fragment do not matter. */
export function parseOwnResultUrl(url: string, fileUrl: string): OwnResult | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  const base = new URL(fileUrl);
  const prefix = `${base.pathname.replace(/\/+$/, '')}/`;
  if (origin !== base.origin || !pathname.startsWith(`${prefix}${IMAGES_PREFIX}`)) return null;
  const key = pathname.slice(prefix.length);
  const taskId = parseImageKey(key)?.taskId;
  return taskId === undefined ? { taskId: '', key: null } : { taskId, key };
}
