import { attemptsCases } from "./aspects/attempts.ts";
import { durabilityCases } from "./aspects/durability.ts";
import { faultsCases } from "./aspects/faults.ts";
import { idempotencyCases } from "./aspects/idempotency.ts";
import { isolationCases } from "./aspects/isolation.ts";
import { leasesCases } from "./aspects/leases.ts";
import { limitsCases } from "./aspects/limits.ts";
import { livenessCases } from "./aspects/liveness.ts";
import { modelCases } from "./aspects/model.ts";
import { queriesCases } from "./aspects/queries.ts";
import { queueCases } from "./aspects/queue.ts";
import { resourcesCases } from "./aspects/resources.ts";
import { retriesCases } from "./aspects/retries.ts";
import { sequenceNumbersCases } from "./aspects/sequence-numbers.ts";
import { spansCases } from "./aspects/spans.ts";
import { twoHandlesCases } from "./aspects/two-handles.ts";
import { waitingCases } from "./aspects/waiting.ts";
import { workersCases } from "./aspects/workers.ts";
import type { ConformanceCase } from "./case.ts";

/** Every case of the suite, aspect by aspect. */
export const allCases: readonly ConformanceCase[] = [
  ...queueCases,
  ...attemptsCases,
  ...retriesCases,
  ...livenessCases,
  ...leasesCases,
  ...spansCases,
  ...sequenceNumbersCases,
  ...resourcesCases,
  ...workersCases,
  ...queriesCases,
  ...waitingCases,
  ...isolationCases,
  ...idempotencyCases,
  ...limitsCases,
  ...durabilityCases,
  ...twoHandlesCases,
  ...faultsCases,
  ...modelCases,
];
