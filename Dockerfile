# The gateway in a container: Node.js, its shared libraries, CA certificates, time zones and the packages, and nothing else. Any Debian image
# with Node.js 24 or newer and npm can be the base; nothing of it but these files reaches the last stage.
ARG BASE=docker.io/library/node:26-bookworm-slim

FROM ${BASE} AS build
RUN apt-get update -qq \
  && apt-get install --yes -qq --no-install-recommends ca-certificates tzdata \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json packages/cli/
COPY packages/console/package.json packages/console/
COPY packages/gateway/package.json packages/gateway/
COPY packages/protocol/package.json packages/protocol/
COPY packages/simulator/package.json packages/simulator/
RUN npm ci --no-progress
COPY . .
RUN npm run --silent pack -- /packages
# What is needed to run, and nothing for tests.
RUN npm ci --no-progress --prefer-offline --omit=dev --omit=optional
RUN sh deploy/container/assemble.sh /packages /image

FROM scratch
ARG SOURCE=""
ARG VERSION=""
LABEL org.opencontainers.image.title="Trivium" \
  org.opencontainers.image.description="LLM gateway: one key, three protocols, every model." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.version="${VERSION}"
COPY --from=build /image/root /
COPY --from=build --chown=65532:65532 /image/data /var/lib/trivium
# For nodes that share a folder of media: `blobs.folder`, and a volume here.
COPY --from=build --chown=65532:65532 /image/data /var/lib/trivium-media
ENV NODE_ENV=production \
  PATH=/usr/local/bin \
  SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
  TRIVIUM_CONFIG=/etc/trivium/trivium.yaml
# Journals and media are kept below the working directory.
WORKDIR /var/lib/trivium
VOLUME /var/lib/trivium
USER 65532:65532
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["trivium", "health"]
ENTRYPOINT ["trivium"]
CMD ["serve"]
