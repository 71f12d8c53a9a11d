# MinIO and its client from source: no image and no binary is published any more, so the last published versions of their Go modules are
# compiled here. The versions are commits that can't change; Go checks every module it downloads against the public checksum database.
#
#   docker build -f docker/minio.Dockerfile -t image-gateway-minio docker
ARG GO_IMAGE=docker.io/library/golang:1.26-bookworm

FROM ${GO_IMAGE} AS build
ARG MINIO_VERSION=v0.0.0-20260212201848-7aac2a2c5b7c
ARG MC_VERSION=v0.0.0-20250313080218-cf909e1063a9
# A shell and wget for the health check of an image that holds nothing else (2 MB, static).
RUN apt-get update \
 && apt-get install -y --no-install-recommends busybox-static ca-certificates \
 && rm -rf /var/lib/apt/lists/*
# Static (no C library), without debug tables.
ENV CGO_ENABLED=0 GOBIN=/out/bin GOFLAGS=-trimpath
RUN --mount=type=cache,id=image-gateway-go-mod,target=/root/go/pkg/mod \
    --mount=type=cache,id=image-gateway-go-build,target=/root/.cache/go-build \
    GOPATH=/root/go go install -ldflags '-s -w' "github.com/minio/minio@${MINIO_VERSION}" \
 && GOPATH=/root/go go install -ldflags '-s -w' "github.com/minio/mc@${MC_VERSION}"
COPY --chmod=0755 minio-user.sh /out/bin/minio-user
# The whole root of the image: one server, its client, one set of tools, certificates, and a data folder that the unprivileged user owns.
RUN mkdir -p /out/etc/ssl/certs /out/tmp /out/data \
 && cp /bin/busybox /out/bin/busybox \
 && for tool in sh wget ls df cat grep mktemp rm; do ln -s busybox "/out/bin/${tool}"; done \
 && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
 && echo 'minio:x:1000:1000::/data:/bin/sh' > /out/etc/passwd \
 && echo 'minio:x:1000:' > /out/etc/group \
 && chmod 1777 /out/tmp && chown 1000:1000 /out/data

FROM scratch AS minio
COPY --from=build /out /
# No console (the gateway is the only client), no look for updates (there are none).
ENV PATH=/bin HOME=/tmp MINIO_BROWSER=off MINIO_UPDATE=off
USER 1000:1000
VOLUME /data
EXPOSE 9000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:9000/minio/health/ready"]
# MINIO_ROOT_USER and MINIO_ROOT_PASSWORD come from the environment.
CMD ["minio", "server", "/data", "--address", ":9000"]
