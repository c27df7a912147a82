# The program and its page, from Debian's packages and this repository; crates and the page's modules come from their
# registries, as in any build. Rust 1.95 is younger than Debian's stable release, so the build takes Debian unstable.
#
#     docker build --tag sakiyomi .
#     docker run --publish 127.0.0.1:7373:7373 sakiyomi
#
# The server listens on all addresses of the container, and prints a token that belongs into the address.
FROM debian:sid-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends \
    ca-certificates cargo gcc libc6-dev make nodejs npm rustc && rm -rf /var/lib/apt/lists/*
WORKDIR /sakiyomi
COPY . .
RUN make page build

FROM debian:sid-slim
COPY --from=build /sakiyomi/target/release/sakiyomi /usr/local/bin/sakiyomi
RUN useradd --create-home player
USER player
WORKDIR /home/player
EXPOSE 7373
ENTRYPOINT ["sakiyomi"]
CMD ["serve", "--listen", "0.0.0.0:7373"]
