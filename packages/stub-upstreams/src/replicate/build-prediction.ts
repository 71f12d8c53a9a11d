import type { Job } from '../core/create-jobs.js';

const PROCESSING_SHARE = 0.3;

/** A prediction as Replicate shows it just now; input images that were sent along stand in it as addresses. */
export async function buildPrediction(job: Job, origin: string): Promise<object> {
  const { id, model, createdAt, readyAt, canceledAt, behaviour } = job;
  const now = Date.now();
  const ended = canceledAt === null && now >= readyAt;
  const outcome = ended ? (await job.result).body : {};
  const status =
    canceledAt !== null
      ? 'canceled'
      : now < createdAt + (readyAt - createdAt) * PROCESSING_SHARE
        ? 'starting'
        : 'processing';
  const removed = ended && behaviour.mode === 'output-gone';
  const get = `${origin}/v1/predictions/${id}`;
  return {
    id,
    model,
    version: 'hidden',
    input: shown(job, origin),
    logs: '',
    output: null,
    error: null,
    source: 'api',
    status,
    ...outcome,
    ...(removed && { output: null, input: {} }),
    data_removed: removed,
    created_at: new Date(createdAt).toISOString(),
    ...(status !== 'starting' && { started_at: new Date(createdAt).toISOString() }),
    ...((ended || canceledAt !== null) && { completed_at: new Date(canceledAt ?? now).toISOString() }),
    ...(ended && { metrics: { predict_time: (readyAt - createdAt) / 1000, image_output_count: 1 } }),
    urls: {
      get,
      cancel: `${get}/cancel`,
      stream: `${origin}/stream/${id}`,
      web: `https://replicate.com/p/${id}`,
    },
  };
}

function shown({ input, id }: Job, origin: string): object {
  const { image_input: images, ...rest } = input;
  if (!Array.isArray(images)) {
    return rest;
  }
  const image_input = images.map((image, index) =>
    String(image).startsWith('data:') ? `${origin}/pbxt/${id}/${index}.png` : image,
  );
  return { ...rest, image_input };
}
