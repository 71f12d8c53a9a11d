import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.js';
import { killProcess } from './kill-process.js';
import { startService } from './start-service.js';

/** Running LiteLLM proxy. */
export type Litellm = Awaited<ReturnType<typeof startLitellm>>;

const KEY = 'sk-litellm-of-a-test';

/** Starts LiteLLM with the text of a config file and these settings. Throws Error when it does not serve. */
export async function startLitellm(
  program: string,
  {
    config,
    settings = {},
  }: { readonly config: string; readonly settings?: Readonly<Record<string, string>> },
) {
  const [folder, port] = await Promise.all([mkdtemp(path.join(tmpdir(), 'litellm-')), freePort()]);
  const file = path.join(folder, 'config.yaml');
  await writeFile(file, config);
  const url = `http://127.0.0.1:${port}`;
  const child = await startService(
    program,
    ['--config', file, '--host', '127.0.0.1', '--port', String(port)],
    {
      cwd: folder,
      // The price list of the package: LiteLLM would ask GitHub for it at each start. No DATABASE_URL, which it would use.
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        LITELLM_MASTER_KEY: KEY,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        ...settings,
      },
      probe: `${url}/health/liveliness`,
    },
  );
  return {
    url,
    key: KEY,
    stop: async () => {
      await killProcess(child);
      await rm(folder, { recursive: true });
    },
  };
}
