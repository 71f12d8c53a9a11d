import { createHash } from 'node:crypto';
import type { GenerateRequest } from '../contract/index.js';

/** Fingerprints a validated request (SHA-256, 32 bytes), so that spelling, field order and explicit defaults make no difference. */
export function fingerprintOf(request: GenerateRequest): Buffer {
  const canonical = JSON.stringify([
    request.model,
    request.prompt,
    request.negative_prompt ?? null,
    request.aspect_ratio,
    request.num_outputs,
    request.resolution,
    request.image_urls ?? null,
    request.webhook_url ?? null,
    request.duration ?? null,
  ]);
  return createHash('sha256').update(canonical).digest();
}
