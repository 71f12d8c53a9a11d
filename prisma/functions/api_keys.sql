-- Locks an account and counts its keys that work; null for an unknown account. A volatile function, because each of its
-- statements has a snapshot of its own: the count sees the keys that the last holder of the lock made.
CREATE OR REPLACE FUNCTION lock_account_and_count_keys(account text) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM accounts WHERE id = account FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN (SELECT count(*) FROM api_keys
           WHERE account_id = account AND revoked_at IS NULL AND COALESCE(expires_at > now(), true));
END $$;
