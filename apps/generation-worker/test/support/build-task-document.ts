/** Setting that holds the keys of the task instance. */
export const TASK_KEYS = 'TASK_KEYS';

/** Presets, and an API that is described in the document; each with its folder of the stub. */
export const TASK_FOLDERS = {
  apimart: 'apimart/v1',
  evolink: 'evolink/v1',
  kie: 'kie/api/v1',
  sub2api: 'sub2api/v1',
  'image-gateway': 'gateway/v1',
  described: 'evolink/v1',
} as const;

/** Description of an API that has no preset. */
const DESCRIBED = {
  submit: {
    path: '/images/generations',
    body: {
      model: '{model}',
      prompt: '{prompt}',
      size: '{aspect_ratio}',
      quality: '{RESOLUTION}',
      image_urls: '{inputs}',
    },
    id: '$.id',
  },
  poll: {
    path: '/tasks/{id}',
    status: '$.status',
    running: ['pending', 'processing'],
    done: ['completed'],
    failed: ['failed', 'cancelled'],
    images: '$.results[*]',
    error: '$.error.message',
    code: '$.error.code',
  },
};

/** Builds a document in which the instance `task` draws both named models through a task API, and Gemini is next. */
export function buildTaskDocument(url: string, preset: keyof typeof TASK_FOLDERS, more: object = {}): string {
  const cost = { '1k': '0.001', '2k': '0.002', '4k': '0.004' };
  // Another gateway edits where its routes say so.
  const types = ['image_generate', 'image_edit'];
  const routes = [
    { provider: 'task', model: 'a-model', cost, types },
    { provider: 'task', model: 'another-model', cost, types },
    { provider: 'gemini', model: 'gemini-3-pro-image', cost },
  ];
  const base_url = `${url}/task/${TASK_FOLDERS[preset]}`;
  return JSON.stringify({
    providers: {
      task: {
        protocol: 'task',
        ...(preset === 'described' ? DESCRIBED : { preset }),
        base_url,
        key_env: TASK_KEYS,
        ...more,
      },
    },
    models: { nanobanana: { routes }, 'nanobanana-pro': { routes } },
  });
}
