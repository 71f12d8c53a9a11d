import type { Mutant } from '../mutant.js';

const providers = 'apps/generation-worker/src/providers';
const matrix = 'apps/generation-worker/test/providers/field-matrix.test.ts';

/** Defects in what becomes of the optional fields of a request. */
export const fieldMutants: readonly Mutant[] = [
  {
    name: 'openai-drops-fields',
    defect: 'OpenAI is asked for none of the optional fields',
    edits: [
      {
        file: `${providers}/openai/build-request.ts`,
        find: '        ...writeFields(fields),\n',
        replace: '',
      },
    ],
    hunters: [matrix],
  },
  {
    name: 'openai-drops-mask',
    defect: 'OpenAI gets an edit without its mask',
    edits: [
      {
        file: `${providers}/openai/build-request.ts`,
        find: '    mask: fields.mask,\n',
        replace: '    mask: undefined,\n',
      },
    ],
    hunters: [matrix],
  },
  {
    name: 'gemini-drops-seed',
    defect: 'Gemini is asked without the seed',
    edits: [{ file: `${providers}/gemini/build-request.ts`, find: ', seed: fields.seed }', replace: ' }' }],
    hunters: [matrix],
  },
  {
    name: 'fal-drops-fields',
    defect: 'fal is asked for none of the optional fields',
    edits: [
      { file: `${providers}/fal/build-request.ts`, find: '        ...writeFields(fields),\n', replace: '' },
    ],
    hunters: [matrix],
  },
  {
    name: 'replicate-drops-fields',
    defect: 'Replicate is asked for none of the optional fields',
    edits: [
      { file: `${providers}/replicate/build-request.ts`, find: ' ...writeFor(model, fields),', replace: '' },
    ],
    hunters: [matrix],
  },
  {
    name: 'openrouter-drops-fields',
    defect: 'OpenRouter is asked for none of the optional fields',
    edits: [
      { file: `${providers}/openrouter/build-request.ts`, find: ', ...writeFields(fields)', replace: '' },
    ],
    hunters: [matrix],
  },
  {
    name: 'comfyui-draws-own-seed',
    defect: 'a workflow runs with another seed than the one that was asked for',
    edits: [
      { file: `${providers}/comfyui/build-request.ts`, find: 'request.fields.seed ?? seed', replace: 'seed' },
    ],
    hunters: [matrix],
  },
  {
    name: 'task-drops-fields',
    defect: 'a task API is asked for none of the optional fields',
    edits: [
      {
        file: `${providers}/task/build-request.ts`,
        find: '    quality,\n    seed,\n    output_format: outputFormat,\n    background,\n',
        replace: '',
      },
    ],
    hunters: [matrix],
  },
  {
    name: 'bfl-drops-seed',
    defect: 'BFL is asked without the seed',
    edits: [{ file: `${providers}/bfl/build-request.ts`, find: 'seed: fields.seed,', replace: '' }],
    hunters: [matrix],
  },
  {
    name: 'sdapi-drops-seed',
    defect: 'a server of /sdapi is asked without the seed',
    edits: [{ file: `${providers}/sdapi/build-request.ts`, find: 'fields.seed ?? -1', replace: '-1' }],
    hunters: ['apps/generation-worker/test/providers/sdapi.test.ts'],
  },
  {
    name: 'seed-of-the-first-image-for-all',
    defect: 'all images of a task have the seed of the first one',
    edits: [
      {
        file: 'apps/generation-worker/src/routing/choose-fields.ts',
        find: '(seed + slot) % (max + 1)',
        replace: 'seed % (max + 1)',
      },
    ],
    hunters: ['apps/generation-worker/src/routing/choose-fields.test.ts'],
  },
  {
    name: 'unused-wishes-are-not-named',
    defect: 'a wish that the route left out is not written into the task',
    edits: [
      {
        file: 'apps/generation-worker/src/steps/store.ts',
        find: '  await saveUnused(deps.db, attempt, drawing.unused);\n',
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/fields.test.ts'],
  },
  {
    name: 'facts-are-not-stored',
    defect: 'what the upstream says about an image is lost',
    edits: [
      {
        file: 'apps/generation-worker/src/steps/store.ts',
        find: ', sha256, facts: drawing.facts }',
        replace: ', sha256 }',
      },
    ],
    hunters: ['apps/generation-worker/test/fields.test.ts'],
  },
  {
    name: 'refused-fields-are-forgotten',
    defect: 'an upstream that refuses a field is asked for it by every task',
    edits: [
      {
        file: 'apps/generation-worker/src/calls/run-call.ts',
        find: '      fields.refuse(candidate, refused.refusal);\n',
        replace: '',
      },
    ],
    hunters: ['apps/generation-worker/test/fields.test.ts'],
  },
  {
    name: 'sandbox-ignores-seed',
    defect: 'the sandbox draws another image for the same seed',
    edits: [
      {
        file: `${providers}/sandbox/render-image.ts`,
        find: 'fields.seed === undefined ? slot : `seed ${fields.seed}`',
        replace: 'slot',
      },
    ],
    hunters: [`${providers}/sandbox/render-image.test.ts`],
  },
  {
    name: 'mask-stays-lying',
    defect: 'the mask of a photo is not turned with it',
    edits: [
      {
        file: 'apps/generation-worker/src/inputs/fit-mask.ts',
        find: 'isSame ? orientation : 1',
        replace: '1',
      },
    ],
    hunters: ['apps/generation-worker/src/inputs/fit-mask.test.ts'],
  },
  {
    name: 'mask-inverted',
    defect: 'what the customer wants to keep is drawn anew',
    edits: [
      {
        file: `${providers}/read-hole.ts`,
        find: 'alpha === 0 ? 255 : 0',
        replace: 'alpha === 0 ? 0 : 255',
      },
    ],
    hunters: [`${providers}/sandbox/render-image.test.ts`],
  },
  {
    name: 'errors-in-good-answers',
    defect: 'an error with status 200 is a bad response',
    edits: [
      {
        file: `${providers}/openai/to-provider-error.ts`,
        find: 'isMasked || (status >= 400 && status < 500 && status !== UNAUTHORIZED)',
        replace: 'status >= 400 && status < 500 && status !== UNAUTHORIZED',
      },
    ],
    hunters: [`${providers}/openai/to-provider-error.test.ts`],
  },
];
