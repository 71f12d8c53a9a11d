// Baseline of Express alone: reads the JSON body and answers with as many bytes as the product.
import express from 'express';

const task = {
  success: true,
  data: {
    id: 'gen_0000000000000000000000',
    status: 'pending',
    model: 'nanobanana',
    type: 'image_generate',
    cost: '$0.00',
    created_at: '2026-01-01T00:00:00.000Z',
  },
};
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/healthz', (_request, response) => response.json({}));
app.post('/v1/generate', express.json(), (_request, response) => response.status(202).json(task));
app.get('/v1/tasks/:id', (_request, response) => response.json(task));
app.listen(Number(process.env.PORT), '127.0.0.1');
