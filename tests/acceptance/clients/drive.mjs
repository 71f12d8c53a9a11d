// Calls the TypeScript client as lines on standard input say, one call a line, and prints one line for each outcome.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { ImageGateway } from '@image-gateway/client';

const [baseUrl, apiKey] = process.argv.slice(2);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

async function collect(list) {
  const items = [];
  for await (const item of list) {
    items.push(item);
  }
  return items;
}

const CALLS = {
  submit: (gateway, { request, key }) => gateway.submit(request, { idempotencyKey: key }),
  async subscribe(gateway, { request, key, timeout }) {
    const task = await gateway.subscribe(request, {
      idempotencyKey: key,
      timeoutMs: timeout && timeout * 1_000,
    });
    // Results are fetched through the same connections.
    const urls = task.output.urls.map((url) => `${baseUrl}${new URL(url).pathname}`);
    const images = await Promise.all(urls.map((url) => gateway.files.download(url)));
    return { task, images: images.map(sha256) };
  },
  wait: (gateway, { id, timeout }) => gateway.tasks.wait(id, { timeoutMs: timeout && timeout * 1_000 }),
  get: (gateway, { id, view }) => gateway.tasks.get(id, { view }),
  events: (gateway, { id }) => collect(gateway.tasks.events(id)),
  cancel: (gateway, { id }) => gateway.tasks.cancel(id),
  async upload(gateway, { file }) {
    const bytes = await readFile(file);
    const uploaded = await gateway.files.upload(bytes);
    const copy = await gateway.files.upload(new Blob([bytes]));
    return {
      uploaded,
      copy,
      sha256: sha256(await gateway.files.download(`${baseUrl}/v1/files/${uploaded.id}`)),
    };
  },
  listFiles: async (gateway) => (await gateway.files.list({ per_page: 1 })).files.map(({ id }) => id),
  uploadPath: (gateway, { file }) => gateway.files.upload(file),
  deleteFile: (gateway, { id }) => gateway.files.delete(id),
  delete: (gateway, { id }) => gateway.tasks.delete(id),
  list: async (gateway, { filters }) => (await collect(gateway.tasks.list(filters))).map(({ id }) => id),
  usage: async (gateway, { filters }) => (await collect(gateway.usage(filters))).map(({ cost }) => cost),
  summary: (gateway) => gateway.usageSummary(),
  quote: (gateway, { request }) => gateway.quote(request),
  models: (gateway) => gateway.models(),
  account: (gateway) => gateway.account(),
  unwrap: (gateway, { body, headers, secret }) => gateway.webhooks.unwrap(body, headers, secret),
};

const said = [];
console.warn = (text) => said.push(text);

function describeError(error) {
  const { name, code, details = {}, status, requestId, task, idempotencyKey, message } = error;
  return {
    name,
    code,
    details,
    status,
    request_id: requestId,
    task,
    idempotency_key: idempotencyKey,
    message,
  };
}

async function run({ nr, call, options, ...args }) {
  try {
    const gateway = new ImageGateway({
      baseUrl: options?.base_url ?? baseUrl,
      apiKey: options?.api_key ?? apiKey,
      headers: options?.headers,
      submitTimeoutMs: options?.submit_timeout * 1_000 || undefined,
    });
    const value = (await CALLS[call](gateway, args)) ?? null;
    return { nr, value, ...(said.length > 0 && { said: said.splice(0) }) };
  } catch (error) {
    return { nr, error: describeError(error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  run(JSON.parse(line)).then((outcome) => process.stdout.write(`${JSON.stringify(outcome)}\n`));
}
