-- Equal is what is equal in both parts of the fingerprint. No row of an earlier release is sole, so both parts are there.
DROP INDEX "facade_requests_sole";
CREATE UNIQUE INDEX "facade_requests_sole" ON "facade_requests"("api_key_id", "fingerprint", "added") WHERE "is_sole";
