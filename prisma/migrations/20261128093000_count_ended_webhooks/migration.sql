-- How many webhooks of an account have ended, to whoever holds the account's lock: a snapshot from before the lock would miss some.
CREATE OR REPLACE FUNCTION count_ended_webhooks(account text) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN COALESCE((SELECT b.ended FROM webhook_backlogs b WHERE b.account_id = account), 0);
END $$;
