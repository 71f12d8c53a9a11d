/** An API key as its owner sees it; the key itself is shown once, when it is made. */
export interface KeyItem {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** A key that was just made. */
export interface NewKeyView {
  readonly id: string;
  readonly prefix: string;
  /** Shown this once. */
  readonly key: string;
}

/** How long, in hours, a key that is being replaced may go on working. */
export const KEY_GRACE_HOURS = [0, 1, 24, 168, 720] as const;
