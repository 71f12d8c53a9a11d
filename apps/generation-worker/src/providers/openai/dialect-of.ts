/** Which fields a server of this protocol understands: OpenAI's own, or those of servers like vLLM-Omni, SGLang and LocalAI. */
export type OpenaiDialect = 'openai' | 'compatible';

/** The dialect of one request: what the route's options say in `dialect`, else the one of the configured address. */
export function dialectOf(
  ofAddress: OpenaiDialect,
  options: Readonly<Record<string, unknown>>,
): OpenaiDialect {
  const { dialect } = options;
  return dialect === 'openai' || dialect === 'compatible' ? dialect : ofAddress;
}
