# The object store of the compose file: versitygw (Apache-2.0, https://github.com/versity/versitygw), compiled from its Go module. Go checks
# every module that it downloads against the public checksum database.
#
#   docker build -f docker/store.Dockerfile -t image-gateway-store docker
ARG GO_IMAGE=docker.io/library/golang:1.26-bookworm

FROM ${GO_IMAGE} AS build
ARG VERSITYGW_VERSION=v1.8.0
# A shell and wget for the health check of an image that holds nothing else (2 MB, static).
RUN apt-get update \
 && apt-get install -y --no-install-recommends busybox-static ca-certificates \
 && rm -rf /var/lib/apt/lists/*
# Static (no C library), without debug tables.
ENV CGO_ENABLED=0 GOBIN=/out/bin GOFLAGS=-trimpath
RUN --mount=type=cache,id=image-gateway-go-mod,target=/root/go/pkg/mod \
    --mount=type=cache,id=image-gateway-go-build,target=/root/.cache/go-build \
    GOPATH=/root/go go install -ldflags "-s -w -X main.Version=${VERSITYGW_VERSION}" "github.com/versity/versitygw/cmd/versitygw@${VERSITYGW_VERSION}"
COPY --chmod=0755 store-user.sh /out/bin/store-user
# The whole root of the image: one server, one set of tools, certificates, and a data folder that the unprivileged user owns.
RUN mkdir -p /out/etc/ssl/certs /out/tmp /out/data/buckets /out/data/users \
 && cp /bin/busybox /out/bin/busybox \
 && for tool in sh wget ls df cat grep mktemp rm tar; do ln -s busybox "/out/bin/${tool}"; done \
 && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
 && echo 'store:x:1000:1000::/data:/bin/sh' > /out/etc/passwd \
 && echo 'store:x:1000:' > /out/etc/group \
 && chmod 1777 /out/tmp && chown -R 1000:1000 /out/data

FROM scratch AS store
COPY --from=build /out /
ENV PATH=/bin HOME=/tmp
USER 1000:1000
VOLUME /data
EXPOSE 7070
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:7070/health"]
# ROOT_ACCESS_KEY and ROOT_SECRET_KEY come from the environment. A bucket is a folder; metadata are extended attributes of its files.
CMD ["versitygw", "--port", ":7070", "--health", "/health", "--quiet", "--iam-dir", "/data/users", "posix", "/data/buckets"]
