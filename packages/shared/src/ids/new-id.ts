import { randomBase62 } from './random-base62.js';

/** What an id can name: task, API key, account, webhook delivery, ledger transfer, usage record, provider call, user, request, audit entry. */
export type IdPrefix = 'gen' | 'key' | 'acc' | 'msg' | 'led' | 'use' | 'call' | 'usr' | 'req' | 'aud';

/** Makes an id such as `gen_…`: the prefix and 22 base-62 characters that carry 128 random bits. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBase62(128)}`;
}
