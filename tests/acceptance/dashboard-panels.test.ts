import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { freePort } from './support/product/ports.js';
import { type OwnProduct, projectRoot, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { openScene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';

interface Target {
  readonly expr: string;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly Target[];
}

const { panels } = JSON.parse(
  readFileSync(path.join(projectRoot, 'deploy/grafana/image-gateway.json'), 'utf8'),
) as { panels: readonly Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m')] as const),
);

/** Finds a Prometheus on PATH or in the cache of `scripts/check-deploy.mjs --install`; null when there is none. */
function findPrometheus(): string | null {
  const { PATH = '', DEPLOY_TOOLS_DIR, XDG_CACHE_HOME } = process.env;
  const cache = path.join(XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'image-gateway/deploy-tools');
  const folders = [DEPLOY_TOOLS_DIR || cache, ...PATH.split(path.delimiter)];
  const isThere = (file: string): boolean => {
    try {
      accessSync(file);
      return true;
    } catch {
      return false;
    }
  };
  return folders.map((folder) => path.join(folder, 'prometheus')).find(isThere) ?? null;
}

const prometheus = findPrometheus();

(prometheus === null ? describe.skip : describe)('each panel of the Grafana dashboard', () => {
  let product: OwnProduct;
  let receiver: Receiver;
  let server: ChildProcess;
  let folder: string;
  let url: string;

  beforeAll(async () => {
    receiver = await startReceiver(await freePort());
    product = await startProduct({
      settings: { ...fastSettings, OUTBOUND_ALLOW: `127.0.0.1:${receiver.port}` },
    });
    const customer = await (await openScene(product)).customer();
    const { api, generationWorkers, webhookWorkers } = product.run();
    const targets = [api, ...generationWorkers, ...webhookWorkers].map(
      ({ metricsUrl }) => new URL(metricsUrl).host,
    );
    folder = mkdtempSync(path.join(os.tmpdir(), 'prometheus-'));
    writeFileSync(
      path.join(folder, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s' },
        scrape_configs: [{ job_name: 'image-gateway', static_configs: [{ targets }] }],
      }),
    );
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    server = spawn(
      prometheus ?? '',
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    await eventually(async () => expect(await query('up == 1')).toHaveLength(targets.length));
    // Rates need values before and after: work goes on while Prometheus looks.
    for (let n = 0; n < 6; n += 1) {
      const hook = `http://127.0.0.1:${receiver.port}/ok`;
      const fields = { model: 'nanobanana', prompt: 'sandbox:fixed', webhook_url: hook };
      expect((await customer.client.generate(fields)).status).toBe(202);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }, 700_000);
  afterAll(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
    await product.discard();
    await receiver.close();
  });

  test.each(queries)('%s has data from a real Prometheus: %s', async (_title, expr) => {
    await eventually(async () => {
      expect((await query(expr)).filter((value) => value !== 'NaN')).not.toEqual([]);
    });
  });

  /** Returns the values of a query. */
  async function query(expr: string): Promise<string[]> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { status, data } = (await response.json()) as {
      status: string;
      data?: { result: readonly { value: readonly [number, string] }[] };
    };
    expect(status).toBe('success');
    return data?.result.map(({ value: [, value] }) => value) ?? [];
  }
});
