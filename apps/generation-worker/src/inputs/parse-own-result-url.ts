import { IMAGES_PREFIX, parseImageKey } from '@image-gateway/shared/ids';

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
