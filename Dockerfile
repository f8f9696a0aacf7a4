# The image has node and the bundle. docs/scripts.md says how to build and run it.
# A tag can move: to build from one image for ever, name its digest (--build-arg NODE_IMAGE=node:...@sha256:...).
ARG NODE_IMAGE=node:24.11.1-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM ${NODE_IMAGE}
COPY --from=build /build/package.json /build/LICENSE /app/
COPY --from=build /build/bin /app/bin
COPY --from=build /build/dist /app/dist
COPY --from=build /build/skills /app/skills
# A user without an entry, who owns no file of the image.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["node", "/app/bin/waybill.js"]
