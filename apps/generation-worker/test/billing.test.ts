import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useWorld } from './support/use-world.js';

const world = useWorld();
let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
afterAll(() => stub.close());

test('one key of Gemini without money costs one call, raises an alert and is named in the log', async () => {
  stub.behave('gemini', 'billing');
  const [key = ''] = stub.keys.gemini;
  const worker = world.start(null, {
    settings: { ...stub.environment, PROVIDERS: 'gemini', GEMINI_API_KEY: key },
  });
  const id = await world.submit();
  expect(await world.ended(id)).toMatchObject({ status: 'failed', error: 'The upstream provider failed.' });
  expect(stub.calls({ kind: 'submit' })).toHaveLength(1);
  expect(await world.calls(id)).toMatchObject([{ state: 'failed', detail: 'billing' }]);
  expect((await worker.metrics.providerAlerts.get()).values).toMatchObject([
    { labels: { provider: 'gemini', failure: 'billing' }, value: 1 },
  ]);
  const line = world.lines.find(
    ({ message, taskId }) => message === 'a provider call failed' && taskId === id,
  );
  expect(JSON.stringify(line)).toContain('prepayment credits are depleted');
});
