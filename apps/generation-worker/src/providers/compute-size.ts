import type { AspectRatio, LandscapeSizes, Resolution } from '@image-gateway/shared/contract';
import type { ProviderRequest } from './port.js';

/** Returns width and height: those of 16:9, upright for 9:16, and for other ratios of at most as many pixels in multiples of `step`. */
export function computeSize(
  sizes: LandscapeSizes,
  { aspectRatio, resolution }: { readonly aspectRatio: AspectRatio; readonly resolution: Resolution },
  step = 16,
): readonly [number, number] {
  const [long, short] = sizes[resolution];
  if (aspectRatio === '16:9') {
    return [long, short];
  }
  if (aspectRatio === '9:16') {
    return [short, long];
  }
  const [width = 1, height = 1] = aspectRatio.split(':').map(Number);
  const scale = Math.min(Math.sqrt((long * short) / (width * height)), long / Math.max(width, height));
  const toMultiples = (round: (value: number) => number): readonly [number, number] => [
    round((width * scale) / step) * step,
    round((height * scale) / step) * step,
  ];
  // Vendors limit the pixels: the nearest multiples may have a few more.
  const [near, other] = toMultiples(Math.round);
  return near * other <= long * short ? [near, other] : toMultiples(Math.floor);
}

/** Splits pixels such as `1344x768`. */
export function parseSize(size: string): { readonly width: number; readonly height: number } {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}

/**
 * Builds the fields of an image's shape: pixels where the route has them, otherwise the ratio and, for a model that takes it,
 * the resolution.
 */
export function buildShapeFields(
  request: Pick<ProviderRequest, 'aspectRatio' | 'resolution' | 'takesResolution' | 'size'>,
  buildPixels: (size: string) => Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { aspectRatio, resolution, takesResolution, size } = request;
  if (size !== undefined) {
    return buildPixels(size);
  }
  return { aspect_ratio: aspectRatio, ...(takesResolution && { resolution: resolution.toUpperCase() }) };
}
