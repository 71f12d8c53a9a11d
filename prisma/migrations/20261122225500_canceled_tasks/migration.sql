-- When the owner of a pending task asked to end it. No call starts from then on.
ALTER TABLE "tasks" ADD COLUMN "cancel_requested_at" TIMESTAMPTZ(3);

-- As before, and canceled tasks count too.
CREATE OR REPLACE FUNCTION is_caller_failure(error text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(error IN ('The request was rejected by content moderation.', 'The upstream provider refused the input.',
                            'The task was canceled.')
                  OR error ~ '^image_urls\[[0-9]+\]: ', false)
$$;
