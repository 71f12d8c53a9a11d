/** What one look of the doctor came to: fine, worth knowing, or a fault with what to do about it. */
export interface CheckResult {
  readonly part: string;
  readonly level: 'ok' | 'warning' | 'fault';
  /** What was observed. */
  readonly observed: string;
  /** What to do; null when nothing is wrong. */
  readonly remediation: string | null;
}

/** Says that a part is fine. */
export function fine(part: string, observed: string): CheckResult {
  return { part, level: 'ok', observed, remediation: null };
}

/** Says that a part works, but not as it should. */
export function warning(part: string, observed: string, remediation: string): CheckResult {
  return { part, level: 'warning', observed, remediation };
}

/** Says that a part does not do what the gateway needs. */
export function fault(part: string, observed: string, remediation: string): CheckResult {
  return { part, level: 'fault', observed, remediation };
}
