import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { ProviderError } from '../failures.js';
import type { ImageProvider, ProviderRequest } from '../port.js';
import { getFixedImage } from './get-fixed-image.js';
import { type Directives, parseDirectives } from './parse-directives.js';
import { renderImage } from './render-image.js';

// Rendering keeps a thread busy and large input images take a lot of memory: more at a time would only be slower.
const MAX_RENDERS = 2;

/** Creates the built-in provider. It renders real images without any upstream and obeys directives in prompts, as payment providers obey test cards. */
export function createSandbox(): ImageProvider {
  const renders = createSemaphore({ permits: MAX_RENDERS });
  return {
    name: 'sandbox',
    upstream: false,
    asynchronous: false,
    generate: async function* (request, { signal }) {
      const directives = parseDirectives(request.prompt);
      if (directives.delayMs > 0) await sleep(directives.delayMs, undefined, { signal });
      applyFailDirective(directives, request);
      for (const slot of request.slots) {
        if (slot >= directives.outputs) continue;
        signal.throwIfAborted();
        const bytes = directives.fixed
          ? getFixedImage(request.aspectRatio)
          : await renders.run(() => renderImage({ ...request, slot }));
        yield { type: 'image', bytes, slot };
      }
    },
  };
}

function applyFailDirective({ fail }: Directives, { earlierCalls }: ProviderRequest): void {
  switch (fail) {
    case 'moderation':
      throw new ProviderError('moderation', 'the prompt says so');
    case 'invalid':
      throw new ProviderError('invalid-input', 'the prompt says so');
    case 'upstream':
      throw new ProviderError('overload', 'the prompt says so');
    case 'once':
      if (earlierCalls === 0) throw new ProviderError('overload', 'the prompt says so, for the first call');
      return;
    case null:
  }
}
