import type { PageQuery } from './queries.js';

/** Where a page stands in its list. */
export interface Pagination {
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
  /** 0 for an empty list. */
  readonly total_pages: number;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly pagination: Pagination;
}

/** Computes the pagination of a page from the number of all rows. */
export function buildPagination(page: number, perPage: number, total: number): Pagination {
  return { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
}

/** Returns the rows of a list that a page shows. */
export function toSlice({ page, per_page }: PageQuery): { readonly limit: number; readonly offset: bigint } {
  return { limit: per_page, offset: BigInt(page - 1) * BigInt(per_page) };
}
