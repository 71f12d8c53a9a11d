/** Bounds of what a provider delivers: far above every size that can be asked for, far below what would hurt this process. */
export const OUTPUT_LIMITS = { maxBytes: 32 * 1024 * 1024, maxPixels: 40_000_000 } as const;
