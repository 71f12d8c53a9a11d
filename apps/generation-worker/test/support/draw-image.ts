import sharp from 'sharp';

/** A small image of one colour. */
export function drawImage(
  background: string,
  { width = 64, height = 36, format = 'png' as 'png' | 'jpeg' | 'webp' } = {},
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer();
}

/** A different colour for every number. */
export const getColour = (number: number): string =>
  `rgb(${(number * 67) % 256},${(number * 131) % 256},${(number * 29) % 256})`;
