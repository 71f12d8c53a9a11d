import { foldPrompt, toBase64 } from '../http/encode-json.js';
import { asRecord, type JsonRecord } from '../http/json-decoder.js';
import { mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';

/**
 * Builds the body of `generateContent`, which contains images as `Embedded`. The options of the route go into
 * `generationConfig`, except `safetySettings`.
 */
export function buildRequest(request: ProviderRequest): JsonRecord {
  const { aspectRatio, resolution, takesResolution, inputs, fields } = request;
  const { safetySettings, imageConfig, ...generationConfig } = request.options;
  return {
    contents: [
      {
        role: 'user',
        parts: [
          { text: foldPrompt(request) },
          ...inputs.map(({ bytes, contentType }) => ({
            inlineData: { mimeType: contentType, data: toBase64(bytes) },
          })),
        ],
      },
    ],
    ...(safetySettings != null && { safetySettings }),
    generationConfig: mergeFields({
      defaults: { responseModalities: ['IMAGE'], seed: fields.seed },
      options: generationConfig,
      asked: { candidateCount: 1 },
      content: {
        imageConfig: mergeFields({
          defaults: {},
          options: asRecord(imageConfig) ?? {},
          asked: {
            // Without it an edit has the aspect ratio of its last image.
            aspectRatio,
            // Models with only one size refuse the field; the K is a capital.
            ...(takesResolution && { imageSize: resolution.toUpperCase() }),
          },
          content: {},
        }),
      },
    }),
  };
}
