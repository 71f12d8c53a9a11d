import { checkFields, type Violation } from '../core/check-fields.js';
import type { StubCall } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { openaiError } from './openai-errors.js';
import { EDIT_FORM_FIELDS, EDIT_JSON_FIELDS, GENERATION_FIELDS } from './request-fields.js';

const MAX_FILES = 16;
const FILE_FIELDS = ['image', 'image[]', 'mask'];
const FILE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** Checks a request as OpenAI does; null when it is valid. */
export function checkOpenai({ body, files }: StubCall, edits: boolean): StubResponse | null {
  const fields = !edits ? GENERATION_FIELDS : files === undefined ? EDIT_JSON_FIELDS : EDIT_FORM_FIELDS;
  const [violation] = checkFields(body, fields);
  if (violation !== undefined) {
    return refused(violation);
  }
  if (!edits || files === undefined) {
    return null;
  }
  const stranger = files.find(({ field }) => !FILE_FIELDS.includes(field));
  if (stranger !== undefined) {
    return unknownParameter(stranger.field);
  }
  const images = files.filter(({ field }) => field !== 'mask');
  if (images.length === 0) {
    return missing('image');
  }
  if (images.length > 1 && images.some(({ field }) => field === 'image')) {
    return openaiError(400, {
      message:
        "Duplicate parameter: 'image'. You provided multiple values for this parameter, whereas only one is allowed. If you are trying to provide a list of values, use the array syntax instead e.g. 'image[]=<value>'.",
      param: 'image',
      code: 'duplicate_parameter',
    });
  }
  if (images.length > MAX_FILES) {
    return openaiError(400, {
      message: `Too many images: at most ${MAX_FILES}.`,
      param: 'image',
      code: 'array_above_max_length',
    });
  }
  const odd = images.find(({ type }) => !FILE_TYPES.includes(type));
  return odd === undefined
    ? null
    : openaiError(400, {
        message: `Invalid file 'image': unsupported mimetype ('${odd.type}'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`,
        param: 'image',
        code: 'unsupported_file_mimetype',
      });
}

function refused({ path, fault, value }: Violation): StubResponse {
  const param = path.join('.');
  if (fault === 'unknown') {
    return unknownParameter(param);
  }
  if (fault === 'missing') {
    return missing(param);
  }
  return openaiError(400, {
    message: `Invalid value for '${param}': ${JSON.stringify(value).slice(0, 80)}.`,
    param,
    code: fault === 'type' ? 'invalid_type' : 'invalid_value',
  });
}

function unknownParameter(param: string): StubResponse {
  return openaiError(400, { message: `Unknown parameter: '${param}'.`, param, code: 'unknown_parameter' });
}

function missing(param: string): StubResponse {
  return openaiError(400, {
    message: `Missing required parameter: '${param}'.`,
    param,
    code: 'missing_required_parameter',
  });
}
