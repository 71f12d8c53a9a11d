import type { ImageStore } from '../images/create-image-store.js';
import type { Behaviour } from './behaviour.js';
import type { StubResponse } from './stub-response.js';

/**
 * Builds the response of a download: the image, or 404 when there is none or it is to be gone. The behaviour is that of
 * the download itself.
 */
export async function buildDownload(
  path: string,
  images: ImageStore,
  behaviour: Behaviour,
): Promise<StubResponse> {
  const found = images.kept(path);
  const kept = found === null || behaviour.mode === 'ok' ? found : { ...found, behaviour };
  if (kept === null || kept.behaviour.mode === 'output-gone') {
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: Buffer.from('Not Found') };
  }
  return {
    status: 200,
    headers: { 'content-type': `image/${kept.format}`, 'cache-control': 'public, max-age=31536000' },
    body: await images.draw(kept),
  };
}
