import { describe, expect, test } from '@jest/globals';
import { listAlerts } from '../../scenarios/alerts/may-fire.js';
import { SCENARIOS } from '../../scenarios/index.js';
import { readAlertRules, scaleRules } from './scale-rules.js';

const rule = (alert: string, expr: string, more: object = {}) => ({
  groups: [{ name: 'g', rules: [{ alert, expr, ...more }] }],
});

describe('alerts in the laboratory', () => {
  const names = readAlertRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

  test('each alert has a scenario in which it has to fire', () => {
    const fired = new Set(SCENARIOS.flatMap(({ alerts }) => alerts?.fire ?? []));
    expect(names.filter((name) => !fired.has(name))).toEqual([]);
  });

  test('scenarios name alerts that are deployed', () => {
    const named = SCENARIOS.flatMap(({ name, alerts }) => {
      const { fire, may = [] } = listAlerts(name, alerts);
      return [...fire, ...(may === 'any' ? [] : may)];
    });
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('windows, offsets and durations of alerts become thirty times shorter, other numbers stay', () => {
    const expr = 'sum(rate(a{status=~"5.."}[5m])) > 0.05 or b unless b offset 1h > 20';
    expect(scaleRules(rule('Any', expr, { for: '2m', labels: { severity: 'page' } }))).toEqual(
      rule('Any', 'sum(rate(a{status=~"5.."}[10000ms])) > 0.05 or b unless b offset 120000ms > 20', {
        for: '4000ms',
        labels: { severity: 'page' },
      }),
    );
  });

  test('thresholds that are times of waiting, or calls in a window, become smaller, and one that has changed is refused', () => {
    const scaled = scaleRules(rule('GatewayDueWorkWaits', 'max(gateway_oldest_due_seconds) > 120'));
    expect(scaled.groups[0]?.rules[0]?.expr).toBe('max(gateway_oldest_due_seconds) > 4');
    expect(() => scaleRules(rule('GatewayDueWorkWaits', 'max(gateway_oldest_due_seconds) > 60'))).toThrow(
      'no longer 120',
    );
  });
});
