-- AlterTable
ALTER TABLE "task_inputs" ADD COLUMN     "api_key_id" TEXT,
ADD COLUMN     "bytes" INTEGER,
ADD COLUMN     "content_type" TEXT,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "height" INTEGER,
ADD COLUMN     "is_turned" BOOLEAN,
ADD COLUMN     "sha256" TEXT,
ADD COLUMN     "width" INTEGER;

-- The rest is written by hand: the schema language has no words for it.

-- A file is described as a whole.
ALTER TABLE "task_inputs" ADD CONSTRAINT "task_inputs_file" CHECK (
  num_nulls(api_key_id, bytes, content_type, expires_at, height, sha256, width) IN (0, 7)
  AND (bytes > 0) IS NOT FALSE AND content_type IN ('image/png', 'image/jpeg', 'image/webp') IS NOT FALSE);

-- Files of an account that can be used: their number and bytes are bounded.
CREATE INDEX "task_inputs_files" ON "task_inputs" (account_id, expires_at) WHERE expires_at IS NOT NULL;
