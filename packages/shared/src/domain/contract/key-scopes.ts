/** Scopes of keys: submit, read everything of the account, delete. */
export const KEY_SCOPES = ['generate', 'read', 'delete'] as const;
/** A scope of a key. */
export type KeyScope = (typeof KEY_SCOPES)[number];
/** Scopes of a key that were not chosen. */
export const DEFAULT_KEY_SCOPES: readonly KeyScope[] = ['generate', 'read'];
