/** A picture of this gateway that a URL names; `key` is null when there can be no such picture. */
export interface OwnResult {
  readonly taskId: string;
  readonly key: string | null;
}

const KEY = /^images\/(gen_[0-9A-Za-z]{22,64})\/\d{1,3}\.(?:png|jpg|jpeg|webp)$/;

/** Recognises a result URL of this gateway, `{fileUrl}/images/…`; null for every other URL. Query and fragment do not matter. */
export function ownResultOf(url: string, fileUrl: string): OwnResult | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  const base = new URL(fileUrl);
  const prefix = `${base.pathname.replace(/\/+$/, '')}/`;
  if (origin !== base.origin || !pathname.startsWith(`${prefix}images/`)) return null;
  const key = pathname.slice(prefix.length);
  const taskId = KEY.exec(key)?.[1];
  return taskId === undefined ? { taskId: '', key: null } : { taskId, key };
}
