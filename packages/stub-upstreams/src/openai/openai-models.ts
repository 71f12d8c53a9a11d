/** The models for images of November 2026, with when they were made. */
export const OPENAI_MODELS: Readonly<Record<string, number>> = {
  'gpt-image-2': 1_776_729_600,
  'gpt-image-2.5-flare': 1_788_825_600,
  'gpt-image-2.5-sunburst': 1_788_825_600,
  'gpt-image-2.6-flare': 1_793_750_400,
  'gpt-image-2.6-sunburst': 1_793_750_400,
};
