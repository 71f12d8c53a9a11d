import { newId } from '@image-gateway/shared/ids';
import type { ObjectStore } from '@image-gateway/shared/storage';

const PICTURE = Buffer.alloc(353, 1);

/** Puts a picture of the size of the sandbox's prepared one, under a key of its own. */
export async function putPicture(store: ObjectStore): Promise<void> {
  const options = { contentType: 'image/png' as const, metadata: { slot: '0' } };
  await store.put(`images/${newId('gen')}/0.png`, PICTURE, options);
}
