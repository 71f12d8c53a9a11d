import type { TaskOutput } from '../generated/client.js';

/**
 * Stored image of a task. Its `index` is the position in the result, in the order of storing. Its `slot` is the number
 * of the requested image, the unit in which calls are counted. The `sha256` is that of the stored bytes in hexadecimal.
 */
export type OutputRow = Readonly<
  Pick<TaskOutput, 'index' | 'slot' | 'key' | 'contentType' | 'bytes' | 'width' | 'height' | 'sha256'>
>;
