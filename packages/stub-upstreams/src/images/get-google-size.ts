const ONE_K: Readonly<Record<string, readonly [number, number]>> = {
  '16:9': [1376, 768],
  '9:16': [768, 1376],
  '1:1': [1024, 1024],
};
const FACTORS: Readonly<Record<string, number>> = { '512': 0.5, '0.5K': 0.5, '1K': 1, '2K': 2, '4K': 4 };

/**
 * Returns the size of Google's images for a ratio and a resolution, for every provider that sells them. Ratios unknown
 * to the gateway give squares.
 */
export function getGoogleSize(aspectRatio: unknown, resolution: unknown): { width: number; height: number } {
  const [width, height] = ONE_K[String(aspectRatio)] ?? [1024, 1024];
  const factor = FACTORS[String(resolution)] ?? 1;
  return { width: width * factor, height: height * factor };
}
