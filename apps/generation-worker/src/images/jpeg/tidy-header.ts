import { listSegments } from './list-segments.js';

/** Returns a JPEG without the bytes between the segments of its header. */
export function tidyHeader(bytes: Buffer): Buffer {
  const parts = [bytes.subarray(0, 2)];
  let end = 2;
  for (const segment of listSegments(bytes)) {
    parts.push(bytes.subarray(segment.start, segment.end));
    end = segment.end;
  }
  return Buffer.concat([...parts, bytes.subarray(end)]);
}
