-- Takes the credit of a sign-up from what a day allows in all and to the clients of a network: granted, or without a row why
-- not. One at a time, so that sums and counts are exact; the lock comes before the snapshot of the statements below it.
CREATE OR REPLACE FUNCTION take_signup_credit(
  account text, mail_address text, client_network text, amount int8, day_limit int8, network_limit int
)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  today timestamptz := date_trunc('day', now(), 'UTC');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('signup_credits'));
  IF (SELECT COALESCE(sum(c.amount_micros), 0) FROM signup_credits c WHERE c.created_at >= today) + amount > day_limit
     OR (SELECT count(*) FROM signup_credits c WHERE c.created_at >= today AND c.network = client_network) >= network_limit THEN
    RETURN 'exhausted';
  END IF;
  INSERT INTO signup_credits (account_id, address, network, amount_micros) VALUES (account, mail_address, client_network, amount)
  ON CONFLICT DO NOTHING;
  RETURN CASE WHEN FOUND THEN 'granted' ELSE 'had one' END;
END $$;
