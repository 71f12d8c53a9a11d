# One file for every process. Targets: api (also holds the operator command line), generation-worker, webhook-worker, migrate; and gateway,
# which starts all of them with PostgreSQL, Redis and an S3 server in one container, for a first try and for small installations.
#
#   docker build -f docker/node.Dockerfile --target api -t image-gateway-api .
#
# The images have the layout of the repository, hold production dependencies and compiled code only, run as user 1000 and write nothing
# outside /tmp and /spool. Dependencies are layers of their own that change with the manifests, not with the sources.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS base
ENV CI=true NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app

# The manifests alone: a copy from this stage stays cached while only sources change. Everybody may read them, also where the clone was
# made under a strict umask.
FROM base AS manifests
COPY . .
RUN find . -type f ! -name package.json ! -name pnpm-lock.yaml ! -name pnpm-workspace.yaml ! -name .npmrc -delete \
 && find . -type d -empty -delete \
 && chmod -R a+rX .

# package.json names the one version of pnpm; npm runs it without installing it.
FROM base AS install
COPY --from=manifests /app ./
RUN printf '%s\n' '#!/bin/sh' 'exec npm exec --yes -- "$(node -p "require(\"/app/package.json\").packageManager")" "$@"' \
      > /usr/local/bin/pnpm \
 && chmod +x /usr/local/bin/pnpm
COPY docker/prune-modules.sh /usr/local/bin/prune-modules

FROM install AS build
RUN --mount=type=cache,id=image-gateway-npm,target=/root/.npm \
    --mount=type=cache,id=image-gateway-pnpm,target=/root/.local/share/pnpm/store \
    pnpm install --frozen-lockfile --prefer-offline
