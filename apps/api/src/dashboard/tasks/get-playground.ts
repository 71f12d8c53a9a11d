import { LIMITS, type PlaygroundView } from '@image-gateway/shared/contract';
import type { Offers } from '../../handlers/create-offers.js';
import { presentDefaultPrices } from '../../operations/catalog/present-model.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/playground`: models with their options and the price of one image, and limits. */
export function getPlayground({
  offers,
}: {
  readonly offers: Pick<Offers, 'load'>;
}): OwnerHandler<'get /playground'> {
  return async () => {
    const { models } = await offers.load();
    const view: PlaygroundView = {
      models: models.map((model) => ({
        id: model.id,
        family: model.family,
        prices: presentDefaultPrices(model),
        default_resolution: model.defaultResolution,
        aspect_ratios: model.aspectRatios,
        default_aspect_ratio: model.defaultAspectRatio,
        max_inputs: model.types.includes('image_edit') ? model.maxInputs : 0,
        max_outputs: model.maxOutputs,
      })),
      limits: {
        prompt_characters: LIMITS.promptCharacters,
        negative_prompt_characters: LIMITS.negativePromptCharacters,
      },
    };
    return dataReply(view);
  };
}
