import type { JsonRecord } from './http/json-decoder.js';

/** Vendors that rewrite prompts, and let a request say whether they do. */
export type RewritingVendor = 'bfl' | 'dashscope' | 'fal' | 'replicate';

interface Switch {
  readonly model: RegExp;
  /** Null: the model has no such field. */
  readonly field: string | null;
  readonly off?: unknown;
  readonly on?: unknown;
}

const flag = (model: RegExp, field: string): Switch => ({ model, field, off: false, on: true });
const none = (model: RegExp): Switch => ({ model, field: null });

/** Fields that switch rewriting, by the model; the first match counts. Sources and defaults: docs/providers/substitutions.md. */
const SWITCHES: Readonly<Record<RewritingVendor, readonly Switch[]>> = {
  bfl: [
    none(/^flux-2-klein/),
    flag(/^flux-2-flex/, 'prompt_upsampling'),
    { model: /^flux-2/, field: 'disable_pup', off: true, on: false },
    flag(/^flux-(pro|dev|kontext)/, 'prompt_upsampling'),
  ],
  dashscope: [flag(/(?:)/, 'prompt_extend')],
  // Unknown fields are ignored there without a word.
  fal: [
    none(/nano-banana|gpt-image|imagen|recraft|seedream|kontext/),
    flag(/ideogram/, 'expand_prompt'),
    flag(/minimax/, 'prompt_optimizer'),
    flag(/(?:)/, 'enable_prompt_expansion'),
  ],
  replicate: [
    { model: /^ideogram-ai\//, field: 'magic_prompt_option', off: 'Off', on: 'On' },
    flag(/^black-forest-labs\/flux/, 'prompt_upsampling'),
    flag(/^minimax\//, 'prompt_optimizer'),
    flag(/^(bytedance\/seedream|qwen\/)/, 'enhance_prompt'),
  ],
};

/**
 * Returns the field that keeps the customer's words, or lets the vendor rewrite them where the option `prompt_rewriting` of the
 * route is true.
 */
export function switchRewriting(
  vendor: RewritingVendor,
  model: string,
  { prompt_rewriting: isOn }: JsonRecord,
): JsonRecord {
  const { field = null, off, on } = SWITCHES[vendor].find(({ model: names }) => names.test(model)) ?? {};
  return field === null ? {} : { [field]: isOn === true ? on : off };
}
