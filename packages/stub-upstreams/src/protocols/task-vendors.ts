import { type StubResponse, toList, toRecord } from '../core/call.js';
import {
  anything,
  between,
  type Fields,
  fields,
  list,
  must,
  one,
  record,
  text,
  whole,
} from '../core/fields.js';

/** How a vendor words a state of a job. */
interface VendorJob {
  readonly id: string;
  readonly model: string;
}

/** A task API as its vendor's documents describe it. */
export interface Vendor {
  /** Paths of submissions below the vendor's own folder, each with the fields of its body. */
  readonly submits: Readonly<Record<string, Fields>>;
  /** Where polls go: the id follows the path. */
  readonly poll: string;
  /** True for an API that stops a job by `cancel` below the path of its polls. */
  readonly cancels?: boolean;
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

const addresses = list(text, 0, 14);
const google = one('0.5K 1K 2K 4K');
const quality = one('auto low medium high');
const number = between(1, 4);
const PRICE = 0.015;
const openai = fields(
  [must(text), 'model prompt'],
  [text, 'size background output_format'],
  [number, 'n'],
  [quality, 'quality'],
);
const task = 'image.generation.task';
const kie = (data: object) => ({ code: 200, msg: 'success', data });

/** Every vendor of which the gateway has a preset. */
export const VENDORS: Readonly<Record<string, Vendor>> = {
  apimart: {
    submits: {
      '/v1/images/generations': {
        ...openai,
        ...fields([one('1K 2K 4K'), 'resolution'], [addresses, 'image_urls'], [text, 'mask_url']),
      },
    },
    poll: '/v1/tasks/',
    upload: { path: '/v1/uploads/images', answer: (url) => ({ url, content_type: 'image/png' }) },
    read: toRecord,
    names: { ratio: 'size', resolution: 'resolution', number: 'n' },
    listInputs: ({ image_urls: urls }) => toList(urls),
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
      '/v1/images/generations': fields(
        [must(text), 'model prompt'],
        [text, 'size callback_url'],
        [google, 'quality'],
        [addresses, 'image_urls'],
      ),
    },
    poll: '/v1/tasks/',
    upload: {
      path: '/v1/files/upload/stream',
      answer: (url) => ({ success: true, data: { file_url: url } }),
    },
    read: toRecord,
    names: { ratio: 'size', resolution: 'quality', number: '' },
    listInputs: ({ image_urls: urls }) => toList(urls),
    accepted: ({ id, model }) => ({
      status: 200,
      body: {
        id,
        model,
        object: task,
        progress: 0,
        status: 'pending',
        task_info: { can_cancel: true, estimated_time: 45 },
        usage: { billing_rule: 'per_call', credits_reserved: 1.6 },
      },
    }),
    running: ({ id, model }) => ({ id, model, object: task, status: 'processing', progress: 40 }),
    done: ({ id, model }, results) => ({
      id,
      model,
      object: task,
      status: 'completed',
      progress: 100,
      results,
    }),
    failed: ({ id, model }, { code, message }) => ({
      id,
      model,
      status: 'failed',
      error: { code, message, type: 'task_error' },
    }),
    refusal: (status, code, message) => ({ status, body: { error: { code, message, type: 'api_error' } } }),
  },
  kie: {
    submits: {
      '/api/v1/jobs/createTask': {
        model: must(text),
        callBackUrl: text,
        input: must(
          record(
            fields(
              [must(text), 'prompt'],
              [addresses, 'image_input'],
              [text, 'aspect_ratio'],
              [google, 'resolution'],
              [one('png jpg jpeg'), 'output_format'],
            ),
          ),
        ),
      },
    },
    poll: '/api/v1/jobs/recordInfo?taskId=',
    upload: {
      path: '/api/v1/file-stream-upload',
      answer: (url) => ({ success: true, code: 200, data: { downloadUrl: url } }),
    },
    read: (body) => toRecord(toRecord(body).input),
    names: { ratio: 'aspect_ratio', resolution: 'resolution', number: '' },
    listInputs: ({ image_input: urls }) => toList(urls),
    accepted: ({ id }) => ({ status: 200, body: kie({ taskId: id }) }),
    running: ({ id, model }) => kie({ taskId: id, model, state: 'generating' }),
    done: ({ id, model }, resultUrls) => {
      const resultJson = JSON.stringify({ resultUrls });
      return kie({ taskId: id, model, state: 'success', resultJson, failCode: null });
    },
    failed: ({ id, model }, { code, message: failMsg }) => {
      const failCode = code === 'invalid_input' ? '422' : code;
      return kie({ taskId: id, model, state: 'fail', resultJson: '', failCode, failMsg });
    },
    // Errors have status 200 and say their own in the body.
    refusal: (status, _code, message) => ({ status: 200, body: { code: status, msg: message, data: null } }),
  },
  sub2api: {
    submits: {
      '/v1/images/generations/async': openai,
      '/v1/images/edits/async': {
        ...openai,
        images: must(list(record({ image_url: must(text) }), 1)),
        mask: anything,
      },
    },
    poll: '/v1/images/tasks/',
    read: toRecord,
    names: { ratio: '', resolution: 'size', number: 'n' },
    listInputs: ({ images }) => toList(images).map((image) => toRecord(image).image_url),
    accepted: ({ id }) => ({
      status: 202,
      headers: { 'retry-after': '3', 'cache-control': 'no-store' },
      body: {
        id,
        task_id: id,
        object: task,
        status: 'processing',
        poll_url: `/v1/images/tasks/${id}`,
      },
    }),
    running: ({ id }) => ({ id, task_id: id, object: task, status: 'processing' }),
    done: ({ id }, urls) => ({
      id,
      task_id: id,
      object: task,
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
      '/v1/generate': fields(
        [must(text), 'model prompt'],
        [text, 'negative_prompt aspect_ratio output_format background'],
        [one('1k 2k 4k'), 'resolution'],
        [number, 'num_outputs'],
        [addresses, 'image_urls'],
        [quality, 'quality'],
        [whole, 'seed'],
      ),
    },
    poll: '/v1/tasks/',
    cancels: true,
    read: toRecord,
    names: { ratio: 'aspect_ratio', resolution: 'resolution', number: 'num_outputs' },
    listInputs: ({ image_urls: urls }) => toList(urls),
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
