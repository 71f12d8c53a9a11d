import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { parse } from 'yaml';

/** Number by which the laboratory shortens the times of alerts: a minute of the rules takes two seconds there. */
export const ALERT_FACTOR = 30;

/** Thresholds that become smaller too: times of waiting, and calls in a window, since circuits let through as few a minute as ever. */
const SCALED_THRESHOLDS: Readonly<Record<string, number>> = {
  GatewayDueWorkWaits: 120,
  GatewayProviderFails: 10,
  GatewayProviderSlow: 60,
};

/** Rule of an alert. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

/** Groups of rules, as Prometheus reads them. */
export interface AlertRules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

/** Reads the rules that operators deploy. */
export function readAlertRules(): AlertRules {
  return parse(
    readFileSync(path.join(repositoryRoot(), 'deploy/prometheus/alerts.yaml'), 'utf8'),
  ) as AlertRules;
}

/**
 * Returns the rules with windows, offsets and `for` divided by the factor, and everything else as it is. Throws Error for a
 * threshold that is gone.
 */
export function scaleRules({ groups }: AlertRules): AlertRules {
  const scale = ({ expr, ...rule }: AlertRule): AlertRule => {
    const timed = expr.replaceAll(
      /(\[|\boffset )(\d+[smh])\b/g,
      (_, before: string, time: string) => before + shorten(time),
    );
    return {
      ...rule,
      expr: scaleThreshold(rule.alert, timed),
      ...(rule.for !== undefined && { for: shorten(rule.for) }),
    };
  };
  return { groups: groups.map(({ rules, ...group }) => ({ ...group, rules: rules.map(scale) })) };
}

function scaleThreshold(alert: string, expr: string): string {
  const threshold = SCALED_THRESHOLDS[alert];
  if (threshold === undefined) {
    return expr;
  }
  if (!expr.endsWith(`> ${threshold}`)) {
    throw new Error(`the threshold of ${alert} is no longer ${threshold}: change it in scale-rules.ts`);
  }
  return expr.slice(0, -String(threshold).length) + String(threshold / ALERT_FACTOR);
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function shorten(time: string): string {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(time) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (!Number.isFinite(ms)) {
    throw new Error(`${time} is no time of the form 5m`);
  }
  return `${Math.round(ms / ALERT_FACTOR)}ms`;
}
