-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "catalog_version" INTEGER;

-- CreateTable
CREATE TABLE "catalog_versions" (
    "id" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "document" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "note" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "catalog_versions_pkey" PRIMARY KEY ("id")
);

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "catalog_versions"
  ADD CONSTRAINT "catalog_versions_id" CHECK (id > 0),
  ADD CONSTRAINT "catalog_versions_digest" CHECK (digest = encode(sha256(convert_to(source, 'UTF8')), 'hex')),
  ADD CONSTRAINT "catalog_versions_origin" CHECK (origin IN ('built-in', 'file', 'cli', 'page'));

CREATE TRIGGER "catalog_versions_append_only" BEFORE UPDATE OR DELETE ON "catalog_versions"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE TRIGGER "catalog_versions_no_truncate" BEFORE TRUNCATE ON "catalog_versions"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_books();

-- The first version is the built-in document; a test holds it against the code. It was active before there were versions.
INSERT INTO "catalog_versions" (id, source, document, digest, origin, created_at)
VALUES (1, '', '{"default_model":"nanobanana","providers":{},"models":{"nanobanana":{"family":"nano-banana","types":["image_generate","image_edit"],"default_resolution":"1k","aspect_ratios":["16:9","9:16"],"default_aspect_ratio":"16:9","max_inputs":9,"max_outputs":4,"name":"Nano Banana","enabled":true,"price":{"1k":"0.0100","2k":"0.0100","4k":"0.0100"},"aliases":["gpt-image-1","gpt-image-1.5","gpt-image-2","dall-e-2","dall-e-3","gemini-2.5-flash-image"],"routes":[{"provider":"gemini","model":"gemini-nano-banana-2.1","cost":{"1k":"0.0336","2k":"0.0504","4k":"0.1134"},"options":{"thinkingConfig":{"thinkingLevel":"MINIMAL"}}},{"provider":"gemini","model":"gemini-3.1-flash-lite-image","cost":{"1k":"0.0336"},"resolution":"fixed"},{"provider":"gemini","model":"gemini-2.5-flash-image","cost":{"1k":"0.039"},"max_inputs":3,"resolution":"fixed"},{"provider":"fal","model":"google/nano-banana-2.1","cost":{"1k":"0.04","2k":"0.059","4k":"0.134"}},{"provider":"fal","model":"fal-ai/nano-banana","cost":{"1k":"0.039"},"resolution":"fixed"},{"provider":"replicate","model":"google/nano-banana-2.1","cost":{"1k":"0.0336","2k":"0.0504","4k":"0.1134"}},{"provider":"replicate","model":"google/nano-banana","cost":{"1k":"0.039"},"resolution":"fixed"},{"provider":"openrouter","model":"google/gemini-nano-banana-2.1","cost":{"1k":"0.0336","2k":"0.0504","4k":"0.1134"}},{"provider":"openai","model":"gpt-image-2","cost":{"1k":"0.032","2k":"0.055","4k":"0.1"},"options":{"quality":"medium","moderation":"auto"}}]},"nanobanana-pro":{"family":"nano-banana","types":["image_generate","image_edit"],"default_resolution":"1k","aspect_ratios":["16:9","9:16"],"default_aspect_ratio":"16:9","max_inputs":9,"max_outputs":4,"name":"Nano Banana Pro","enabled":false,"price":{"1k":"0.016","2k":"0.016","4k":"0.032"},"routes":[{"provider":"gemini","model":"gemini-3-pro-image","cost":{"1k":"0.134","2k":"0.134","4k":"0.24"}},{"provider":"fal","model":"fal-ai/nano-banana-pro","cost":{"1k":"0.15","2k":"0.15","4k":"0.3"}},{"provider":"replicate","model":"google/nano-banana-pro","cost":{"1k":"0.15","2k":"0.15","4k":"0.3"}},{"provider":"openrouter","model":"google/gemini-3-pro-image","cost":{"1k":"0.134","2k":"0.134","4k":"0.24"}},{"provider":"openai","model":"gpt-image-2","cost":{"1k":"0.032","2k":"0.055","4k":"0.1"},"options":{"quality":"medium","moderation":"auto"}}]}},"built_in_routes":["nanobanana","nanobanana-pro"]}'::jsonb, encode(sha256(''), 'hex'), 'built-in', '1970-01-01T00:00:00Z');
