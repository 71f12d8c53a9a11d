import type { InferInput } from '@image-gateway/shared/schema';
import type { galleryQuery } from '@image-gateway/shared/task/schema';

type GalleryQuery = InferInput<typeof galleryQuery>;

/** Filters of the gallery, as its address shows them. */
export type GallerySearch = Omit<GalleryQuery, 'before'>;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Reads the filters of the address, without invalid ones. */
export function readGallerySearch(search: Readonly<Record<string, unknown>>): GallerySearch {
  const { model, type, from, to } = search;
  return {
    ...(typeof model === 'string' && model !== '' && { model }),
    ...((type === 'image_generate' || type === 'image_edit') && { type }),
    ...(typeof from === 'string' && DAY.test(from) && { from }),
    ...(typeof to === 'string' && DAY.test(to) && { to }),
  };
}
