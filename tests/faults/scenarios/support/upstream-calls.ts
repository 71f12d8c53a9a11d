import type { StubProvider } from '@image-gateway/stub-upstreams';
import type { Scene } from '../scenario.js';

/** Calls to the stub upstreams for one prompt. */
export interface PromptCalls {
  readonly prompt: string;
  /** Requests for images, without the rate-limited ones. */
  readonly submits: number;
  readonly worstProvider: number;
  readonly billed: number;
}

const PROVIDERS: readonly StubProvider[] = ['gemini', 'fal'];

/** Sums the calls of every prompt that begins with a text. */
export function sumCalls(scene: Scene, start: string): PromptCalls[] {
  const calls = scene.lab.upstreams
    .calls({ kind: 'submit' })
    .filter(({ prompt, mode }) => prompt?.startsWith(start) === true && mode !== 'rate-limit');
  return [...Map.groupBy(calls, ({ prompt }) => prompt ?? '')].map(([prompt, own]) => ({
    prompt,
    submits: own.length,
    worstProvider: Math.max(
      ...PROVIDERS.map((name) => own.filter(({ provider }) => provider === name).length),
    ),
    billed: own.reduce((sum, { billed }) => sum + billed, 0),
  }));
}

/** Requires the call limits of any upstream behaviour: three calls to one provider and nine in all for one image. */
export function mustKeepCeilings(scene: Scene, start: string): PromptCalls[] {
  const all = sumCalls(scene, start);
  const over = all.filter(({ submits, worstProvider }) => submits > 9 || worstProvider > 3);
  scene.must(over.length === 0, `calls above the ceilings: ${JSON.stringify(over.slice(0, 3))}`);
  return all;
}
