import type { GenerateRequest } from '../contract/index.js';
import { MODELS } from './models.js';

/** The price of a request in micro-dollars: one image, and all that were asked for. */
export interface Price {
  readonly unitMicros: bigint;
  readonly holdMicros: bigint;
}

/** Prices a validated request; throws RangeError for a model that is not in the catalog. */
export function getPrice(request: Pick<GenerateRequest, 'model' | 'resolution' | 'num_outputs'>): Price {
  const model = Object.hasOwn(MODELS, request.model) ? MODELS[request.model] : undefined;
  if (!model) throw new RangeError(`model "${request.model}" is not in the catalog`);
  const unitMicros = model.unitMicros[request.resolution];
  return { unitMicros, holdMicros: unitMicros * BigInt(request.num_outputs) };
}
