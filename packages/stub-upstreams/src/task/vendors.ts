import type { FieldRule } from '../core/check-fields.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';

/** Names of the vendors. */
export type VendorName = 'apimart' | 'evolink' | 'kie' | 'sub2api' | 'gateway';

/** How a vendor words a state of a job. */
export interface VendorJob {
  readonly id: string;
  readonly model: string;
}

/** A task API as its vendor's documents describe it. */
export interface Vendor {
  /** Paths of submissions below the vendor's own folder, each with the fields of its body. */
  readonly submits: Readonly<Record<string, Readonly<Record<string, FieldRule>>>>;
  /** Where polls go: the id follows the path. */
  readonly poll: string;
  readonly cancel?: (id: string) => string;
  readonly upload?: { readonly path: string; readonly answer: (url: string) => object };
  /** The object with prompt and shape. */
  readonly read: (body: unknown) => Readonly<Record<string, unknown>>;
  /** The fields of the prompt's shape by the stub's own names. */
  readonly names: { readonly ratio: string; readonly resolution: string; readonly number: string };
  readonly listInputs: (input: Readonly<Record<string, unknown>>) => readonly unknown[];
  readonly accepted: (job: VendorJob) => StubResponse;
  readonly running: (job: VendorJob) => object;
  readonly done: (job: VendorJob, urls: readonly string[]) => object;
  readonly failed: (job: VendorJob, error: { readonly code: string; readonly message: string }) => object;
  /** An answer that is no success. */
  readonly refusal: (status: number, code: string, message: string) => StubResponse;
}

const text: FieldRule = { type: 'string' };
const required: FieldRule = { type: 'string', required: true };
const number: FieldRule = { type: 'integer', min: 1, max: 4 };
const addresses: FieldRule = { type: 'array', max: 14, items: text };
const google: FieldRule = { type: 'string', allowed: ['0.5K', '1K', '2K', '4K'] };
const quality: FieldRule = { type: 'string', allowed: ['auto', 'low', 'medium', 'high'] };
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const PRICE = 0.015;

const openai = {
  model: required,
  prompt: required,
  size: { type: 'string' },
  n: number,
  quality,
  background: text,
  output_format: text,
} as const satisfies Readonly<Record<string, FieldRule>>;

