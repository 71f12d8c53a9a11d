import { applyCatalog } from '@image-gateway/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildComfyuiDocument } from '../support/build-comfyui-document.js';
import { COMFY_KEYS, describeJobs, describeUpstream, useUpstreams } from '../support/describe-upstream.js';

const upstreams = useUpstreams();

describe('comfyui, an instance of the catalog', () => {
  beforeAll(async () => {
    const document = buildComfyuiDocument({ url: upstreams.stub().url, keyEnv: COMFY_KEYS });
    upstreams.setCatalog(await applyCatalog(upstreams.world().test, document));
  });
  describeUpstream('comfyui');
  describeJobs('comfyui');

  test('comfyui, an instance of the catalog whose server lacks a node of the workflow is left for the next one, with an alert', async () => {
    const world = upstreams.world();
    const document = buildComfyuiDocument({ url: upstreams.stub().url, keyEnv: COMFY_KEYS });
    upstreams.setCatalog(await applyCatalog(world.test, document.replaceAll('SaveImage', 'SaveFox')));
    upstreams.start(['comfyui', 'gemini']);
    const id = await upstreams.submit();
    expect(await world.ended(id, 30_000)).toMatchObject({ status: 'completed', tries: 0 });
    expect(await world.calls(id)).toMatchObject([
      { provider: 'comfyui', state: 'failed', detail: 'config-drift' },
      { provider: 'gemini', state: 'succeeded' },
    ]);
    expect((await upstreams.workers()[0]?.metrics.providerAlerts.get())?.values).toMatchObject([
      { labels: { provider: 'comfyui', failure: 'config-drift' }, value: 1 },
    ]);
  });
});
