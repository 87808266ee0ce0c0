import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Writes `{ passed, failed, skipped }` to the file that `COUNTS_FILE` names, for `.ci/run` to add up. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const file = process.env["COUNTS_FILE"];
    if (file === undefined) return;
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let tests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        tests += 1;
        if (state === "passed") counts.passed += 1;
        else if (state === "failed") counts.failed += 1;
        else counts.skipped += 1;
      }
      // A file that failed to load has no tests to report, and must not look like success.
      if (module.state() === "failed" && (tests === 0 || module.errors().length > 0)) counts.failed += 1;
    }
    writeFileSync(file, JSON.stringify(counts));
  }
}
