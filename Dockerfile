# The service as `npm run serve` runs it, without anything that only development needs.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/embedded-mongodb/package.json packages/embedded-mongodb/package.json
COPY packages/client/package.json packages/client/package.json
COPY packages/import/package.json packages/import/package.json
COPY packages/rules/package.json packages/rules/package.json
RUN npm ci --omit=dev --omit=optional --ignore-scripts --workspace=embedded-mongodb --workspace=chat-service-import --workspace=chat-service-rules --include-workspace-root

FROM node:24-slim AS web
WORKDIR /app
COPY --from=dependencies /app/package.json /app/package-lock.json /app/.npmrc ./
COPY packages/client/package.json packages/client/package.json
COPY packages/rules/package.json packages/rules/package.json
COPY packages/web/package.json packages/web/package.json
RUN npm ci --ignore-scripts --workspace=chat-service-web
COPY tsconfig.json ./
COPY packages/client packages/client
COPY packages/rules packages/rules
COPY packages/web packages/web
RUN ["node", "packages/web/build.ts"]

FROM node:24-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json serverless.yml ./
COPY admin admin
COPY docs/openapi.json docs/asyncapi.json docs/
COPY functions functions
COPY hosts/server hosts/server
COPY lib lib
COPY packages/embedded-mongodb packages/embedded-mongodb
COPY packages/import packages/import
COPY packages/rules packages/rules
COPY packages/web/site.ts packages/web/site.ts
COPY --from=web /app/packages/web/dist packages/web/dist
RUN install -d -o node -g node /data node_modules/.cache
USER node
# Fills the compile cache as the user who runs the server; at run time the file system may be read-only.
RUN ["node", "hosts/server/warm-up.js"]
# One malloc arena for all threads, and free memory goes back to the system early: by default glibc makes an arena for each thread, and what is
# freed in one is not used again by the others.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 HTTP_PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=12s --start-period=10s CMD ["node", "hosts/server/healthcheck.ts"]
# Not through npm, whose shell does not pass signals on to the server.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=30", "--import", "./hosts/server/compile-cache.js", "hosts/server/main.ts"]
