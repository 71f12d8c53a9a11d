import { asRecord } from '../record-of.js';

/** The addresses of the pictures in a result, which may be data URLs: empty when there is none, null when the result makes no sense. */
export function imagesOf(result: unknown): readonly string[] | null {
  const images = asRecord(result)?.images;
  if (!Array.isArray(images)) return null;
  const urls = images.flatMap((image: unknown) => {
    const url = asRecord(image)?.url;
    return typeof url === 'string' && url !== '' ? [url] : [];
  });
  return urls.length === 0 && images.length > 0 ? null : urls;
}
