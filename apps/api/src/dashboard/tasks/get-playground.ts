import { MODELS } from '@image-gateway/shared/catalog';
import type { PlaygroundView } from '@image-gateway/shared/contract';
import { ASPECT_RATIOS, LIMITS, RESOLUTIONS } from '@image-gateway/shared/contract';
import { formatDollars } from '@image-gateway/shared/money';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/playground`: what can be asked for, and what an image of it costs. */
export function getPlayground({
  models,
}: {
  readonly models: readonly string[];
}): OwnerHandler<'get /playground'> {
  const view: PlaygroundView = {
    models: models.flatMap((id) => {
      const model = MODELS[id];
      if (!model) return [];
      const prices = Object.entries(model.unitMicros).map(([resolution, micros]) => [
        resolution,
        formatDollars(micros),
      ]);
      return [{ id, prices: Object.fromEntries(prices) as Record<string, string> }];
    }),
    aspect_ratios: ASPECT_RATIOS,
    resolutions: RESOLUTIONS,
    limits: {
      prompt_characters: LIMITS.promptCharacters,
      negative_prompt_characters: LIMITS.negativePromptCharacters,
      outputs: LIMITS.outputs,
      input_images: LIMITS.inputImages,
    },
  };
  return () => dataReply(view);
}
