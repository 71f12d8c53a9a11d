-- Whether an account ever had money that was not given to everybody who signs up.
CREATE OR REPLACE FUNCTION is_paid(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM ledger_transfers l
                  WHERE l.account_id = account AND l.kind IN ('topup', 'adjust') AND l.credit_account = 'cust:' || account
                    AND l.external_ref IS DISTINCT FROM 'signup:' || account)
$$;

-- What accounts store that never had a top-up or an operator's credit, which the credit of a sign-up is not: bytes of files,
-- and of uploads whose task is pending or being submitted.
CREATE OR REPLACE FUNCTION sum_unpaid_uploads() RETURNS TABLE (account_id text, bytes int8) LANGUAGE sql STABLE AS $$
  SELECT s.account_id, s.bytes
    FROM (SELECT i.account_id, sum(i.unpaid_bytes)::int8 AS bytes FROM task_inputs i
           WHERE i.unpaid_bytes IS NOT NULL
             AND (i.expires_at > now() OR i.task_id IS NULL AND i.expires_at IS NULL AND i.remove_at > now()
                  OR (SELECT t.status FROM tasks t WHERE t.id = i.task_id OFFSET 0) = 'pending')
           GROUP BY i.account_id) s
   WHERE NOT is_paid(s.account_id)
$$;

-- Says whether an account without a payment may store more bytes: refused is own or all, by the limit that they would exceed,
-- and used what all such accounts then store; both are null for any other account. Such uploads are judged one at a time, so
-- that many at once exceed no limit; the lock comes before the snapshot of the sums.
CREATE OR REPLACE FUNCTION judge_unpaid_uploads(account text, more int8, own_limit int8, all_limit int8, OUT refused text, OUT used int8)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  own int8;
BEGIN
  IF is_paid(account) THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('unpaid_uploads'));
  SELECT COALESCE(sum(u.bytes) FILTER (WHERE u.account_id = account), 0), COALESCE(sum(u.bytes), 0) INTO own, used
    FROM sum_unpaid_uploads() u;
  refused := CASE WHEN own + more > own_limit THEN 'own' WHEN used + more > all_limit THEN 'all' END;
  IF refused IS NULL THEN used := used + more; END IF;
END $$;
