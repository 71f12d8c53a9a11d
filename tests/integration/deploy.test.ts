import fs from 'node:fs';
import path from 'node:path';
import { createMetrics } from '@image-gateway/shared/metrics';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => fs.readFileSync(path.join(root, 'deploy', file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

/** Lists the names of a process' metrics, those of the series of histograms included. */
function listSeries(): Set<string> {
  const metrics = createMetrics('any').registry.getMetricsAsArray() as unknown as readonly {
    name: string;
    type: string;
  }[];
  return new Set(
    metrics.flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

const listNames = (text: string): string[] => text.match(/\b(?:gateway|nodejs|process)_[a-z0-9_]+\b/g) ?? [];

describe('alerts', () => {
  const { groups } = parse(read('prometheus/alerts.yaml')) as {
    groups: readonly { rules: readonly Rule[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);

  test('of every rule name metrics that processes export', () => {
    const exported = listSeries();
    expect(rules.length).toBeGreaterThan(10);
    const unknown = rules.flatMap(({ alert, expr }) =>
      listNames(expr).flatMap((name) => (exported.has(name) ? [] : [`${alert}: ${name}`])),
    );
    expect(unknown).toEqual([]);
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says whom it wakes, what is wrong and what to do, and has a unit test',
    (name, { labels, annotations }) => {
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.action.length).toBeGreaterThan(30);
      expect(read('prometheus/alerts.test.yaml')).toMatch(new RegExp(`["\\s]${name}["\\s]`));
    },
  );
});
