import { foldPrompt, toBase64 } from '../http/encode-json.js';
import { asRecord, type JsonRecord } from '../http/json-decoder.js';
import { mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';

/** Options that are fields of the request, beside `contents` (GenerateContentRequest of ai.google.dev and of Vertex AI). */
const OUTER: ReadonlySet<string> = new Set([
  'safetySettings',
  'service_tier',
  'serviceTier',
  'labels',
  'tools',
  'toolConfig',
]);

/**
 * Builds the body of `generateContent`, which contains images as `Embedded`. The options of the route go into
 * `generationConfig`, except those of the request itself.
 */
export function buildRequest(request: ProviderRequest): JsonRecord {
  const { aspectRatio, resolution, takesResolution, inputs, fields } = request;
  const { imageConfig, ...options } = request.options;
  const isOuter = ([name, value]: readonly [string, unknown]): boolean => OUTER.has(name) && value != null;
  const outer = Object.entries(options).filter(isOuter);
  const inner = Object.entries(options).filter(([name]) => !OUTER.has(name));
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
    ...Object.fromEntries(outer),
    generationConfig: mergeFields({
      defaults: { responseModalities: ['IMAGE'], seed: fields.seed },
      options: Object.fromEntries(inner),
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
