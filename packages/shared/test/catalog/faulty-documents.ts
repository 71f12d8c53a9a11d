/** A document that is right: one model on a provider of its own. */
export const FLUX = `
providers:
  my-gpu: { protocol: openai, base_url: "http://10.0.0.5:8000/v1", key_env: MY_GPU_KEYS, concurrency: 8 }
models:
  flux:
    types: [image_generate]
    price: { 1k: "0.0040" }
    aspect_ratios: ["16:9", "1:1"]
    aliases: [flux-1]
    routes:
      - provider: my-gpu
        model: FLUX.1-schnell
        cost: { 1k: "0.0005" }
`;

/** Replaces a part of the document that is right. */
const change = (find: string, replace: string): string => {
  if (!FLUX.includes(find)) {
    throw new Error(`not in the document: ${find}`);
  }
  return FLUX.replace(find, replace);
};
/** Adds a line to the model of the document that is right. */
export const flux = (line: string): string => `${FLUX}    ${line}\n`;

/** Documents with a fault: the kind, the text, and what its faults must say. */
export const FAULTY_DOCUMENTS: readonly (readonly [string, string, readonly RegExp[]])[] = [
  ['no YAML', 'models: [', [/^line 1, column 10: /]],
  ['an anchor', 'models: &m {}', [/^line 1: anchors/]],
  ['an alias', 'a: &m {}\nb: *m', [/^line 1: anchors/, /^line 2: aliases/]],
  ['a tag', 'models: !!map {}', [/^line 1: tags/]],
  ['a key given twice', 'models: {}\nmodels: {}', [/^line 2, column 1: the same key twice/]],
  ['a list', '- models', [/must be a mapping/]],
  ['more than 1 MiB', `# ${'x'.repeat(1024 * 1024)}`, [/larger than 1048576 bytes/]],
  ['YAML 1.1', '%YAML 1.1\n---\nmodels: {}', [/YAML 1\.2/]],
  [
    'more than 500 models',
    `models:\n${Array.from({ length: 501 }, (_, n) => `  m${n}: {}`).join('\n')}`,
    [/^models: .*500/],
  ],
  ['an unknown field', 'model: {}', [/^model: unknown field; possible: .*models/]],
  [
    'an unknown field of a model',
    flux('colour: red'),
    [/^models\.flux\.colour: unknown field; possible: .*price/],
  ],
  [
    'an unknown field of a route',
    change('model: FLUX.1-schnell', 'model: f\n        speed: 1'),
    [/^models\.flux\.routes\.0\.speed: unknown field; possible: provider, model, cost/],
  ],
  [
    'an unknown field of a provider',
    change('concurrency: 8', 'rate: 8'),
    [/^providers\.my-gpu\.rate: .*protocol/],
  ],
  [
    'an unknown resolution',
    change('price: { 1k', 'price: { 8k: "1", 1k'),
    [/^models\.flux\.price\.8k: .*1k, 2k, 4k/],
  ],
  ['an id in capitals', 'models: { Flux: {} }', [/^models\.Flux: the name must be/]],
  [
    'an unknown provider',
    change('provider: my-gpu', 'provider: other'),
    [/^models\.flux\.routes\.0\.provider: unknown provider "other"; possible: gemini, .*my-gpu/],
  ],
  [
    'an unknown protocol',
    change('protocol: openai', 'protocol: smtp'),
    [/^providers\.my-gpu\.protocol: must be one of/],
  ],
  [
    'a ComfyUI route without a workflow',
    change('protocol: openai', 'protocol: comfyui'),
    [/^models\.flux\.routes\.0\.options\.workflow: must be a workflow in API format/],
  ],
  [
    'a quality that there is not',
    change('{ 1k: "0.0040" }', '{ 1k: { hd: "0.0040" } }'),
    [/^models\.flux\.price\.1k\.hd: unknown quality; possible: low, medium, high, xhigh, max$/],
  ],
  [
    'a price of 0 for a quality',
    change('{ 1k: "0.0040" }', '{ 1k: { low: "0" } }'),
    [/^models\.flux\.price\.1k\.low: must be dollars above 0/],
  ],
  [
    'prices by quality without one',
    change('{ 1k: "0.0040" }', '{ 1k: {} }'),
    [/^models\.flux\.price\.1k: .*at least 1/],
  ],
  [
    'a quality that no route buys',
    change('{ 1k: "0.0040" }', '{ 1k: { medium: "0.0040", high: "0.01" } }'),
    [/^models\.flux\.price\.1k\.high: no route offers it for image_generate; possible: medium$/],
  ],
  [
    'a quality that its route fixes otherwise',
    change('{ 1k: "0.0040" }', '{ 1k: { medium: "0.0040" } }').replace(
      'cost: {',
      'options: { quality: low }\n        cost: {',
    ),
    [/^models\.flux\.price\.1k\.medium: no route offers it for image_generate; possible: low$/],
  ],
  [
    'a quality that its route does not take',
    change('{ 1k: "0.0040" }', '{ 1k: { medium: "0.0040" } }').replace(
      'cost: {',
      'accepts: {}\n        cost: {',
    ),
    [/^models\.flux\.price\.1k\.medium: no route offers it for image_generate; possible: none$/],
  ],
  [
    'an unknown field that a route takes',
    change('cost: {', 'accepts: { hdr: true }\n        cost: {'),
    [/^models\.flux\.routes\.0\.accepts\.hdr: unknown field; possible: quality, output_format/],
  ],
  [
    'a seed that is too large',
    change('cost: {', 'accepts: { seed: 4294967296 }\n        cost: {'),
    [/^models\.flux\.routes\.0\.accepts\.seed: /],
  ],
  [
    'a timeout over 900 s',
    change('cost: {', 'timeout: 901\n        cost: {'),
    [/^models\.flux\.routes\.0\.timeout: must be less than or equal to 900/],
  ],
  ['a price of 0', change('"0.0040"', '"0"'), [/^models\.flux\.price\.1k: must be dollars above 0/]],
  ['a price with seven decimals', change('"0.0040"', '"0.0000001"'), [/^models\.flux\.price\.1k: /]],
  ['a price that is a number', change('"0.0040"', '0.004'), [/^models\.flux\.price\.1k: must be dollars/]],
  [
    'a model without a price',
    change('    price: { 1k: "0.0040" }\n', ''),
    [/^models\.flux\.price: is required/],
  ],
  ['a model without routes', 'models: { m: { price: { 1k: "1" } } }', [/^models\.m\.routes: is required/]],
  [
    'a resolution that no route offers',
    change('{ 1k: "0.0040" }', '{ 1k: "0.0040", 4k: "0.01" }'),
    [/^models\.flux\.price\.4k: no route offers it for image_generate; possible: 1k$/],
  ],
  [
    'a type that no route offers',
    change('cost: { 1k: "0.0005" }', 'cost: { 1k: "0" }\n        types: [image_edit]'),
    [/^models\.flux\.types: no route does image_generate; possible: image_edit$/],
  ],
  [
    'a ratio that no route offers',
    change('cost: { 1k: "0.0005" }', 'cost: { 1k: "0" }\n        sizes: { "16:9": { 1k: "1344x768" } }'),
    [/^models\.flux\.aspect_ratios: no route draws 1:1 at 1k .*possible: 16:9$/],
  ],
  [
    'more inputs than a route takes',
    change('types: [image_generate]', 'max_inputs: 4').replace('cost: {', 'max_inputs: 2\n        cost: {'),
    [/^models\.flux\.max_inputs: no route takes 4 input images at 1k; possible: up to 2$/],
  ],
  [
    'an alias that is an id',
    change('[flux-1]', '[nanobanana]'),
    [/^models\.flux\.aliases\.0: .*id of a model/],
  ],
  [
    'an alias given twice',
    `${change('[flux-1]', '[dall-e-2]')}  nanobanana:\n    aliases: [dall-e-2]\n`,
    [/^models\.flux\.aliases\.0: .*alias of nanobanana/],
  ],
  ['a default model that there is not', 'default_model: other', [/^default_model: .*possible: nanobanana, /]],
  [
    'a default resolution without a price',
    flux('default_resolution: 4k'),
    [/default_resolution: has no price; possible: 1k$/],
  ],
  [
    'a default ratio that is not listed',
    flux('default_aspect_ratio: "9:16"'),
    [/default_aspect_ratio: .*possible: 16:9, 1:1$/],
  ],
  [
    'a built-in provider as an instance',
    'providers: { openai: { protocol: openai, base_url: "http://a.example" } }',
    [/^providers\.openai: .*built-in/],
  ],
  [
    'an instance without an address',
    'providers: { gpu: { protocol: openai } }',
    [/^providers\.gpu: base_url is required/],
  ],
  [
    'a key variable of the gateway',
    change('MY_GPU_KEYS', 'S3_SECRET_KEY'),
    [/key_env: S3_SECRET_KEY is a setting of the gateway/],
  ],
  [
    "a built-in provider's key",
    change('MY_GPU_KEYS', 'GEMINI_API_KEY'),
    [/key_env: GEMINI_API_KEY is a setting/],
  ],
  [
    'another key variable',
    change('MY_GPU_KEYS', 'AUTH_SECRET'),
    [/key_env: must be the name of an environment variable that ends with _KEY/],
  ],
  [
    'a metadata address',
    change('10.0.0.5:8000', '169.254.169.254'),
    [/base_url: must not be a metadata or link-local address/],
  ],
  [
    'a metadata address in hexadecimal',
    change('10.0.0.5:8000', '0xa9fea9fe'),
    [/base_url: must not be a metadata/],
  ],
  [
    'a metadata name',
    change('10.0.0.5:8000', 'metadata.google.internal'),
    [/base_url: must not be a metadata/],
  ],
  [
    'a link-local address',
    change('10.0.0.5:8000', '[fe80::1]'),
    [/base_url: must not be a metadata or link-local/],
  ],
  ['a mapped link-local address', change('10.0.0.5:8000', '[::ffff:169.254.1.1]'), [/base_url: must not be/]],
  [
    'an address with user info',
    change('http://', 'http://a:b@'),
    [/base_url: must be an http or https URL.*key_env/],
  ],
  ['another scheme', change('http://', 'ftp://'), [/base_url: must be an http or https URL/]],
  [
    'a built-in model with one type',
    'models: { nanobanana: { types: [image_edit] } }',
    [/^models\.nanobanana\.types: the specification/],
  ],
  [
    'a built-in model with other ratios',
    'models: { nanobanana: { aspect_ratios: ["1:1"] } }',
    [/nanobanana\.aspect_ratios: the specification/, /default_aspect_ratio/],
  ],
  [
    'a built-in model without 4k',
    'models: { nanobanana: { price: { 1k: "1", 2k: "1" } } }',
    [/nanobanana\.price: the specification/],
  ],
  [
    'a built-in model with fewer inputs',
    'models: { nanobanana: { max_inputs: 8 } }',
    [/nanobanana\.max_inputs: the specification fixes it for this model; possible: 9/],
  ],
  [
    'a built-in model with fewer outputs',
    'models: { nanobanana-pro: { max_outputs: 3 } }',
    [/nanobanana-pro\.max_outputs: the specification/],
  ],
  [
    'fields that no request of a protocol has a place for',
    `
models:
  odd:
    price: { 1k: "1" }
    routes:
      - { provider: gemini, model: x, cost: { 1k: "0" }, accepts: { quality: [low], seed: true, mask: true } }
      - { provider: openrouter, model: x, cost: { 1k: "0" }, accepts: { quality: [low], mask: true } }`,
    [
      /^models\.odd\.routes\.0\.accepts\.quality: a request of the protocol gemini has no place for it; possible: seed$/,
      /^models\.odd\.routes\.0\.accepts\.mask: /,
      /^models\.odd\.routes\.1\.accepts\.mask: a request of the protocol openrouter has no place for it; possible: quality, /,
    ],
  ],
];
