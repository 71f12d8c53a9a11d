/** Limits of a generate request and of its input images. */
export const LIMITS = {
  promptCharacters: 2000,
  negativePromptCharacters: 1000,
  durationMax: 60,
  inputImages: 9,
  webhookUrlCharacters: 2048,
  imageUrlCharacters: 8192,
  inputImageBytes: 10 * 1024 * 1024,
  inputImagePixels: 40_000_000,
  inputImageSide: 16_384,
  inputImageTimeoutMs: 20_000,
  inputImageRedirects: 3,
  bodyBytes: 256 * 1024,
  perPageDefault: 20,
  perPageMax: 100,
  waitSeconds: 55,
} as const;

/** Pattern of ids and aliases of models, and of names of providers. */
export const ID_PATTERN = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Every aspect ratio that a model of the catalog can offer. */
export const ASPECT_RATIOS = [
  '1:1',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '9:16',
  '16:9',
  '21:9',
] as const;
/** An aspect ratio. */
export type AspectRatio = (typeof ASPECT_RATIOS)[number];

/** Qualities that can be requested, from the lowest to the highest. */
export const QUALITIES = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** A quality. */
export type Quality = (typeof QUALITIES)[number];

/** Formats of images that can be requested. */
export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const;
/** A format of images. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Backgrounds that can be requested. */
export const BACKGROUNDS = ['opaque', 'transparent'] as const;
/** A background. */
export type Background = (typeof BACKGROUNDS)[number];

/** Resolutions that can be requested. */
export const RESOLUTIONS = ['1k', '2k', '4k'] as const;
/** A resolution. */
export type Resolution = (typeof RESOLUTIONS)[number];

/** Dollars an image, or dollars an image by quality. */
export type DollarsByQuality = string | Readonly<Record<string, string>>;
