-- The oldest due deliveries of each receiver, so that thousands that wait for a dead one cost nothing to step over.
CREATE INDEX "webhook_deliveries_hosts" ON "webhook_deliveries" (host_port, next_attempt_at) WHERE state = 'pending';
