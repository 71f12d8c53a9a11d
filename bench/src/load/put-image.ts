import { newId } from '@image-gateway/shared/ids';
import type { ObjectStore } from '@image-gateway/shared/storage';

const IMAGE = Buffer.alloc(353, 1);

/** Puts an image of the size of the sandbox's prepared one, under a new key. */
export async function putImage(store: ObjectStore): Promise<void> {
  const options = { contentType: 'image/png' as const, metadata: { slot: '0' } };
  await store.put(`images/${newId('gen')}/0.png`, IMAGE, options);
}
