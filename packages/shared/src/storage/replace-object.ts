import type { BucketDependencies } from './bucket-dependencies.js';
import type { PutOptions } from './object-store.js';
import { sendObject } from './send-object.js';

/** Stores an object whatever is there. */
export async function replaceObject(
  deps: BucketDependencies,
  key: string,
  body: Buffer,
  options: PutOptions,
): Promise<void> {
  await sendObject(deps, `replace ${key}`, key, body, options, {});
}
