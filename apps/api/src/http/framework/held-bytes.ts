import { getHeapStatistics } from 'node:v8';

const MAX_HELD_BYTES = 128 * 1024 * 1024;

/** Memory for bytes of clients that are under way in a process, in each direction: a quarter of its heap, at most 128 MiB. */
export const HELD_BYTES: number = Math.min(
  MAX_HELD_BYTES,
  Math.floor(getHeapStatistics().heap_size_limit / 4),
);
