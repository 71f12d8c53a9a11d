// The smallest durable submit that anyone could write: Express and one prepared statement. The tables are those of the product with all
// their indexes and without triggers and foreign keys. There is no key, no limit, no validation, no queue and no log.
import { readFileSync } from 'node:fs';
import express from 'express';
import pg from 'pg';

const { PORT, DATABASE_URL } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const text = readFileSync(new URL('raw-submit.sql', import.meta.url), 'utf8');

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/healthz', (_request, response) => response.json({}));
app.post('/v1/generate', express.json(), async (request, response) => {
  const values = [request.get('account'), request.body.prompt];
  const { rows } = await pool.query({ name: 'submit', text, values });
  const [{ id, created_at }] = rows;
  response.status(202).json({
    success: true,
    data: { id, status: 'pending', model: 'nanobanana', type: 'image_generate', cost: '$0.00', created_at },
  });
});
app.listen(Number(PORT), '127.0.0.1');
