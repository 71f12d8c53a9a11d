import { buildPagination, ok, type PageQuery } from '@image-gateway/shared/contract';
import type { Reply } from './framework/call.js';

/** Where a page lies in its list. */
export function toSlice({ page, per_page }: PageQuery): { readonly limit: number; readonly offset: bigint } {
  return { limit: per_page, offset: BigInt(page - 1) * BigInt(per_page) };
}

/** Writes a page of a list as an answer. */
export function pageReply({ page, per_page }: PageQuery, items: readonly unknown[], total: number): Reply {
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    json: ok({ items, pagination: buildPagination(page, per_page, total) }),
  };
}
