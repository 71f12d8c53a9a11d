import { mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { moveFile } from './create-file-store.js';

test('a file is moved to its place while its empty folder is removed again and again', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'move-into-'));
  const folder = path.join(root, 'deep', 'folder');
  const done = new AbortController();
  const tidying = (async () => {
    while (!done.signal.aborted) {
      await rmdir(folder).catch((error: NodeJS.ErrnoException) => error.code);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  try {
    for (let i = 0; i < 300; i += 1) {
      await writeFile(path.join(root, 'from'), String(i));
      await moveFile(path.join(folder, 'to'), path.join(root, 'from'));
      expect(await readFile(path.join(folder, 'to'), 'utf8')).toBe(String(i));
      await rm(path.join(folder, 'to'));
    }
  } finally {
    done.abort();
    await tidying;
  }
  await rm(root, { recursive: true });
});
