import { aspects } from "./case.ts";
import type { StoreFixture } from "./fixture.ts";
import { limitOf, offeredBy, runCase } from "./run-case.ts";
import { casesFor, deviationIsNeeded, requireKnownDeviations, runOptionsOf, type SuiteOptions } from "./suite.ts";

/**
 * Declares the whole suite as vitest tests, one for each case. Cases whose requirements the store does not claim to
 * meet are left out; a case named in `deviations` must fail, so that a deviation that is none any more is noticed.
 * Await it at the top of a test file. vitest, an optional peer, is loaded only here: `certifyStore` needs none.
 */
export async function describeStoreConformance(fixture: StoreFixture, options: SuiteOptions = {}): Promise<void> {
  const { afterAll, describe, test } = await import("vitest");
  const { deviations = {} } = options;
  requireKnownDeviations(deviations);
  const run = runOptionsOf(options);
  const offered = await offeredBy(fixture);
  describe(`${fixture.name} is a LightningStore (seed ${run.seed})`, () => {
    for (const aspect of aspects) {
      const cases = casesFor(options).filter((entry) => entry.aspect === aspect);
      const applicable = cases.filter(({ requires = [] }) => requires.every((needed) => offered.has(needed)));
      if (applicable.length === 0) continue;
      describe(aspect, () => {
        for (const entry of applicable) {
          const reason = Object.hasOwn(deviations, entry.name) ? deviations[entry.name] : undefined;
          // A stuck case is reported by the suite, which knows where its data is, before the test runner gives up.
          const timeout = limitOf(entry, run) + 10_000;
          if (reason === undefined) test(entry.name, { timeout }, () => runCase(fixture, entry, run));
          else test(`deviates: ${entry.name} (${reason})`, { timeout }, () => deviationIsNeeded(fixture, entry, run));
        }
      });
    }
    afterAll(async () => fixture.close?.());
  });
}
