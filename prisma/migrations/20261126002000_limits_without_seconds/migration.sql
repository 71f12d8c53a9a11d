-- A removed limit of requests leaves no seconds behind, like the other limits.
ALTER TABLE "accounts" ALTER COLUMN "requests_seconds" DROP NOT NULL;