COPY . .
RUN npm run --silent build \
 && find apps packages -path '*/node_modules' -prune -o -type f -path '*/dist/*' \
      \( -name '*.map' -o -name '*.d.ts' -o -name '.tsbuildinfo' \) -exec rm {} + \
 && for app in api generation-worker webhook-worker; do \
      mkdir -p "/out/$app/packages/shared" "/out/$app/apps/$app" \
      && cp -r packages/shared/dist "/out/$app/packages/shared/" \
      && cp -r "apps/$app/dist" "/out/$app/apps/$app/" \
      && mkdir "/out/$app/docker" && cp docker/*.mjs "/out/$app/docker/" && cp LICENSE NOTICE "/out/$app/" || exit 1; \
    done \
 # `gateway provider check --draw` runs the worker's adapters in a process of its own.
 && cp -r /out/generation-worker/apps/generation-worker /out/api/apps/ \
 && mkdir /out/api/apps/dashboard && cp -r apps/dashboard/dist /out/api/apps/dashboard/ \
 && mkdir /out/api/prisma && cp -r prisma/migrations prisma/*.sql /out/api/prisma/ \
 && mkdir -p /out/gateway/apps /out/gateway/packages/local-stack \
 && for app in api generation-worker webhook-worker; do cp -r "/out/$app/." /out/gateway/ || exit 1; done \
 && cp -r packages/local-stack/dist /out/gateway/packages/local-stack/ \
 && cp -r scripts /out/gateway/ \
 && chmod -R a+rX /out

# pnpm installs the dependencies of the root whatever its filters say. They are the tools that build the product: no image holds them.
FROM install AS production
RUN npm pkg delete dependencies \
 && sed -i '/^  \.:$/,/^    devDependencies:$/{/^    dependencies:$/,/^    devDependencies:$/{/devDependencies:$/!d}}' pnpm-lock.yaml

FROM production AS api-dependencies
RUN --mount=type=cache,id=image-gateway-npm,target=/root/.npm \
    --mount=type=cache,id=image-gateway-pnpm,target=/root/.local/share/pnpm/store \
    pnpm install --prod --frozen-lockfile --prefer-offline --filter api... --filter generation-worker... && prune-modules

FROM production AS generation-worker-dependencies
RUN --mount=type=cache,id=image-gateway-npm,target=/root/.npm \
    --mount=type=cache,id=image-gateway-pnpm,target=/root/.local/share/pnpm/store \
    pnpm install --prod --frozen-lockfile --prefer-offline --filter generation-worker... && prune-modules

FROM production AS webhook-worker-dependencies
RUN --mount=type=cache,id=image-gateway-npm,target=/root/.npm \
    --mount=type=cache,id=image-gateway-pnpm,target=/root/.local/share/pnpm/store \
    pnpm install --prod --frozen-lockfile --prefer-offline --filter webhook-worker... && prune-modules

FROM production AS gateway-dependencies
RUN --mount=type=cache,id=image-gateway-npm,target=/root/.npm \
    --mount=type=cache,id=image-gateway-pnpm,target=/root/.local/share/pnpm/store \
    pnpm install --prod --frozen-lockfile --prefer-offline --filter api... --filter generation-worker... --filter webhook-worker... \
      --filter @image-gateway/local-stack... && prune-modules

# What every process has in common: an unprivileged user whose home may be written to even when the image may not, all interfaces,
# node itself as process 1 (it handles SIGTERM).
FROM base AS runtime
ENV NODE_ENV=production CONTAINER=true HOME=/tmp HOST=0.0.0.0 PORT=3000 METRICS_HOST=0.0.0.0 METRICS_PORT=9464 SPOOL_DIR=/spool
# A new volume takes the owner of the folder below it.
RUN mkdir --mode=0700 /spool && chown 1000:1000 /spool
USER 1000:1000
STOPSIGNAL SIGTERM
# A build for a registry names its version and commit: --build-arg VERSION=0.4.0 --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=unreleased
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="image-gateway" \
      org.opencontainers.image.description="Self-hosted gateway for AI image generation" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"

FROM runtime AS webhook-worker
COPY --from=webhook-worker-dependencies /app ./
COPY --from=build /out/webhook-worker ./
EXPOSE 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "docker/healthcheck.mjs", "METRICS_PORT", "/metrics"]
CMD ["node", "apps/webhook-worker/dist/main.js"]

FROM runtime AS generation-worker
# Memory of an image returns to the system when it is freed. glibc would raise this threshold with the first large image, and keep the rest.
# V8 would let what lives shortly take 100 MB before it looks, and keep the room.
ENV MALLOC_MMAP_THRESHOLD_=65536
COPY --from=generation-worker-dependencies /app ./
COPY --from=build /out/generation-worker ./
EXPOSE 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "docker/healthcheck.mjs", "METRICS_PORT", "/metrics"]
CMD ["node", "--max-semi-space-size=8", "apps/generation-worker/dist/main.js"]

FROM runtime AS api
# The same for uploads. Bytes of connections, which come and go all the time, stay below this threshold.
# V8 would let what lives shortly take 100 MB before it looks, and keep the room.
ENV MALLOC_MMAP_THRESHOLD_=131072
COPY --chmod=0755 docker/gateway.sh /usr/local/bin/gateway
COPY --from=api-dependencies /app ./
# With prisma/, which the operator command line reads (`migrate`, `ledger check`, `doctor`).
COPY --from=build /out/api ./
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "docker/healthcheck.mjs", "PORT", "/readyz"]
CMD ["node", "--max-semi-space-size=8", "apps/api/dist/main.js"]

# The same files with another command. Needs DATABASE_URL of the processes and DIRECT_URL of the owner (where they differ); applies what
# is missing and ends. Several at once wait for each other. With APPLICATION_PASSWORD it also creates the role of the processes, which
# may not change definitions. Last it applies CATALOG_FILE, if it has changed, and new built-in content of the catalog.
FROM api AS migrate
HEALTHCHECK NONE
CMD ["sh", "-c", "node apps/api/dist/cli/main.js migrate && DATABASE_URL=\"${DIRECT_URL:-$DATABASE_URL}\" exec node apps/api/dist/cli/main.js catalog sync"]

# The whole gateway in one container. Its data are in the volume /data; nothing but the API listens outside of it.
#   docker run -p 127.0.0.1:3000:3000 -v image-gateway:/data IMAGE
FROM runtime AS gateway
COPY --chmod=0755 docker/gateway.sh /usr/local/bin/gateway
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends redis-server \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir --mode=0700 /data && chown 1000:1000 /data
# PostgreSQL asks for the name of its user.
RUN getent passwd 1000 >/dev/null || useradd --uid 1000 --no-create-home --home-dir /tmp gateway
USER 1000:1000
COPY --from=gateway-dependencies /app ./
COPY --from=build /out/gateway ./
ENV DATA_DIR=/data SPOOL_DIR=/data/spool METRICS_HOST=127.0.0.1 ALLOW_SIGNUP=false
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "docker/healthcheck.mjs", "PORT", "/readyz"]
CMD ["node", "docker/start-gateway.mjs"]
