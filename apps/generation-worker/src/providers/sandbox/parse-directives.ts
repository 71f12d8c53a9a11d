/** Directives of a prompt for the sandbox. */
export interface Directives {
  /** Duration of the call in milliseconds. */
  readonly delayMs: number;
  readonly fail: 'moderation' | 'invalid' | 'upstream' | 'once' | null;
  /** Maximum number of images for the task. */
  readonly outputs: number;
  /** Returns a prepared image instead of a rendered one. */
  readonly fixed: boolean;
}

const DIRECTIVE =
  /sandbox:(?:(fixed)|delay=(\d{1,9})|fail=(moderation|invalid|upstream|once)|outputs=(\d{1,9}))(?![\w=])/g;

/** Parses the directives of a prompt; other text is ignored, and the last one of a kind counts. */
export function parseDirectives(prompt: string): Directives {
  let directives: Directives = { delayMs: 0, fail: null, outputs: Number.POSITIVE_INFINITY, fixed: false };
  for (const [, fixed, delay, fail, outputs] of prompt.matchAll(DIRECTIVE)) {
    if (fixed !== undefined) {
      directives = { ...directives, fixed: true };
    }
    if (delay !== undefined) {
      directives = { ...directives, delayMs: Number(delay) };
    }
    if (fail !== undefined) {
      directives = { ...directives, fail: fail as NonNullable<Directives['fail']> };
    }
    if (outputs !== undefined) {
      directives = { ...directives, outputs: Number(outputs) };
    }
  }
  return directives;
}
