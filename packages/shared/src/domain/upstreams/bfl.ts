import type { Resolution } from '../contract/index.js';
import { MAX_SEED, NO_CAPABILITIES } from './capabilities.js';
import { type ImageField, parseImageField } from './image-field.js';
import type { ProtocolRoute, RouteFault, UpstreamDescription } from './protocol.js';

/** Generation of BFL's models: what its requests take. */
export interface BflFamily {
  readonly names: RegExp;
  /** Field of the first input image; null: a request has none. */
  readonly imageField: string | null;
  readonly maxInputs: number;
  /** How a request says its shape; `none`: it is that of the input image. */
  readonly shape: 'pixels' | 'ratio' | 'none';
  /** Sides are multiples of it. */
  readonly step: number;
  readonly maxSide: number;
  readonly maxPixels: number;
  readonly resolutions: readonly Resolution[];
}

const FOUR_MEGAPIXELS = 4_194_304;
const FLUX_2 = {
  imageField: 'input_image',
  maxInputs: 8,
  shape: 'pixels',
  step: 16,
  maxSide: FOUR_MEGAPIXELS / 64,
  maxPixels: FOUR_MEGAPIXELS,
  resolutions: ['1k', '2k'],
} as const;
const FLUX_1 = {
  imageField: null,
  maxInputs: 1,
  shape: 'pixels',
  step: 32,
  maxSide: 1_440,
  maxPixels: 1_440 ** 2,
  resolutions: ['1k'],
} as const;

/** Schemas of api.bfl.ai/openapi.json as public clients have them (August and September 2026); the first match counts. */
const FAMILIES: readonly BflFamily[] = [
  { names: /^flux-2-klein/, ...FLUX_2, maxInputs: 4 },
  { names: /^flux-2/, ...FLUX_2 },
  { names: /kontext/, ...FLUX_2, maxInputs: 4, shape: 'ratio', resolutions: ['1k'] },
  { names: /fill/, ...FLUX_1, imageField: 'image', shape: 'none' },
  { names: /ultra/, ...FLUX_1, shape: 'ratio', resolutions: ['1k', '2k'] },
  { names: /^flux-(pro|dev)/, ...FLUX_1 },
  // A later generation: nobody knows its field of input images.
  { names: /(?:)/, ...FLUX_2, imageField: null },
];

/** Returns what requests for a model of BFL take. */
export function getBflFamily(model: string): BflFamily {
  const [last] = FAMILIES.slice(-1);
  return (FAMILIES.find(({ names }) => names.test(model)) ?? last) as BflFamily;
}

/**
 * Returns the field of a model for its first input image; null where it takes none. The option `image_field` of a route names
 * another one.
 */
export function readBflImageField(
  model: string,
  { image_field: given }: ProtocolRoute['options'],
): ImageField | null {
  const { imageField } = getBflFamily(model);
  if (given !== undefined && given !== null) {
    return given === STYLE_FIELD ? null : parseImageField(given);
  }
  return imageField === null ? null : { name: imageField, isList: false };
}

const STYLE_FIELD = 'image_prompt';

function checkBflRoute(route: ProtocolRoute): readonly RouteFault[] {
  return [...(route.types.includes('image_edit') ? checkEdits(route) : []), ...checkDrawing(route)];
}

function checkEdits({ model, options, maxInputs }: ProtocolRoute): readonly RouteFault[] {
  const { edit_model: other = model } = options;
  const called = String(other);
  const { maxInputs: most } = getBflFamily(called);
  if (readBflImageField(called, options) === null) {
    const message =
      `${called} has no known field for input images (${STYLE_FIELD} is a reference of style and no edit); say types: ` +
      '[image_generate], or name the field';
    return [{ field: 'options.image_field', message }];
  }
  return maxInputs <= most
    ? []
    : [
        {
          field: 'max_inputs',
          message: `${called} takes at most ${most} input images; say max_inputs: ${most}`,
        },
      ];
}

function checkDrawing({ model, types, sizes }: ProtocolRoute): readonly RouteFault[] {
  const { shape, step, maxSide, maxPixels } = getBflFamily(model);
  if (shape === 'none' && types.includes('image_generate')) {
    return [{ field: 'types', message: `${model} only edits; say types: [image_edit]` }];
  }
  const given = Object.entries(sizes).flatMap(([ratio, byResolution]) =>
    Object.entries(byResolution).map(([resolution, size]) => ({
      field: `sizes.${ratio}.${resolution}`,
      size,
    })),
  );
  const isTaken = (size: string): boolean => {
    const sides = size.split('x').map(Number);
    const isFitting = sides.every((side) => side % step === 0 && side <= maxSide);
    return isFitting && sides.reduce((product, side) => product * side, 1) <= maxPixels;
  };
  const bound = maxSide ** 2 > maxPixels ? 'at most four megapixels' : `at most ${maxSide} a side`;
  return given
    .filter(({ size }) => shape === 'pixels' && !isTaken(size))
    .map(({ field }) => ({ field, message: `${model} takes multiples of ${step}, ${bound}` }));
}

/** API of Black Forest Labs, the maker of FLUX. */
export const bfl = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '/v1',
  // Results lie with the region that drew them.
  resultHosts: ['*.bfl.ai', '*.blob.core.windows.net'],
  authorize: (secret) => ({ 'x-key': secret }),
  maxImagesPerCall: 1,
  checkPath: '/credits',
  keysAt: 'https://dashboard.bfl.ai',
  checkRoute: checkBflRoute,
  listResolutions: (model) => getBflFamily(model).resolutions,
  // github.com/black-forest-labs/skills, endpoints.md (November 2026).
  accepts: () => ({ ...NO_CAPABILITIES, seed: MAX_SEED, outputFormat: ['png', 'jpeg'] }),
  sends: ({ model, options: { edit_model: other = model } }) =>
    getBflFamily(String(other)).shape === 'none'
      ? ['seed', 'output_format', 'mask']
      : ['seed', 'output_format'],
  switchesRewriting: true,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
