/** Bytes that are read of an image to learn its size: profiles and previews can stand before it. */
export const HEAD_BYTES = 256 * 1024;

/** Width and height in pixels. */
export type Size = readonly [width: number, height: number];

/** Returns the first bytes of a data URL; none where it is none in base64. */
export function readHead(dataUrl: string): Uint8Array {
  const at = dataUrl.indexOf(';base64,');
  const text = at === -1 ? '' : dataUrl.slice(at + 8, at + 8 + HEAD_BYTES);
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(); // The gateway says what is wrong with it.
  }
}

/** Returns the size of a PNG, JPEG or WebP image as it is shown; undefined where its first bytes do not say. */
export function measure(head: Uint8Array): Size | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    switch (view.getUint32(0)) {
      case 0x89504e47:
        return [view.getUint32(16), view.getUint32(20)];
      case 0x52494646:
        return measureWebp(view);
      default:
        return view.getUint16(0) === 0xffd8 ? measureJpeg(view) : undefined;
    }
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** Returns the ratio that is nearest to a size; undefined where two are equally near. */
export function chooseRatio(ratios: readonly string[], [width, height]: Size): string | undefined {
  const near = ratios
    .map((ratio) => {
      const [across = 1, down = 1] = ratio.split(':').map(Number);
      return { ratio, far: Math.abs(Math.log(((across / down) * height) / width)) };
    })
    .sort((a, b) => a.far - b.far);
  const [first, second] = near;
  return first && second && second.far - first.far < 1e-9 ? undefined : first?.ratio;
}

function measureJpeg(view: DataView): Size | undefined {
  let isTurned = false;
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff || marker === 0xda) {
      return undefined;
    }
    isTurned ||= marker === 0xe1 && findOrientation(view, at + 4) >= 5;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return isTurned ? [height, width] : [width, height];
    }
  }
}

/** Finds the orientation (tag 0x0112) in the Exif data at an offset; from 5 on width and height change places. */
function findOrientation(view: DataView, at: number): number {
  if (view.getUint32(at) !== 0x45786966) {
    return 1;
  }
  const tiff = at + 6;
  const isLittle = view.getUint16(tiff) === 0x4949;
  const list = tiff + view.getUint32(tiff + 4, isLittle);
  const count = view.getUint16(list, isLittle);
  for (let entry = list + 2; entry < list + 2 + 12 * count; entry += 12) {
    if (view.getUint16(entry, isLittle) === 0x0112) {
      return view.getUint16(entry + 8, isLittle);
    }
  }
  return 1;
}

function measureWebp(view: DataView): Size | undefined {
  const read24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_00_00;
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return [1 + read24(24), 1 + read24(27)];
    case 0x5650384c: {
      // VP8L
      const bits = view.getUint32(21, true);
      return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
    }
    case 0x56503820: // VP8
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    default:
      return undefined;
  }
}
