/** Result of one check of the doctor, with a remediation unless it is fine. */
export interface CheckResult {
  readonly part: string;
  readonly level: 'ok' | 'warning' | 'fault';
  /** Observation, such as `version 18.1, responds in 2 ms`. */
  readonly observed: string;
  /** Instruction for the operator; null when nothing is wrong. */
  readonly remediation: string | null;
}

/** Creates the result of a part that is fine. */
export function fine(part: string, observed: string): CheckResult {
  return { part, level: 'ok', observed, remediation: null };
}

/** Creates the result of a part that works with restrictions. */
export function warning(part: string, observed: string, remediation: string): CheckResult {
  return { part, level: 'warning', observed, remediation };
}

/** Creates the result of a part that does not work. */
export function fault(part: string, observed: string, remediation: string): CheckResult {
  return { part, level: 'fault', observed, remediation };
}
