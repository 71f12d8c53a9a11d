export { createResizer, type ResizeImage } from './create-resizer.js';
export { createValidator, type ImageOwner, type ValidateImage } from './create-validator.js';
export { createDecoder, DECODER_BOUNDS, type DecodeWithin } from './decoder/create-decoder.js';
export {
  IMAGE_FAULTS,
  type Image,
  ImageError,
  INPUT_LIMITS,
  OUTPUT_LIMITS,
} from './image.js';
export { DECODER_OPTIONS, readHeader } from './read-header.js';
