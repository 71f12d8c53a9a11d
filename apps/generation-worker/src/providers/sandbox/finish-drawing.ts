import { createHash } from 'node:crypto';
import { INPUT_LIMITS } from '@image-gateway/shared/images';
import sharp, { type Sharp } from 'sharp';
import type { InputImage, ProviderRequest, RequestFields } from '../port.js';
import { readHole } from '../read-hole.js';
import type { RawImage, Size } from './get-size.js';

const QUALITY = 88;
const SATURATION: Readonly<Record<string, number>> = { vivid: 1.8, natural: 0.5 };
const FULL_TURN = 360;

/** Enlarges a drawing, gives it the style that was asked for, and puts it into the hole of a mask. */
export async function finishDrawing(
  { data, ...small }: RawImage,
  size: Size,
  { inputs, fields: { style, mask } }: Pick<ProviderRequest, 'inputs' | 'fields'>,
): Promise<RawImage> {
  const large = sharp(data, { raw: { ...small, channels: 3 } }).resize({ ...size, kernel: 'cubic' });
  const whole = { ...size, data: await applyStyle(large, style).removeAlpha().raw().toBuffer() };
  const [first] = inputs;
  return mask && first ? fillHole(whole, first, mask) : whole;
}

function applyStyle(image: Sharp, style: string | undefined): Sharp {
  if (style === undefined) {
    return image;
  }
  const saturation = SATURATION[style];
  const hue = createHash('sha256').update(style).digest().readUInt16LE(0) % FULL_TURN;
  return image.modulate(saturation === undefined ? { hue } : { saturation });
}

/** Returns the first input image with the drawing where the mask is fully transparent. */
async function fillHole(drawing: RawImage, first: InputImage, mask: InputImage): Promise<RawImage> {
  const { width, height } = drawing;
  const hole = await readHole(mask, { width, height });
  const input = await sharp(drawing.data, { raw: { width, height, channels: 3 } })
    .joinChannel(hole.data, { raw: { width, height, channels: 1 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const data = await sharp(first.bytes, { failOn: 'error', limitInputPixels: INPUT_LIMITS.maxPixels })
    .autoOrient()
    .resize({ width, height, fit: 'cover' })
    .flatten()
    .toColourspace('srgb')
    .composite([{ input }])
    .removeAlpha()
    .raw()
    .toBuffer();
  return { width, height, data };
}

/** Encodes a drawing in the format that was asked for; a transparent background is all around an ellipse. */
export async function encodeDrawing(
  { data, width, height }: RawImage,
  { background, outputFormat, outputCompression }: RequestFields,
): Promise<Buffer> {
  const isTransparent = background === 'transparent';
  const format = outputFormat ?? (isTransparent ? 'png' : 'jpeg');
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  const quality = Math.max(1, outputCompression ?? QUALITY);
  const cut = isTransparent
    ? image.ensureAlpha().composite([{ input: drawEllipse(width, height), blend: 'dest-in' }])
    : image;
  return format === 'png' ? cut.png({ compressionLevel: 1 }).toBuffer() : cut[format]({ quality }).toBuffer();
}

function drawEllipse(width: number, height: number): Buffer {
  const [x, y] = [width / 2, height / 2];
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><ellipse cx="${x}" cy="${y}" rx="${x * 0.9}" ` +
      `ry="${y * 0.9}" fill="#fff"/></svg>`,
  );
}
