-- A change by an owner, also the sign-up of one, belongs to the owner's account; one by operators or the command line to none. The trigger
-- decides it for every statement that writes an entry, those of the previous release included.
CREATE OR REPLACE FUNCTION set_audit_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.account_id := CASE NEW.detail ->> 'actor' WHEN 'sign-up' THEN NEW.subject
    ELSE (SELECT o.account_id FROM auth_users u JOIN account_users o ON o.user_id = u.id
           WHERE u.email = NEW.detail ->> 'actor' AND u.role = 'owner') END;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER audit_entries_account BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION set_audit_account();
