import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { redactText } from '@image-gateway/shared/logging/redact';
import { describeExposure } from '../http/describe-exposure.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'settings';

/** Checks every known setting, and settings that depend on each other. */
export function checkSettings(env: Readonly<Record<string, string | undefined>>): CheckResult[] {
  try {
    const settings = loadSettings(sharedSettings, env);
    const results = [fine(PART, 'all are valid')];
    if (settings.HEARTBEAT_MS * 2 > settings.LEASE_MS) {
      results.push(
        warning(
          PART,
          `HEARTBEAT_MS (${settings.HEARTBEAT_MS}) is more than half of LEASE_MS (${settings.LEASE_MS})`,
          'Make LEASE_MS at least twice HEARTBEAT_MS, or one late heartbeat loses a task to another worker.',
        ),
      );
    }
    if (settings.LEASE_MS > settings.TASK_DEADLINE_MS) {
      results.push(
        warning(
          PART,
          `LEASE_MS (${settings.LEASE_MS}) is longer than TASK_DEADLINE_MS (${settings.TASK_DEADLINE_MS})`,
          'Make LEASE_MS shorter, or a task whose worker dies is never tried again.',
        ),
      );
    }
    const exposure = describeExposure(settings);
    if (exposure !== null) {
      results.push(warning(PART, exposure.observed, exposure.remediation));
    }
    const { BASE_URL } = settings;
    if (BASE_URL !== undefined && new URL(BASE_URL).pathname !== '/') {
      results.push(
        warning(
          PART,
          `BASE_URL (${redactText(BASE_URL)}) has a path, which Location headers and the dashboard do not know`,
          'Serve the gateway at the root of a host name of its own, and set BASE_URL without a path.',
        ),
      );
    }
    return results;
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    return error.faults.map((text) =>
      fault(
        PART,
        text,
        'Set it in the environment, or start the gateway with npm start, which writes run.json.',
      ),
    );
  }
}
