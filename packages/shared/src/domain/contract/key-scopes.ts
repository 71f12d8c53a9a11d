/** Scopes of keys: submit, read everything of the account, delete. */
export const KEY_SCOPES = ['generate', 'read', 'delete'] as const;
/** A scope of a key. */
export type KeyScope = (typeof KEY_SCOPES)[number];
/** Scopes of a key that were not chosen. */
export const DEFAULT_KEY_SCOPES: readonly KeyScope[] = ['generate', 'read'];

/** Hours for which a key that is being replaced may keep working. */
export const KEY_GRACE_HOURS = [0, 1, 24, 168, 720] as const;

/** Id in place of an API key on tasks that were submitted in the playground; no key has it. */
export const PLAYGROUND_KEY_ID = 'key_playground';
