/** What a prompt tells the sandbox to do. */
export interface Directives {
  /** How long the call takes, in milliseconds. */
  readonly delayMs: number;
  readonly fail: 'moderation' | 'invalid' | 'upstream' | 'once' | null;
  /** The most images that are ever delivered for the task. */
  readonly outputs: number;
  /** A prepared picture instead of a rendered one. */
  readonly fixed: boolean;
}

const DIRECTIVE =
  /sandbox:(?:(fixed)|delay=(\d{1,9})|fail=(moderation|invalid|upstream|once)|outputs=(\d{1,9}))(?![\w=])/g;

/** Reads the directives out of a prompt; what is no directive is ignored, of two of the same kind the last one counts. */
export function parseDirectives(prompt: string): Directives {
  let directives: Directives = { delayMs: 0, fail: null, outputs: Number.POSITIVE_INFINITY, fixed: false };
  for (const [, fixed, delay, fail, outputs] of prompt.matchAll(DIRECTIVE)) {
    if (fixed !== undefined) directives = { ...directives, fixed: true };
    if (delay !== undefined) directives = { ...directives, delayMs: Number(delay) };
    if (fail !== undefined) directives = { ...directives, fail: fail as NonNullable<Directives['fail']> };
    if (outputs !== undefined) directives = { ...directives, outputs: Number(outputs) };
  }
  return directives;
}
