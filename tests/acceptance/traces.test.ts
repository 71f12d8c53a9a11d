import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { freePort } from './support/product/ports.js';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { openScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';
import { startTraceCollector, type TraceCollector } from './support/servers/trace-collector.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const STEPS = ['POST /v1/generate', 'claim', 'provider sandbox', 'store', 'settle', 'webhook'];

let collector: TraceCollector;
let receiver: Receiver;
let product: OwnProduct;
let scene: Scene;

beforeAll(async () => {
  collector = await startTraceCollector();
  const port = await freePort();
  receiver = await startReceiver(port);
  const OUTBOUND_ALLOW = `127.0.0.1:${port}`;
  product = await startProduct({
    settings: {
      ...fastSettings,
      OUTBOUND_ALLOW,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
  scene = await openScene(product);
}, 700_000);
afterAll(async () => {
  await scene.audit();
  await product.discard();
  await Promise.all([receiver.close(), collector.close()]);
});

test('a submit is one trace from its request over the work of both workers to its webhook, and continues that of the caller', async () => {
  const { client } = await scene.customer();
  const prompt = 'sandbox:fixed a secret fox';
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  const webhook_url = receiver.url('/traced');
  const { data } = await client.generate({ prompt, num_outputs: 2, webhook_url }, { traceparent });
  await client.finished(data.id);
  const [posted] = await receiver.arrived('/traced');
  const spans = await collector.trace(TRACE, [...STEPS, 'store']);
  const [server] = spans.filter(({ name }) => name === 'POST /v1/generate');
  expect(server).toMatchObject({ service: 'image-gateway-api', kind: 2, parentSpanId: CALLER });
  const others = spans.filter((span) => span !== server);
  expect(new Set(others.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([server?.spanId]));
  const services = Object.fromEntries(others.map(({ name, service }) => [name, service]));
  expect(services).toEqual({
    claim: 'image-gateway-generation-worker',
    'provider sandbox': 'image-gateway-generation-worker',
    store: 'image-gateway-generation-worker',
    settle: 'image-gateway-generation-worker',
    webhook: 'image-gateway-webhook-worker',
  });
  expect(others.filter(({ name }) => name === 'store')).toHaveLength(2);
  const attributes = Object.fromEntries(spans.map(({ name, attributes: found }) => [name, found]));
  expect(attributes['POST /v1/generate']).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/v1/generate',
    'url.path': '/v1/generate',
    'url.scheme': 'http',
    'http.response.status_code': 202,
  });
  expect(attributes['provider sandbox']).toMatchObject({
    'gen_ai.operation.name': 'generate_content',
    'gen_ai.provider.name': 'sandbox',
    'gen_ai.request.model': 'nanobanana',
    'gen_ai.output.type': 'image',
  });
  expect(attributes.webhook).toMatchObject({ 'http.response.status_code': 200 });
  // The receiver can continue the trace below the span of its webhook.
  const webhook = spans.find(({ name }) => name === 'webhook');
  expect(posted?.headers.traceparent).toBe(`00-${TRACE}-${webhook?.spanId}-01`);
  for (const { resource } of spans) {
    expect(resource).toMatchObject({
      'service.namespace': 'image-gateway',
      'service.version': expect.any(String),
      'service.instance.id': expect.any(String),
      'deployment.environment.name': 'test',
    });
  }
  for (const { text } of spans) {
    expect(text).not.toMatch(/fox|\/traced|Bearer/);
  }
});

test('a traceparent that is not valid begins a trace of the gateway, and a caller that does not sample is not recorded', async () => {
  const { client } = await scene.customer();
  const before = collector.spans().length;
  const unsampled = '0af7651916cd43dd8448eb211c80319c';
  const headers = [`00-${unsampled}-${CALLER}-00`, `00-${'0'.repeat(32)}-${CALLER}-01`, "x' OR 1=1 --"];
  const tasks = [];
  for (const traceparent of headers) {
    tasks.push((await client.generate({ prompt: 'sandbox:fixed' }, { traceparent })).data);
  }
  await Promise.all(tasks.map(({ id }) => client.finished(id)));
  const own = (): string[] => {
    const found = collector
      .spans()
      .slice(before)
      .filter(({ name }) => name === 'POST /v1/generate');
    return found.map(({ traceId }) => traceId);
  };
  const second = await eventually(() => {
    const found = own();
    expect(found.length).toBeGreaterThanOrEqual(2);
    return found[1] ?? '';
  });
  await collector.trace(second, STEPS.slice(0, 5));
  expect(own()).toHaveLength(2);
  expect(collector.spans().some(({ traceId }) => traceId === unsampled)).toBe(false);
});
