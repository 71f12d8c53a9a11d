import type { ProviderRequest } from '../port.js';

/** Which fields a server of this protocol understands: OpenAI's own, or those of servers like vLLM-Omni, SGLang and LocalAI. */
export type OpenaiDialect = 'openai' | 'compatible';

const OWN_MODELS = /^(gpt-image|chatgpt-image|dall-e)/;

/** The dialect of one request: what the route's options say in `dialect`, else OpenAI's for its own models, wherever a proxy may stand, else the one of the configured address. */
export function dialectOf(
  ofAddress: OpenaiDialect,
  { model, options: { dialect } }: Pick<ProviderRequest, 'model' | 'options'>,
): OpenaiDialect {
  if (dialect === 'openai' || dialect === 'compatible') return dialect;
  return OWN_MODELS.test(model) ? 'openai' : ofAddress;
}
