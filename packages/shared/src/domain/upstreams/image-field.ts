import type { ProtocolRoute, RouteFault } from './protocol.js';

const FIELD = /^(\w{1,64})(\[\])?$/;

/** Field of a model that takes input images: a list of them, or one. */
export interface ImageField {
  readonly name: string;
  readonly isList: boolean;
}

/** Parses the option `image_field` of a route, such as `input_image`, or `images[]` for a list; null for anything else. */
export function parseImageField(given: unknown): ImageField | null {
  const [, name, list] = FIELD.exec(typeof given === 'string' ? given : '') ?? [];
  return name === undefined ? null : { name, isList: list !== undefined };
}

/** Checks that a route for edits names a field for input images only in that form, and no more images than it takes. */
export function checkImageField({ types, maxInputs, options }: ProtocolRoute): readonly RouteFault[] {
  const { image_field: given } = options;
  if (!types.includes('image_edit') || given === undefined || given === null) {
    return [];
  }
  const field = parseImageField(given);
  if (field === null) {
    const message = 'must be the name of a field, such as image_url, or image_urls[] for a list';
    return [{ field: 'options.image_field', message }];
  }
  const message = `the field ${field.name} takes one image; say max_inputs: 1`;
  return field.isList || maxInputs <= 1 ? [] : [{ field: 'max_inputs', message }];
}
