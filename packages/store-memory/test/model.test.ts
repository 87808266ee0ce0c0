import type { LightningStore, RolloutStatus } from "@agentlightning/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openTestStore, span } from "./support.ts";

/** What a store without leases and deadlines has to do, as simply as it can be said. */
interface ModelRollout {
  status: RolloutStatus;
  attempts: string[];
  spans: number;
}
class Model {
  readonly rollouts: ModelRollout[] = [];
  queue: number[] = [];

  enqueue(): void {
    this.queue.push(this.rollouts.push({ status: "queuing", attempts: [], spans: 0 }) - 1);
  }

  move(index: number, status: RolloutStatus): void {
    const rollout = this.rollouts[index];
    if (rollout === undefined) return;
    const isQueued = status === "queuing" || status === "requeuing";
    if (["succeeded", "failed", "cancelled"].includes(rollout.status) && !isQueued) return;
    if (status === "cancelled" && ["preparing", "running"].includes(rollout.attempts.at(-1) ?? "")) {
      rollout.attempts[rollout.attempts.length - 1] = "failed";
    }
    rollout.status = status;
    if (!isQueued) this.queue = this.queue.filter((waiting) => waiting !== index);
    else if (!this.queue.includes(index)) this.queue.push(index);
  }

  begin(index: number): void {
    this.queue = this.queue.filter((waiting) => waiting !== index);
    const rollout = this.rollouts[index];
    if (rollout === undefined) return;
    rollout.status = "preparing";
    rollout.attempts.push("preparing");
  }

  report(index: number, attempt: number, status: "succeeded" | "failed"): void {
    const rollout = this.rollouts[index];
    if (rollout === undefined || !["preparing", "running"].includes(rollout.attempts[attempt] ?? "")) return;
    const isLatest = attempt === rollout.attempts.length - 1;
    if (isLatest && rollout.status === "cancelled") return;
    rollout.attempts[attempt] = status;
    // A report never reopens what was finished from outside.
    const isFinished = ["succeeded", "failed"].includes(rollout.status);
    if (isLatest && !isFinished) this.move(index, status === "failed" && attempt + 1 < 3 ? "requeuing" : status);
  }

  span(index: number, attempt: number): void {
    const rollout = this.rollouts[index];
    if (rollout === undefined) return;
    rollout.spans += 1;
    if (rollout.attempts[attempt] !== "preparing") return;
    rollout.attempts[attempt] = "running";
    if (attempt === rollout.attempts.length - 1 && rollout.status === "preparing") rollout.status = "running";
  }
}

const pick = fc.nat({ max: 50 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("enqueue" as const) }),
    fc.record({ kind: fc.constant("dequeue" as const) }),
    fc.record({ kind: fc.constant("start" as const), rollout: pick }),
    fc.record({ kind: fc.constant("span" as const), rollout: pick, attempt: pick }),
    fc.record({
      kind: fc.constant("report" as const),
      rollout: pick,
      attempt: pick,
      status: fc.constantFrom("succeeded" as const, "failed" as const),
    }),
    fc.record({
      kind: fc.constant("update" as const),
      rollout: pick,
      status: fc.constantFrom("queuing" as const, "requeuing" as const, "cancelled" as const, "succeeded" as const),
    }),
  ),
  { maxLength: 60 },
);

async function view(store: LightningStore, ids: readonly string[]): Promise<readonly ModelRollout[]> {
  return Promise.all(
    ids.map(async (id) => ({
      status: (await store.getRolloutById(id))?.status ?? "failed",
      attempts: (await store.queryAttempts(id)).items.map(({ status }) => status),
      spans: (await store.querySpans(id)).total,
    })),
  );
}

test("whatever is called in whatever order, the store is where a simple model of it is", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const { store } = openTestStore();
      const model = new Model();
      const ids: string[] = [];
      const attemptIds: string[][] = [];
      for (const step of list) {
        if (step.kind === "enqueue") {
          model.enqueue();
          const config = { maxAttempts: 3, retryCondition: ["failed" as const] };
          ids.push((await store.enqueueRollout({ input: ids.length, config })).rolloutId);
          attemptIds.push([]);
          continue;
        }
        if (step.kind === "dequeue") {
          const [next] = model.queue;
          const claimed = await store.dequeueRollout();
          expect(claimed?.input).toBe(next);
          if (claimed === undefined || next === undefined) continue;
          attemptIds[next]?.push(claimed.attempt.attemptId);
          model.begin(next);
          continue;
        }
        if (ids.length === 0) continue;
        const index = step.rollout % ids.length;
        const id = ids[index] ?? "";
        if (step.kind === "start") {
          attemptIds[index]?.push((await store.startAttempt(id)).attempt.attemptId);
          model.begin(index);
        } else if (step.kind === "update") {
          await store.updateRollout(id, { status: step.status });
          model.move(index, step.status);
        } else {
          const made = attemptIds[index] ?? [];
          if (made.length === 0) continue;
          const which = step.attempt % made.length;
          const attemptId = made[which] ?? "";
          if (step.kind === "span") {
            await store.addSpan(span({ rolloutId: id, attemptId }));
            model.span(index, which);
          } else {
            await store.reportAttempt(id, attemptId, { status: step.status });
            model.report(index, which, step.status);
          }
        }
      }
      expect(await view(store, ids)).toEqual(model.rollouts);
      const { queuedRollouts } = await store.statistics();
      expect(queuedRollouts).toBe(model.queue.length);
    }),
    { numRuns: 1_000 },
  );
});
