import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { getPrice } from '@image-gateway/shared/billing';
import { type Catalog, checkDocument, readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import {
  listServiceAccountKeys,
  type StubProvider,
  type StubUpstreams,
  startStubUpstreams,
} from '@image-gateway/stub-upstreams';
import { applyCatalog, type Litellm, startLitellm } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { TASK_FOLDERS } from './support/build-documents.js';
import { QUICK_PACE } from './support/quick-pace.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const FENCED = /^## (.+)$|^```yaml\n([\s\S]*?)^```$/gm;
// The config file of another program.
const PROVIDER = /litellm_params: \{[^}]*\}/g;
const isDocument = (text: string): boolean => !text.includes('model_list:');
// Set by .ci/litellm: then the program itself stands between the gateway and the stub.
const { LITELLM_BIN } = process.env;
let stub: StubUpstreams;
let litellm: Litellm | null = null;

beforeAll(async () => {
  const openai = ['', 'stub-openai-1', 'stub-openai-2'];
  stub = await startStubUpstreams({ keys: { openai }, deployments: ['my-image-deployment', 'vertex-image'] });
  litellm = LITELLM_BIN ? await startLitellm(LITELLM_BIN, { config: readLitellmConfig() }) : null;
}, 180_000);
afterEach(() => stub.forgetCalls());
afterAll(async () => {
  await litellm?.stop();
  await stub.close();
});

/** Every document of the pages, with its page and heading. */
function listRecipes(): [string, string][] {
  const pages = readdirSync(`${DOCS}providers`).map((name) => `providers/${name}`);
  return ['catalog.md', ...pages].flatMap((page) => {
    let heading = '';
    return [...readFileSync(`${DOCS}${page}`, 'utf8').matchAll(FENCED)].flatMap(
      ([, title, text]): [string, string][] => {
        heading = title ?? heading;
        return text !== undefined && isDocument(text) ? [[`${page}, ${heading}`, text]] : [];
      },
    );
  });
}

/** Config file of LiteLLM as the page has it; only the provider behind it is the stub. */
function readLitellmConfig(): string {
  const page = readFileSync(`${DOCS}providers/recipes.md`, 'utf8');
  const config = [...page.matchAll(FENCED)].map(([, , text]) => text ?? '').find((text) => !isDocument(text));
  if (config === undefined) {
    throw new Error('recipes.md has no config file of LiteLLM');
  }
  const key = stub.keys.openai.find((one) => one !== '');
  const params = `litellm_params: { model: openai/gpt-image-2, api_base: "${stub.url}/v1", api_key: ${key} }`;
  return config.replaceAll(PROVIDER, params);
}

const builtIn = readBuiltInCatalog().models;
const read = (source: string): Catalog => {
  const checked = checkDocument(source);
  if ('faults' in checked) {
    throw new Error(JSON.stringify(checked.faults));
  }
  return checked.catalog;
};

const listKeys = (protocol: StubProvider): readonly string[] =>
  protocol === 'vertex' ? listServiceAccountKeys(stub.url) : stub.keys[protocol];
const countOpenAiCalls = (): number => stub.calls({ provider: 'openai', kind: 'submit' }).length;

describe('a document in the pages about providers', () => {
  test('a document in the pages about providers is found for every recipe', () => {
    const names = listRecipes().map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'providers/openai.md, A GPU of your own',
        'providers/comfyui.md, A GPU of your own with ComfyUI',
        'providers/recipes.md, Azure OpenAI',
        'providers/recipes.md, LiteLLM in front of everything else',
        'providers/recipes.md, Two accounts of one provider',
      ]),
    );
  });

  test.each(listRecipes())(
    'a document in the pages about providers draws as it stands: %s',
    async (name, recipe) => {
      const proxy = name.includes('LiteLLM') ? litellm : null;
      // Only the hosts are others.
      const source = recipe
        .replace(
          /preset: ([\w-]+), base_url: "[^"]*"/g,
          (_, preset: keyof typeof TASK_FOLDERS) =>
            `preset: ${preset}, base_url: "${stub.url}/task/${TASK_FOLDERS[preset]}"`,
        )
        .replace('https://relay.example/', `${stub.url}/task/evolink/`)
        .replace(/(base_url: "?)https?:\/\/(?!127\.0\.0\.1)[^/"\s]+/g, `$1${(proxy ?? stub).url}`);
      const { models, instances } = read(source);
      const keys = [...instances.values()].flatMap(({ protocol, keyEnv }) =>
        keyEnv === null || protocol === 'sandbox'
          ? []
          : [[keyEnv, proxy?.key ?? listKeys(protocol).join(',')]],
      );
      const version = await applyCatalog(world.test, source);
      const settings = { ...stub.environment, ...Object.fromEntries(keys) };
      world.start(null, {
        settings: { ...settings, PROVIDERS: '', SANDBOX_FALLBACK: 'false' },
        jobPace: QUICK_PACE,
      });
      // Models that the document leaves alone are drawn elsewhere.
      const own = [...models.values()].filter((one) => !isDeepStrictEqual(one, builtIn.get(one.id)));
      expect(own).not.toEqual([]);
      for (const one of own) {
        const { id: model, types, defaultResolution, routes } = one;
        const possible = routes.map(({ provider }) => provider);
        const request = { model, resolution: defaultResolution };
        const price = getPrice({ models: [one], version, newestVersion: version }, request);
        const earlier = countOpenAiCalls();
        const first = await world.submit(request, { price });
        expect(await world.ended(first)).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
        const [drawn] = await world.calls(first);
        expect(possible).toContain(drawn?.provider);
        if (drawn?.provider === 'litellm') {
          expect(countOpenAiCalls() - earlier).toBe(1);
        }
        if (types.includes('image_edit')) {
          const [output] = await world.outputs(first);
          const image_urls = [`http://gateway.test/files/${output?.key}`];
          const edit = await world.submit({ ...request, image_urls }, { price });
          expect(await world.ended(edit)).toMatchObject({ status: 'completed', tries: 0, call_count: 1 });
        }
      }
    },
  );
});
