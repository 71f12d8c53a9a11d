import { listSegments } from './list-segments.js';

const [SOF0, SOF1, SOS] = [0xc0, 0xc1, 0xda];
const COMPONENTS_OF_FRAME = 5;

/** Returns whether the decoder of a JPEG must hold the whole image: always, except for one sequential scan of all components (ITU T.81, annex B). */
export function holdsWholeJpeg(bytes: Buffer): boolean {
  let components: number | undefined;
  for (const { marker, content } of listSegments(bytes)) {
    if (marker === SOF0 || marker === SOF1) {
      components ??= content[COMPONENTS_OF_FRAME];
    }
    if (marker === SOS) {
      return components === undefined || content[0] !== components;
    }
  }
  return true;
}
