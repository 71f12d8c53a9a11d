/** What one look of the doctor came to: fine, worth knowing, or a fault with what to do about it. */
export interface CheckResult {
  readonly part: string;
  readonly level: 'ok' | 'warning' | 'fault';
  /** What was seen. */
  readonly seen: string;
  /** What to do; null when nothing is wrong. */
  readonly mend: string | null;
}

/** Says that a part is fine. */
export function fine(part: string, seen: string): CheckResult {
  return { part, level: 'ok', seen, mend: null };
}

/** Says that a part works, but not as it should. */
export function warning(part: string, seen: string, mend: string): CheckResult {
  return { part, level: 'warning', seen, mend };
}

/** Says that a part does not do what the gateway needs. */
export function fault(part: string, seen: string, mend: string): CheckResult {
  return { part, level: 'fault', seen, mend };
}
