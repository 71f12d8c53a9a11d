-- Rights of the role that the processes use: it reads and writes rows, and changes no definitions. No superuser is needed. Run it as the
-- owner of the tables, once the role is there (CREATE ROLE image_gateway_app LOGIN PASSWORD '…'), and again whenever `gateway doctor`
-- names a missing right:
--   psql "$DIRECT_URL" -1 -v ON_ERROR_STOP=1 -v role=image_gateway_app -f prisma/application-role.sql
-- `migrate` makes the role and runs this file where APPLICATION_PASSWORD is set.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE :"DBNAME" TO :"role";
GRANT USAGE ON SCHEMA public TO :"role";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :"role";
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO :"role";
REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM :"role";
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"role";
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO :"role";
