import type { Behaviour } from './behaviour.js';
import type { Pictures } from './create-pictures.js';
import type { StubAnswer } from './stub-answer.js';

/** A picture under an address of the stub, 404 when there is none or it is to be gone; the behaviour is the one of the download itself. */
export async function answerDownload(
  path: string,
  pictures: Pictures,
  behaviour: Behaviour,
): Promise<StubAnswer> {
  const found = pictures.kept(path);
  const kept = found === null || behaviour.mode === 'ok' ? found : { ...found, behaviour };
  if (kept === null || kept.behaviour.mode === 'output-gone') {
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: Buffer.from('Not Found') };
  }
  return {
    status: 200,
    headers: { 'content-type': `image/${kept.format}`, 'cache-control': 'public, max-age=31536000' },
    body: await pictures.draw(kept),
  };
}
