// The plain way to accept and to show a task: each request looks its key up, inserts with one statement and awaits its own
// `queue.add`. It has no limits, no log, no metrics and no idempotency: what the product does beyond this, it does for less.
import { createHash, randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import Joi from 'joi';
import pg from 'pg';

const { PORT, DATABASE_URL, REDIS_URL } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
await new Promise((resolve) => redis.once('ready', resolve));
const queue = new Queue('plain', { connection: redis });
const schema = Joi.object({
  model: Joi.string().valid('nanobanana').required(),
  prompt: Joi.string().max(2000).required(),
  aspect_ratio: Joi.string().default('16:9'),
  resolution: Joi.string().default('1k'),
  num_outputs: Joi.number().integer().min(1).max(4).default(1),
});
const FIND_KEY = {
  name: 'find-key',
  text: `SELECT k.id, k.account_id FROM api_keys k JOIN accounts a ON a.id = k.account_id
          WHERE k.hash = $1 AND k.revoked_at IS NULL AND a.status = 'active'`,
};
const ACCEPT = {
  name: 'accept',
  text: `
WITH account AS (
  UPDATE accounts SET held_micros = held_micros + 10000 * $7::int, task_count = task_count + 1, open_count = open_count + 1
   WHERE id = $1 AND status = 'active' AND balance_micros - held_micros >= 10000 * $7::int RETURNING id)
INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
                   unit_micros, hold_micros, deadline_at)
SELECT $2, id, $3, $2, 'nanobanana', 'image_generate', $4, $5, $6, $7::int, '{}', 10000, 10000 * $7::int, now() + interval '1 day'
  FROM account RETURNING created_at`,
};
const FIND_TASK = {
  name: 'find-task',
  text: `SELECT t.*, ARRAY(SELECT o.key FROM task_outputs o WHERE o.task_id = t.id ORDER BY o.index) AS keys
           FROM tasks t WHERE t.id = $1 AND t.account_id = $2`,
};
const present = (task) => ({
  success: true,
  data: {
    id: task.id,
    status: task.status,
    model: 'nanobanana',
    type: 'image_generate',
    ...(task.keys?.length > 0 && { output: { url: task.keys[0], urls: task.keys } }),
    cost: '$0.00',
    created_at: task.created_at.toISOString(),
  },
});

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/healthz', (_request, response) => response.json({}));
app.use('/v1', async (request, response, next) => {
  const token = /^Bearer (.+)$/.exec(request.get('authorization') ?? '')?.[1] ?? '';
  const { rows } = await pool.query({ ...FIND_KEY, values: [createHash('sha256').update(token).digest()] });
  if (rows.length === 0) {
    return response.status(401).json({ success: false });
  }
  request.caller = rows[0];
  next();
});
app.post('/v1/generate', express.json(), async (request, response) => {
  const { value, error } = schema.validate(request.body);
  if (error) {
    return response.status(400).json({ success: false, message: error.message });
  }
  const id = `gen_${randomBytes(16).toString('hex')}`;
  const { account_id: account, id: key } = request.caller;
  const values = [account, id, key, value.prompt, value.aspect_ratio, value.resolution, value.num_outputs];
  const { rows } = await pool.query({ ...ACCEPT, values });
  if (rows.length === 0) {
    return response.status(403).json({ success: false });
  }
  await queue.add('generation', { taskId: id }, { jobId: id, removeOnComplete: true, removeOnFail: true });
  response.status(202).json(present({ id, status: 'pending', created_at: rows[0].created_at }));
});
app.get('/v1/tasks/:id', async (request, response) => {
  const { rows } = await pool.query({ ...FIND_TASK, values: [request.params.id, request.caller.account_id] });
  if (rows.length === 0) {
    return response.status(404).json({ success: false });
  }
  response.json(present(rows[0]));
});
app.listen(Number(PORT), '127.0.0.1');
