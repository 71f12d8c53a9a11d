import type { KeyScope } from '../key-scopes.js';

/** Hours for which a key that is being replaced may keep working. */
export const KEY_GRACE_HOURS = [0, 1, 24, 168, 720] as const;

/** Id in place of an API key on tasks that were submitted in the playground; no key has it. */
export const PLAYGROUND_KEY_ID = 'key_playground';

/** Cap of a key and how much of it is used, in dollars. */
export interface KeyCapView {
  readonly limit: string;
  readonly used: string;
}

/** Limits of a key; empty lists and absent caps limit nothing. */
export interface KeyLimitsView {
  readonly models: readonly string[];
  readonly scopes: readonly KeyScope[];
  readonly allowed_cidrs: readonly string[];
  /** Caps of a day and a month in UTC, and of the key's whole life. */
  readonly caps: Readonly<Partial<Record<'day' | 'month' | 'total', KeyCapView>>> & {
    /** Daily cap that each value of a key of metadata has for itself. */
    readonly day_per?: { readonly key: string; readonly limit: string };
  };
  /** True if equal requests to the OpenAI-compatible facade share the task under way. */
  readonly join_equal: boolean;
}

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

/** Body that sets limits of a key; absent ones stay as they are. Empty lists and null caps limit nothing. */
export interface KeyLimitsBody {
  readonly models?: readonly string[];
  readonly scopes?: readonly KeyScope[];
  readonly allowed_cidrs?: readonly string[];
  /** Dollars such as `5.00`. */
  readonly cap_day?: string | null;
  readonly cap_month?: string | null;
  readonly cap_total?: string | null;
  /** Such as `user=0.50`. */
  readonly cap_day_per?: string | null;
  readonly join_equal?: boolean;
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
