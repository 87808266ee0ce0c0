import { defineConfig } from "vitest/config";

const conditions = ["@agentlightning/source"];

export default defineConfig({
  resolve: { conditions: [...conditions, "node", "import", "default"] },
  ssr: { resolve: { conditions: [...conditions, "node", "import", "default"] } },
  test: {
    include: [
      "packages/*/{src,test}/**/*.test.ts",
      "apps/*/{src,test}/**/*.test.ts",
      "scripts/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    reporters: ["default", "./.ci/counts-reporter.ts"],
    // A hang is a failure; a slow machine is none.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    sequence: { shuffle: true },
  },
});
