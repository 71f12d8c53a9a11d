import { buildShapeFields } from '../compute-size.js';
import { foldPrompt, toDataUrl } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';
import { getFormat, writeFields } from '../write-fields.js';

/** Builds the body of `POST /images`, which contains images as `Embedded`. The options of the route are fields of the body. */
export function buildRequest(request: ProviderRequest): JsonRecord {
  const { slots, inputs, options, fields } = request;
  return mergeFields({
    defaults: { output_format: getFormat(request), ...writeFields(fields) },
    options,
    // Pixels beside a ratio or a resolution are refused.
    asked: { ...buildShapeFields(request, (size) => ({ size })), n: slots.length },
    content: {
      model: chooseModel(request),
      prompt: foldPrompt(request),
      input_references:
        inputs.length === 0
          ? undefined
          : inputs.map((input) => ({ type: 'image_url', image_url: { url: toDataUrl(input) } })),
    },
  });
}
