import type { KeyLimitsBody, KeyLimitsView } from '../key-limits.js';

/** Hours for which a key that is being replaced may keep working. */
export const KEY_GRACE_HOURS = [0, 1, 24, 168, 720] as const;

/** Id in place of an API key on tasks that were submitted in the playground; no key has it. */
export const PLAYGROUND_KEY_ID = 'key_playground';

/** API key in the list of its account. */
export interface KeyItem extends KeyLimitsView {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** Id of the key that replaced it by a rotation. */
  readonly replaced_by: string | null;
}

/** New API key; `key` is shown once. */
export interface NewKeyView {
  readonly id: string;
  readonly prefix: string;
  readonly key: string;
}

/** Body that creates a key. */
export interface CreateKeyBody {
  readonly name?: string;
  readonly expires_at?: string | null;
  readonly limits?: KeyLimitsBody;
}

/** Body that replaces a key. */
export interface RotateKeyBody {
  readonly grace_hours: (typeof KEY_GRACE_HOURS)[number];
}
