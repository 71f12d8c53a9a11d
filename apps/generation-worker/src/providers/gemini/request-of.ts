import { foldPrompt } from '../fold-prompt.js';
import { base64 } from '../http/embed.js';
import type { ProviderRequest } from '../port.js';
import { asRecord } from '../record-of.js';

/** The body of `generateContent`; pictures stand in it as `Embedded`. */
export type GeminiBody = Readonly<Record<string, unknown>>;

/**
 * What is asked for, in Gemini's words. The options of the route go into `generationConfig`, but for `safetySettings`; they
 * win over our own values, never over the prompt, the pictures and their number.
 */
export function requestOf(request: ProviderRequest): GeminiBody {
  const { prompt, negativePrompt, aspectRatio, resolution, takesResolution, inputs } = request;
  const { safetySettings, imageConfig, ...generationConfig } = request.options;
  return {
    contents: [
      {
        role: 'user',
        parts: [
          { text: foldPrompt(prompt, negativePrompt) },
          ...inputs.map(({ bytes, contentType }) => ({
            inlineData: { mimeType: contentType, data: base64(bytes) },
          })),
        ],
      },
    ],
    ...(safetySettings !== undefined && { safetySettings }),
    generationConfig: {
      responseModalities: ['IMAGE'],
      ...generationConfig,
      candidateCount: 1,
      imageConfig: {
        // Without it an edit takes the shape of its last picture.
        aspectRatio,
        // Models with one size only refuse to be told which; the K is a capital.
        ...(takesResolution && { imageSize: resolution.toUpperCase() }),
        ...asRecord(imageConfig),
      },
    },
  };
}
