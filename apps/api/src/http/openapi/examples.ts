import { imageKey } from '@image-gateway/shared/ids';

const TASK_ID = 'gen_4AIjpmmbav7ZaD7rgN3VQd';
const started = {
  id: TASK_ID,
  model: 'nanobanana',
  type: 'image_generate',
  created_at: '2026-01-31T12:00:00.000Z',
};
const ended = { started_at: '2026-01-31T12:00:00.120Z', completed_at: '2026-01-31T12:00:06.480Z' };

/** Makes the examples of the document; result URLs lie under `fileUrl`. */
export function examples(fileUrl: string) {
  const url = `${fileUrl}/${imageKey(TASK_ID, 0, 'png')}`;
  const pending = { ...started, status: 'pending', cost: '$0.00' };
  const completed = {
    ...started,
    ...ended,
    status: 'completed',
    output: { url, urls: [url] },
    cost: '$0.0100',
  };
  const failed = {
    ...started,
    ...ended,
    status: 'failed',
    error: 'The request was rejected by content moderation.',
    cost: '$0.00',
  };
  const full = {
    ...completed,
    images: [
      {
        url,
        width: 1344,
        height: 768,
        bytes: 1_482_113,
        content_type: 'image/png',
        sha256: '9f86d081884c7d65'.repeat(4),
      },
    ],
    asked: 1,
    prompt: 'A lighthouse at dusk, oil painting',
    aspect_ratio: '16:9',
    resolution: '1k',
  };
  const pagination = { page: 1, per_page: 20, total: 1, total_pages: 1 };
  const usageRecord = {
    id: 'use_2umZp7lvKpOKwN1GAlmyr1',
    task_id: TASK_ID,
    model: 'nanobanana',
    type: 'image_generate',
    units: 1,
    cost: '$0.0100',
    created_at: ended.completed_at,
  };
  const summary = { model: 'nanobanana', total_units: 1, total_cost: '$0.0100', request_count: 1 };
  const model = {
    id: 'nanobanana',
    name: 'Nano Banana',
    family: 'nano-banana',
    types: ['image_generate', 'image_edit'],
    price: { '1k': '$0.0100', '2k': '$0.0100', '4k': '$0.0100' },
    aspect_ratios: ['16:9', '9:16'],
    max_inputs: 9,
    max_outputs: 4,
    accepts: {
      seed: 2_147_483_647,
      output_format: ['png', 'jpeg', 'webp'],
      background: ['opaque', 'transparent'],
      mask: true,
    },
  };
  const quote = {
    model: 'nanobanana',
    type: 'image_generate',
    units: 1,
    unit_cost: '$0.0100',
    cost: '$0.0100',
    affordable: true,
  };
  const file = {
    id: 'file_7YVqWuDsrdnBgKVBTFQSfq',
    url: 'https://gateway.example.com/v1/files/file_7YVqWuDsrdnBgKVBTFQSfq.png',
    content_type: 'image/png',
    bytes: 48_213,
    width: 1024,
    height: 768,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    expires_at: '2026-11-27T12:00:00.000Z',
  };
  const account = {
    id: 'acc_1nCVxSJ6tkZbJc8sVWpVnc',
    balance: '$10.0000',
    held: '$0.0100',
    available: '$9.9900',
    key: {
      id: 'key_6sQ4cUeqnAdVb8k0uXyRfh',
      name: 'production',
      prefix: 'igk_4f8s',
      scopes: ['generate', 'read'],
      caps: { day: { limit: '$5.0000', used: '$0.0100' } },
    },
  };
  const statement = {
    balance: '$9.9900',
    held: '$0.00',
    available: '$9.9900',
    items: [
      {
        id: 'usage_20260131',
        kind: 'capture',
        amount: '-$0.0100',
        balance: '$9.9900',
        by: 'you',
        tasks: 1,
        created_at: '2026-01-31T23:59:59.999Z',
      },
      {
        id: 'led_5WxoSyHnX7bVYk2tTkZr9a',
        kind: 'topup',
        amount: '$10.0000',
        balance: '$10.0000',
        by: 'operator',
        reference: 'invoice 17',
        created_at: '2026-01-30T09:00:00.000Z',
      },
    ],
    pagination: { ...pagination, total: 2 },
  };
  return {
    generate: { model: 'nanobanana', prompt: 'A lighthouse at dusk, oil painting', num_outputs: 1 },
    edit: {
      model: 'nanobanana',
      prompt: 'Make it night',
      image_urls: ['https://example.com/lighthouse.png'],
      webhook_url: 'https://example.com/hooks/images',
    },
    pending,
    completed,
    failed,
    full,
    tasks: { items: [completed], pagination },
    usage: { items: [usageRecord], pagination },
    summary: [summary],
    models: [model],
    quote,
    file,
    statement,
    files: { files: [file], pagination, bytes: file.bytes, max_files: 1000, max_bytes: 5_368_709_120 },
    account,
    event: { type: 'task.completed', timestamp: ended.completed_at, data: completed },
  };
}

/** The examples of the document. */
export type Examples = ReturnType<typeof examples>;
