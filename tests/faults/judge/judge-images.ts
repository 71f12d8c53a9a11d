import { createHash } from 'node:crypto';
import { callHttp } from '../load/http-client.js';
import type { TaskHistory } from './read-history.js';
import type { ToldTask } from './read-told.js';

const AT_A_TIME = 12;

/** Fetches at most `most` images of completed tasks: each must exist with the bytes that were stored. */
export async function judgeImages(
  history: readonly TaskHistory[],
  told: ReadonlyMap<string, ToldTask>,
  most: number,
): Promise<string[]> {
  const faults: string[] = [];
  const wanted = history.flatMap(({ id, status, outputs }) => {
    const { url, urls } = told.get(id)?.output ?? {};
    const all = urls ?? (url === undefined ? [] : [url]);
    if (status === 'completed' && all.length !== outputs.length) {
      faults.push(`task ${id} names ${all.length} of ${outputs.length} images`);
    }
    return status === 'completed'
      ? outputs.map(({ sha256 }, index) => ({ id, sha256, url: all[index] ?? '' }))
      : [];
  });
  // Evenly over all, so that late images are checked as often as early ones.
  const step = Math.max(1, Math.ceil(wanted.length / most));
  const chosen = wanted.filter((_, index) => index % step === 0);
  const fetchNext = async (): Promise<void> => {
    for (let next = chosen.pop(); next !== undefined; next = chosen.pop()) {
      const { status, body } = await callHttp({ url: next.url });
      const sha256 = createHash('sha256').update(body).digest('hex');
      if (status !== 200) {
        faults.push(`image ${next.url} of ${next.id} answers ${status}`);
      } else if (sha256 !== next.sha256) {
        faults.push(`image ${next.url} of ${next.id} is not what was stored`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, fetchNext));
  return faults;
}
