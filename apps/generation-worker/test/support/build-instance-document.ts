/** Protocols of instances with the settings that hold their keys. */
export const INSTANCE_KEYS = {
  'azure-openai': 'AZURE_OPENAI_KEYS',
  bfl: 'BFL_KEYS',
  dashscope: 'DASHSCOPE_KEYS',
  sdapi: 'SDAPI_KEYS',
  vertex: 'VERTEX_KEYS',
} as const;

/** A protocol whose providers are instances of the catalog. */
export type InstanceName = keyof typeof INSTANCE_KEYS;

const ROUTES: Readonly<Record<InstanceName, readonly object[]>> = {
  vertex: [{ model: 'gemini-3-pro-image' }],
  'azure-openai': [{ model: 'my-deployment' }],
  bfl: [
    { model: 'flux-2-pro', max_inputs: 8 },
    { model: 'flux-2-max', max_inputs: 8 },
  ],
  dashscope: [{ model: 'qwen-image-3.0-pro', max_inputs: 3, max_images_per_call: 4 }],
  sdapi: [
    { model: 'sd_xl_base_1.0', max_inputs: 1, max_images_per_call: 4 },
    { model: 'flux1-dev-Q8_0', max_inputs: 1, max_images_per_call: 4 },
  ],
};

/** Builds a document in which an instance draws both named models, and Gemini is next. */
export function buildInstanceDocument(name: InstanceName, url: string): string {
  const base_url = name === 'vertex' ? `${url}/v1/projects/p/locations/global` : url;
  const cost = { '1k': '0.001', '2k': '0.002', '4k': '0.004' };
  const { '4k': _none, ...smaller } = cost;
  const own = name === 'bfl' || name === 'dashscope' ? smaller : cost;
  const routes = [
    ...ROUTES[name].map((route) => ({ provider: name, cost: own, ...route })),
    { provider: 'gemini', model: 'gemini-3-pro-image', cost },
  ];
  return JSON.stringify({
    providers: { [name]: { protocol: name, base_url, key_env: INSTANCE_KEYS[name] } },
    models: { nanobanana: { routes }, 'nanobanana-pro': { routes } },
  });
}
