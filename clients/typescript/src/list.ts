import type { Page } from './types.js';

/** A list that is read page by page while it is iterated, newest first. Later items do not appear in it. */
export class List<T extends { readonly id: string; readonly created_at: string }>
  implements AsyncIterable<T>
{
  readonly #readPage: (page: number, before: string | undefined) => Promise<Page<T>>;

  /** `before` ends the pages after the first at the moment after its newest item, so that later items move nothing. */
  constructor(readPage: (page: number, before: string | undefined) => Promise<Page<T>>) {
    this.#readPage = readPage;
  }

  /** Iterates over the pages. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let before: string | undefined;
    for (let page = 1; ; page += 1) {
      const read = await this.#readPage(page, before);
      yield read;
      const newest = read.items[0]?.created_at;
      if (page === 1 && newest !== undefined) {
        before = new Date(Date.parse(newest) + 1).toISOString();
      }
      if (page >= read.pagination.total_pages || read.items.length === 0) {
        return;
      }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let former = new Set<string>();
    for await (const { items } of this.pages()) {
      // Items that came in the same millisecond as the newest one may still move others to the next page.
      yield* items.filter(({ id }) => !former.has(id));
      former = new Set(items.map(({ id }) => id));
    }
  }
}
