import { LIMITS, type PlaygroundView, RESOLUTIONS } from '@image-gateway/shared/contract';
import { formatDollars } from '@image-gateway/shared/money';
import type { Offers } from '../../handlers/create-offers.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/playground`: models, options, limits, and the price of one image. */
export function getPlayground({
  offers,
}: {
  readonly offers: Pick<Offers, 'load'>;
}): OwnerHandler<'get /playground'> {
  return async () => {
    const { models } = await offers.load();
    const view: PlaygroundView = {
      models: models.map(({ id, priceMicros }) => ({
        id,
        prices: Object.fromEntries(
          Object.entries(priceMicros).map(([resolution, micros]) => [resolution, formatDollars(micros)]),
        ),
      })),
      aspect_ratios: [...new Set(models.flatMap(({ aspectRatios }) => aspectRatios))],
      resolutions: RESOLUTIONS.filter((one) =>
        models.some(({ priceMicros }) => priceMicros[one] !== undefined),
      ),
      limits: {
        prompt_characters: LIMITS.promptCharacters,
        negative_prompt_characters: LIMITS.negativePromptCharacters,
        outputs: Math.max(1, ...models.map(({ maxOutputs }) => maxOutputs)),
        input_images: Math.max(0, ...models.map(({ maxInputs }) => maxInputs)),
      },
    };
    return dataReply(view);
  };
}
