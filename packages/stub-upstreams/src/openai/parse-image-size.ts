const WRITTEN = /^(\d+)x(\d+)$/;
const STEP = 16;
const MAX_LONG = 3_840;
const MAX_SHORT = 2_160;
const MAX_RATIO = 3;

/** The size that `WxH` or `auto` means; null when it is none that the newer models take: multiples of 16, at most 1:3, at most 3840x2160. */
export function parseImageSize(size: unknown, strict: boolean): { width: number; height: number } | null {
  if (size === undefined || size === 'auto') return { width: 1_024, height: 1_024 };
  const [, width = 0, height = 0] = (WRITTEN.exec(String(size)) ?? []).map(Number);
  if (width < 1 || height < 1) return null;
  if (!strict) return { width, height };
  const [long, short] = width > height ? [width, height] : [height, width];
  const fits =
    width % STEP === 0 &&
    height % STEP === 0 &&
    long <= MAX_LONG &&
    short <= MAX_SHORT &&
    long <= short * MAX_RATIO;
  return fits ? { width, height } : null;
}
