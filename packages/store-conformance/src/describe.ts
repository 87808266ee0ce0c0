import { aspects } from "./case.ts";
import { allCases } from "./cases.ts";
import type { StoreFixture } from "./fixture.ts";
import { offeredBy, runCase } from "./run-case.ts";
import { deviationIsNeeded, requireKnownDeviations, type SuiteOptions, seedOf } from "./suite.ts";

/**
 * Declares the whole suite as vitest tests, one for each case. Cases whose requirements the store does not claim to
 * meet are left out; a case named in `deviations` must fail, so that a deviation that is none any more is noticed.
 * Await it at the top of a test file. vitest, an optional peer, is loaded only here: `certifyStore` needs none.
 */
export async function describeStoreConformance(fixture: StoreFixture, options: SuiteOptions = {}): Promise<void> {
  const { afterAll, describe, test } = await import("vitest");
  const { deviations = {} } = options;
  requireKnownDeviations(deviations);
  const seed = seedOf(options);
  const offered = await offeredBy(fixture);
  describe(`${fixture.name} is a LightningStore (seed ${seed})`, () => {
    for (const aspect of aspects) {
      const cases = allCases.filter((entry) => entry.aspect === aspect);
      const applicable = cases.filter(({ requires = [] }) => requires.every((needed) => offered.has(needed)));
      if (applicable.length === 0) continue;
      describe(aspect, () => {
        for (const entry of applicable) {
          const reason = Object.hasOwn(deviations, entry.name) ? deviations[entry.name] : undefined;
          if (reason === undefined) test(entry.name, () => runCase(fixture, entry, seed));
          else test(`deviates: ${entry.name} (${reason})`, () => deviationIsNeeded(fixture, entry, seed));
        }
      });
    }
    afterAll(async () => fixture.close?.());
  });
}
