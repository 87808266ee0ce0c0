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
    restoreMocks: true,
    sequence: { shuffle: true },
  },
});
