import { ASPECT_RATIOS, NATIVE_SIZES, OPENAI_SIZES, RESOLUTIONS } from '@image-gateway/shared/contract';
import { describe, expect, test } from '@jest/globals';
import { computeSize } from './compute-size.js';

const cases = [OPENAI_SIZES, NATIVE_SIZES].flatMap((sizes) =>
  ASPECT_RATIOS.flatMap((aspectRatio) =>
    RESOLUTIONS.map((resolution) => [aspectRatio, resolution, sizes] as const),
  ),
);

describe('the size of a ratio', () => {
  test.each(cases)(
    'has no more pixels than 16:9, and its shape: %s at %s',
    (aspectRatio, resolution, sizes) => {
      const [long, short] = sizes[resolution];
      const [width, height] = computeSize(sizes, { aspectRatio, resolution });
      const [across = 1, down = 1] = aspectRatio.split(':').map(Number);
      expect(width * height).toBeLessThanOrEqual(long * short);
      expect(Math.max(width, height)).toBeLessThanOrEqual(long);
      expect(Math.abs(Math.log(width / height / (across / down)))).toBeLessThan(0.03);
    },
  );
});
