import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

// `SAKIYOMI_SERVER` is where `npm run dev` finds the API, as printed by `sakiyomi serve`.
const server = process.env.SAKIYOMI_SERVER ?? "http://127.0.0.1:7373";
/** The server answers only pages of its own origin, so the dev page asks under that name. */
const onward = { target: server, changeOrigin: true, headers: { origin: server } };

export default defineConfig({
  plugins: [svelte(), svelteTesting({ autoCleanup: false })],
  build: { target: "es2022", reportCompressedSize: true },
  server: { fs: { allow: [".."] }, proxy: { "/api": onward, "/reports": onward } },
  test: { include: ["tests/unit/**/*.test.ts"] },
});
