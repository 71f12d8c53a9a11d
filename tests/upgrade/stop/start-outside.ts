import { buildPng, startReceiver } from '@image-gateway/testing';

/** A webhook as it came in, and how it was answered. */
export interface Hook {
  readonly path: string;
  readonly id: string;
  readonly status: number;
}

/** Everything outside the gateway: a vendor whose jobs are polled, and the receiver of webhooks. */
export type Outside = Awaited<ReturnType<typeof startOutside>>;

/** Starts both on one port of loopback. */
export async function startOutside() {
  const bought: string[] = [];
  const hooks: Hook[] = [];
  const image = buildPng({ width: 2048, height: 1152, depth: 8, colour: 'rgb' });
  let isOpen = false;
  const { url, hostPort, close } = await startReceiver((response, { path, headers, body }) => {
    if (path === '/image.png') {
      response.setHeader('content-type', 'image/png').end(image);
    } else if (path === '/jobs') {
      bought.push((JSON.parse(body.toString()) as { prompt: string }).prompt);
      response.end(JSON.stringify({ id: `job_${bought.length}` }));
    } else if (path.startsWith('/jobs/')) {
      const done = { status: 'done', images: [`${url}/image.png`] };
      response.end(JSON.stringify(isOpen ? done : { status: 'running' }));
    } else {
      const status = isOpen ? 200 : 503;
      hooks.push({ path, id: String(headers['webhook-id']), status });
      response.writeHead(status).end();
    }
  });
  return {
    url,
    /** Settings with which a gateway uses both, and waits for them long enough. */
    settings: {
      PROVIDERS: 'sandbox,jobs',
      JOBS_API_KEY: 'a-key-of-the-vendor',
      OUTBOUND_ALLOW: hostPort,
      TASK_DEADLINE_MS: '600000',
      WEBHOOK_RETRY_SCHEDULE: '1,1,2,3,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5',
    },
    /** Prompts of the jobs that were bought, in order. */
    bought: (): readonly string[] => bought,
    hooks: (): readonly Hook[] => hooks,
    /** From now on every job is done, and every webhook is taken; until then jobs run and webhooks get 503. */
    open: () => {
      isOpen = true;
    },
    close,
  };
}

/** Catalog with a model that the vendor's jobs draw, and one that the sandbox draws at once. */
export const describeCatalog = ({ url }: Outside): string => `
providers:
  jobs:
    protocol: task
    base_url: "${url}"
    key_env: JOBS_API_KEY
    submit: { path: /jobs, body: { prompt: "{prompt}" }, id: "$.id" }
    poll: { path: "/jobs/{id}", status: "$.status", running: [running], done: [done], failed: [failed], images: "$.images[*]", error: "$.error" }
models:
  quick: { types: [image_generate], price: { 1k: "0.01" }, routes: [{ provider: sandbox, model: sandbox, cost: { 1k: "0.001" } }] }
  poster: { types: [image_generate], price: { 1k: "0.01" }, routes: [{ provider: jobs, model: poster, cost: { 1k: "0.005" } }] }
`;
