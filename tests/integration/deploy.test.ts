import fs from 'node:fs';
import path from 'node:path';
import { sharedSettings } from '@image-gateway/shared/config';
import { createMetrics } from '@image-gateway/shared/metrics';
import { upstreamSettings } from '@image-gateway/shared/upstreams';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => fs.readFileSync(path.join(root, 'deploy', file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string; readonly runbook_url: string };
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

  test('alerts of every rule name metrics that processes export', () => {
    const exported = listSeries();
    expect(rules.length).toBeGreaterThan(10);
    const unknown = rules.flatMap(({ alert, expr }) =>
      listNames(expr).flatMap((name) => (exported.has(name) ? [] : [`${alert}: ${name}`])),
    );
    expect(unknown).toEqual([]);
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says whom it wakes, what is wrong and what to do, and has a unit test and a row for who is woken',
    (name, { labels, annotations }) => {
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.action.length).toBeGreaterThan(30);
      const page = fs.readFileSync(path.join(root, 'docs/when-you-are-woken.md'), 'utf8');
      expect(page).toMatch(new RegExp(`^\\|[^|]*\`${name}\``, 'm'));
      expect(page).toContain('\n## By alert\n');
      expect(annotations.runbook_url).toMatch(/^https:.*\/docs\/when-you-are-woken\.md#by-alert$/);
      expect(read('prometheus/alerts.test.yaml')).toMatch(new RegExp(`["\\s]${name}["\\s]`));
    },
  );
});

describe('the Grafana dashboard', () => {
  test('the Grafana dashboard has queries of metrics that processes export, and a unit on each panel', () => {
    const { panels } = JSON.parse(read('grafana/image-gateway.json')) as {
      panels: readonly {
        readonly title: string;
        readonly type: string;
        readonly targets?: readonly { readonly expr: string }[];
        readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
      }[];
    };
    const exported = listSeries();
    const charts = panels.filter(({ type }) => type !== 'row');
    expect(charts.length).toBeGreaterThan(15);
    for (const { title, targets = [], fieldConfig } of charts) {
      const names = targets.flatMap(({ expr }) => listNames(expr));
      expect([title, names.length]).not.toEqual([title, 0]);
      expect([title, names.filter((name) => !exported.has(name))]).toEqual([title, []]);
      expect([title, fieldConfig?.defaults.unit]).not.toEqual([title, undefined]);
    }
  });
});

describe('the Helm chart', () => {
  const file = 'deploy/helm/image-gateway/values.schema.json';
  // Values of their own, secrets, and what the image fixes.
  const fixed =
    /^(PORT|HOST|METRICS_.*|OTEL_.*|SPOOL_.*|SHUTDOWN_GRACE_MS|CATALOG_FILE|DIRECT_URL|CONTAINER)$|(_(API|ACCESS|SECRET)|^ENCRYPTION)_KEY$|_SECRET$|^(DATABASE|REDIS|SMTP)_URL$/;

  test('the Helm chart takes the settings that exist but secrets and what the image fixes, and refuses others', () => {
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    const { $defs } = JSON.parse(text) as {
      $defs: { settings: { propertyNames: Record<string, readonly { enum?: string[] }[]> } };
    };
    const known = Object.keys({ ...sharedSettings, ...upstreamSettings });
    const names = known.filter((name) => !fixed.test(name)).sort();
    if (process.env.RECORD_INTERFACE) {
      const list = JSON.stringify(names, null, 2).replaceAll('\n', '\n            ');
      fs.writeFileSync(
        path.join(root, file),
        text.replace(/("enum": )\[\s+"ALLOW_SIGNUP"[^\]]*\]/, `$1${list}`),
      );
    }
    expect(process.env.RECORD_INTERFACE ? names : $defs.settings.propertyNames.anyOf?.[0]?.enum).toEqual(
      names,
    );
  });

  test('gives the address of the mail server, which has a password, from a secret to the processes that send mail', () => {
    const template = read('helm/image-gateway/templates/_helpers.tpl');
    expect(template).toContain(
      `{{- if and $root.Values.secrets.mail (ne .component "generation-worker") }}
            {{- include "image-gateway.fromSecret" (dict "name" "SMTP_URL" "secret" $root.Values.secrets.mail) | nindent 12 }}`,
    );
  });

  test('restarts the API by /healthz, asks /readyz for traffic only, and gives ten seconds more than the grace', () => {
    const template = read('helm/image-gateway/templates/_helpers.tpl');
    expect(template.match(/livenessProbe:\n\s+httpGet: \{ path: (\S+),/g)).toEqual([
      expect.stringContaining('/healthz'),
      expect.stringContaining('/metrics'),
    ]);
    expect(template.match(/readyz/g)).toHaveLength(1);
    expect(template).toContain('add (ceil (divf $root.Values.shutdownGraceMs 1000)) 10');
  });
});
