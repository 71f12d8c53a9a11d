import type { TaskOutput } from '../generated/client.js';

/**
 * Stored image of a task. `index` is its position in the result, in the order of storing; `slot` is which of the asked images it
 * is, the unit in which calls are counted; `sha256` of the stored bytes in hexadecimal.
 */
export type OutputRow = Readonly<
  Pick<TaskOutput, 'index' | 'slot' | 'key' | 'contentType' | 'bytes' | 'width' | 'height' | 'sha256'>
>;
