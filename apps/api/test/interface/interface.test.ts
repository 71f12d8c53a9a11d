import { createMetrics } from '@image-gateway/shared/metrics';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listCommandNames } from '../cli/support/list-command-names.js';
import { runCommand } from '../cli/support/run-command.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { recorded } from './support/recorded.js';
import { runEveryCommand } from './support/run-every-command.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  // Migrations leave the models of the release that brought the catalog. Each start applies those of its own.
  await runCommand({ db: api.test.db }, 'catalog', 'sync');
  await eventually(async () => expect((await api.call('/v1/openapi.json')).text).toContain('"gpt-image"'));
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const pretty = (value: unknown): string => JSON.stringify(value, null, 1);

describe('the interface that tools rely on is the recorded one', () => {
  test('the help of the command line and of each command is the recorded text', async () => {
    const readHelp = async (name: string): Promise<string> => {
      const words = name.split(' ').filter(Boolean);
      return (await runCommand<{ help: string }>({ env: {} }, ...words, '--help')).value.help;
    };
    const help = (await Promise.all(['', ...(await listCommandNames())].map(readHelp))).join('\n\n----\n\n');
    expect(help).toBe(await recorded('cli-help.txt', help));
  });

  test('every command prints, with --json, the recorded fields with the recorded types', async () => {
    // On a gateway of their own: they change the catalog, and another test reads what is on offer.
    const commanded = await startApi();
    try {
      const shapes = pretty(await runEveryCommand(commanded));
      expect(shapes).toBe(await recorded('cli-json.txt', shapes));
      await commanded.test.checkInvariants();
    } finally {
      await commanded.stop();
    }
  });

  test('the OpenAPI document is the recorded one', async () => {
    const { text } = await api.call('/v1/openapi.json');
    const document = pretty(JSON.parse(text));
    expect(document).toBe(await recorded('openapi.txt', document));
  });

  test('every route of the API has the recorded method and path', async () => {
    const routes = api.routes.map(({ method, path }) => `${method} ${path}`).join('\n');
    expect(routes).toBe(await recorded('routes.txt', routes));
  });

  test('every process has metrics of the recorded names, types and labels', async () => {
    const metrics = createMetrics('any').registry.getMetricsAsArray() as unknown as readonly Metric[];
    const own = metrics.filter(({ name }) => name.startsWith('gateway_'));
    const lines = own.map(({ name, type, labelNames }) => `${name} ${type} ${labelNames.join(',')}`.trim());
    const names = lines.sort().join('\n');
    expect(names).toBe(await recorded('metrics.txt', names));
  });
});

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}
