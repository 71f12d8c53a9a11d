-- Queued tasks that were tried before. The sweep for those without a try left read every queued task, every other second.
CREATE INDEX tasks_tried ON tasks (due_at) WHERE status = 'pending' AND phase = 'queued' AND tries > 0;
