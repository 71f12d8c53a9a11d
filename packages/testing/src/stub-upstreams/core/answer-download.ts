import type { Pictures } from './create-pictures.js';
import type { StubAnswer } from './protocol.js';

/** A picture under an address of the stub, 404 when there is none or it is to be gone. */
export async function answerDownload(path: string, pictures: Pictures): Promise<StubAnswer> {
  const kept = pictures.kept(path);
  if (kept === null || kept.behaviour.mode === 'output-gone') {
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: Buffer.from('Not Found') };
  }
  return {
    status: 200,
    headers: { 'content-type': `image/${kept.format}`, 'cache-control': 'public, max-age=31536000' },
    body: await pictures.draw(kept),
  };
}
