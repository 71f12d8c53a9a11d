import type { TaskApi, TaskPreset } from './task-settings.js';

/** Presets of task APIs, as the vendors' documents describe them. */
export const TASK_PRESETS = {
  // docs.apimart.ai/en/api-reference/images and /tasks/status (November 2026). It takes no images as base64 any more.
  apimart: {
    submit: {
      path: '/images/generations',
      body: {
        model: '{model}',
        prompt: '{prompt}',
        size: '{aspect_ratio}',
        resolution: '{RESOLUTION}',
        n: '{n}',
        image_urls: '{inputs}',
        mask_url: '{mask}',
        quality: '{quality}',
        background: '{background}',
        output_format: '{output_format}',
      },
      id: '$.data[*].task_id',
    },
    poll: {
      path: '/tasks/{id}',
      status: '$.data.status',
      running: ['submitted', 'pending', 'queued', 'processing', 'in_progress'],
      done: ['completed'],
      failed: ['failed', 'cancelled'],
      // A list of addresses, or one address.
      images: '$.data.result.images[*].url',
      error: '$.data.error.message',
      code: '$.data.error.code',
      cost: '$.data.cost',
    },
    inputs: { upload: { path: '/uploads/images', field: 'file', url: '$.url' } },
  },
  // docs.evolink.ai/en/api-manual: nanobanana-pro-image-generate, get-task-detail and upload-stream (November 2026); its
  // `quality` is the resolution.
  evolink: {
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
    inputs: {
      upload: {
        path: '/files/upload/stream',
        field: 'file',
        url: '$.data.file_url',
        at: { host: 'api.evolink.ai', base: 'https://files-api.evolink.ai/api/v1' },
      },
    },
    // docs.evolink.ai/en/api-manual/task-management/error-codes (November 2026). `quota_exceeded` is a rate there.
    codes: {
      input: ['invalid_parameters', 'image_processing_error', 'image_dimension_mismatch'],
      no_image: ['generation_failed_no_content'],
      rate: ['quota_exceeded'],
      overload: ['resource_exhausted', 'service_unavailable'],
      timeout: ['generation_timeout'],
      canceled: ['request_cancelled'],
    },
  },
  // docs.kie.ai: market/google/nanobanana-2-1, market/common/get-task-detail and file-upload-api (November 2026). Errors come
  // with status 200.
  kie: {
    submit: {
      path: '/jobs/createTask',
      body: {
        model: '{model}',
        input: {
          prompt: '{prompt}',
          image_input: '{inputs}',
          aspect_ratio: '{aspect_ratio}',
          resolution: '{RESOLUTION}',
          output_format: '{output_format}',
        },
      },
      id: '$.data.taskId',
    },
    poll: {
      path: '/jobs/recordInfo?taskId={id}',
      status: '$.data.state',
      running: ['waiting', 'queuing', 'generating'],
      done: ['success'],
      // 422 and 501 are among the codes of a poll, which may come without a state: the request was invalid, the generation has failed.
      failed: ['fail', '422', '501'],
      parse: '$.data.resultJson',
      images: '$.resultUrls[*]',
      error: '$.data.failMsg',
      code: '$.data.failCode',
    },
    inputs: {
      upload: {
        path: '/file-stream-upload',
        field: 'file',
        fields: { uploadPath: 'images' },
        url: '$.data.downloadUrl',
        at: { host: 'api.kie.ai', base: 'https://kieai.redpandaai.co/api' },
      },
    },
    // 433: the limit of a key below the account's; 455 is maintenance, 505 a feature that is switched off for now.
    codes: { input: ['422'], quota: ['433'], overload: ['455', '505'] },
  },
  // github.com/Wei-Shaw/sub2api docs/ASYNC_IMAGE_TASKS.md; bodies are those of OpenAI's images, where edits are JSON with
  // addresses of images.
  sub2api: {
    submit: {
      path: '/images/generations/async',
      body: {
        model: '{model}',
        prompt: '{prompt}',
        size: '{size}',
        n: '{n}',
        quality: '{quality}',
        background: '{background}',
        output_format: '{output_format}',
      },
      edit: {
        path: '/images/edits/async',
        body: {
          model: '{model}',
          prompt: '{prompt}',
          size: '{size}',
          n: '{n}',
          quality: '{quality}',
          background: '{background}',
          output_format: '{output_format}',
          images: [{ image_url: '{input}' }],
          mask: { image_url: '{mask}' },
        },
      },
      id: '$.task_id',
    },
    poll: {
      path: '/images/tasks/{id}',
      status: '$.status',
      running: ['processing'],
      done: ['completed'],
      failed: ['failed'],
      images: '$.result.data[*].url',
      error: '$.error.message',
      code: "$.error['code','type']",
    },
  },
  'image-gateway': {
    submit: {
      path: '/generate',
      headers: { 'idempotency-key': '{call}' },
      body: {
        model: '{model}',
        prompt: '{prompt}',
        negative_prompt: '{negative_prompt}',
        aspect_ratio: '{aspect_ratio}',
        resolution: '{resolution}',
        num_outputs: '{n}',
        image_urls: '{inputs}',
        quality: '{quality}',
        seed: '{seed}',
        output_format: '{output_format}',
        background: '{background}',
      },
      id: '$.data.id',
    },
    poll: {
      path: '/tasks/{id}',
      status: '$.data.status',
      running: ['pending'],
      done: ['completed'],
      failed: ['failed'],
      images: '$.data.output.urls[*]',
      error: '$.data.error',
      cost: '$.data.cost',
    },
    cancel: { method: 'POST', path: '/tasks/{id}/cancel' },
    idempotent: true,
    codes: {
      moderation: ['rejected by content moderation'],
      input: ['refused the input', 'VALIDATION_ERROR', 'image_urls['],
      billing: ['INSUFFICIENT_BALANCE'],
      timeout: ['not finished in time'],
    },
  },
} as const satisfies Readonly<Record<TaskPreset, TaskApi>>;