/** Every vendor of which the gateway has a preset. */
export const VENDORS: Readonly<Record<VendorName, Vendor>> = {
  apimart: {
    submits: {
      '/v1/images/generations': {
        ...openai,
        resolution: { type: 'string', allowed: ['1K', '2K', '4K'] },
        image_urls: addresses,
        mask_url: text,
      },
    },
    poll: '/v1/tasks/',
    upload: { path: '/v1/uploads/images', answer: (url) => ({ url, content_type: 'image/png' }) },
    read: toRecord,
    names: { ratio: 'size', resolution: 'resolution', number: 'n' },
    listInputs: ({ image_urls: urls }) => list(urls),
    accepted: ({ id }) => ({
      status: 200,
      body: { code: 200, data: [{ status: 'submitted', task_id: id }] },
    }),
    running: ({ id }) => ({ code: 200, data: { id, status: 'processing', progress: 40 } }),
    done: ({ id }, urls) => ({
      code: 200,
      data: {
        id,
        status: 'completed',
        progress: 100,
        result: { images: urls.map((url) => ({ url: [url], expires_at: 1_800_000_000 })) },
        cost: PRICE * urls.length,
      },
    }),
    failed: ({ id }, error) => ({ code: 200, data: { id, status: 'failed', error, cost: 0 } }),
    refusal: (status, type, message) => ({ status, body: { error: { code: status, message, type } } }),
  },
  evolink: {
    submits: {
      '/v1/images/generations': {
        model: required,
        prompt: required,
        size: text,
        quality: google,
        image_urls: addresses,
        callback_url: text,
      },
    },
    poll: '/v1/tasks/',
    upload: {
      path: '/v1/files/upload/stream',
      answer: (url) => ({ success: true, data: { file_url: url } }),
    },
    read: toRecord,
    names: { ratio: 'size', resolution: 'quality', number: '' },
    listInputs: ({ image_urls: urls }) => list(urls),
    accepted: ({ id, model }) => ({
      status: 200,
      body: {
        id,
        model,
        object: 'image.generation.task',
        progress: 0,
        status: 'pending',
        task_info: { can_cancel: true, estimated_time: 45 },
        usage: { billing_rule: 'per_call', credits_reserved: 1.6 },
      },
    }),
    running: ({ id, model }) => ({
      id,
      model,
      object: 'image.generation.task',
      status: 'processing',
      progress: 40,
    }),
    done: ({ id, model }, urls) => ({
      id,
      model,
      object: 'image.generation.task',
      status: 'completed',
      progress: 100,
      results: urls,
    }),
    failed: ({ id, model }, error) => ({
      id,
      model,
      status: 'failed',
      error: { ...error, type: 'task_error' },
    }),
    refusal: (status, code, message) => ({ status, body: { error: { code, message, type: 'api_error' } } }),
  },
  kie: {
    submits: {
      '/api/v1/jobs/createTask': {
        model: required,
        callBackUrl: text,
        input: {
          type: 'object',
          required: true,
          fields: {
            prompt: required,
            image_input: addresses,
            aspect_ratio: text,
            resolution: google,
            output_format: { type: 'string', allowed: ['png', 'jpg', 'jpeg'] },
          },
        },
      },
    },
    poll: '/api/v1/jobs/recordInfo?taskId=',
    upload: {
      path: '/api/v1/file-stream-upload',
      answer: (url) => ({ success: true, code: 200, data: { downloadUrl: url } }),
    },
    read: (body) => toRecord(toRecord(body).input),
    names: { ratio: 'aspect_ratio', resolution: 'resolution', number: '' },
    listInputs: ({ image_input: urls }) => list(urls),
    accepted: ({ id }) => ({ status: 200, body: { code: 200, msg: 'success', data: { taskId: id } } }),
    running: ({ id, model }) => ({
      code: 200,
      msg: 'success',
      data: { taskId: id, model, state: 'generating' },
    }),
    done: ({ id, model }, urls) => ({
      code: 200,
      msg: 'success',
      data: {
        taskId: id,
        model,
        state: 'success',
        resultJson: JSON.stringify({ resultUrls: urls }),
        failCode: null,
      },
    }),
    failed: ({ id, model }, { code, message }) => ({
      code: 200,
      msg: 'success',
      data: {
        taskId: id,
        model,
        state: 'fail',
        resultJson: '',
        failCode: code === 'invalid_input' ? '422' : code,
        failMsg: message,
      },
    }),
    // Errors have status 200 and say their own in the body.
    refusal: (status, _code, message) => ({ status: 200, body: { code: status, msg: message, data: null } }),
  },
  sub2api: {
    submits: {
      '/v1/images/generations/async': openai,
      '/v1/images/edits/async': {
        ...openai,
        images: {
          type: 'array',
          required: true,
          min: 1,
          items: { type: 'object', fields: { image_url: required } },
        },
        mask: { type: 'object' },
      },
    },
    poll: '/v1/images/tasks/',
    read: toRecord,
    names: { ratio: '', resolution: 'size', number: 'n' },
    listInputs: ({ images }) => list(images).map((image) => toRecord(image).image_url),
    accepted: ({ id }) => ({
      status: 202,
      headers: { 'retry-after': '3', 'cache-control': 'no-store' },
      body: {
        id,
        task_id: id,
        object: 'image.generation.task',
        status: 'processing',
        poll_url: `/v1/images/tasks/${id}`,
      },
    }),
    running: ({ id }) => ({ id, task_id: id, object: 'image.generation.task', status: 'processing' }),
    done: ({ id }, urls) => ({
      id,
      task_id: id,
      object: 'image.generation.task',
      status: 'completed',
      http_status: 200,
      image_url: urls[0],
      result: { created: 1_784_092_923, data: urls.map((url) => ({ url })) },
    }),
    failed: ({ id }, { code, message }) => ({
      id,
      task_id: id,
      status: 'failed',
      http_status: 502,
      error: { type: 'api_error', code, message },
    }),
    refusal: (status, code, message) => ({ status, body: { error: { type: code, message } } }),
  },
  gateway: {
    submits: {
      '/v1/generate': {
        model: required,
        prompt: required,
        negative_prompt: text,
        aspect_ratio: text,
        resolution: { type: 'string', allowed: ['1k', '2k', '4k'] },
        num_outputs: number,
        image_urls: addresses,
        quality,
        seed: { type: 'integer' },
        output_format: text,
        background: text,
      },
    },
    poll: '/v1/tasks/',
    cancel: (id) => `/v1/tasks/${id}/cancel`,
    read: toRecord,
    names: { ratio: 'aspect_ratio', resolution: 'resolution', number: 'num_outputs' },
    listInputs: ({ image_urls: urls }) => list(urls),
    accepted: ({ id }) => ({
      status: 202,
      body: { data: { id, status: 'pending', cost: '$0.00' }, error: null },
    }),
    running: ({ id }) => ({ data: { id, status: 'pending', cost: '$0.00' }, error: null }),
    done: ({ id }, urls) => ({
      data: {
        id,
        status: 'completed',
        cost: `$${(PRICE * urls.length).toFixed(4)}`,
        output: { url: urls[0], urls },
      },
      error: null,
    }),
    failed: ({ id }, { message }) => ({
      data: { id, status: 'failed', cost: '$0.00', error: message },
      error: null,
    }),
    refusal: (status, code, message) => ({ status, body: { data: null, error: { code, message } } }),
  },
};
