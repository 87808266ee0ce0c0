import { expect, test } from "vitest";
import { claim, codeOf, openTestStore, span } from "./support.ts";

test.each([
  ["succeeded", "failed"],
  ["failed", "succeeded"],
] as const)(
  "a runner that lost its claim and says %s does not decide; the latest attempt's %s does",
  async (stale, real) => {
    const { store, runtime } = openTestStore();
    const { rolloutId } = await store.enqueueRollout({ input: null });
    const first = await claim(store, { leaseMs: 100, workerId: "w1" });
    await runtime.clock.advance(101);
    const second = await claim(store, { leaseMs: 1_000, workerId: "w2" });
    expect(await store.reportAttempt(rolloutId, first.attempt.attemptId, { status: stale })).toMatchObject({
      status: "lost",
      reason: "superseded",
    });
    expect(await store.getWorkerById("w2")).toMatchObject({ status: "busy" });
    const report = () => store.reportAttempt(rolloutId, second.attempt.attemptId, { status: real });
    expect(await report()).toMatchObject({ status: "applied" });
    expect(await report()).toMatchObject({ status: "applied" });
    expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: real });
  },
);

test("a report that is repeated after its retry was claimed is still applied", async () => {
  const { store } = openTestStore();
  await store.enqueueRollout({ input: null, config: { maxAttempts: 2, retryCondition: ["failed"] } });
  const { rolloutId, attempt } = await claim(store);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "failed" });
  await claim(store);
  expect(await store.reportAttempt(rolloutId, attempt.attemptId, { status: "failed" })).toMatchObject({
    status: "applied",
  });
});

test("cancelling ends the live attempt, frees its worker, and what comes later moves nothing but is kept", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const { attempt } = await claim(store, { workerId: "w", leaseMs: 1_000 });
  await store.updateRollout(rolloutId, { status: "cancelled" });
  expect(await store.getRolloutById(rolloutId)).toMatchObject({
    status: "cancelled",
    endTimeMs: 1_000_000,
    attempt: { status: "failed", endReason: "cancelled", endTimeMs: 1_000_000 },
  });
  const worker = await store.getWorkerById("w");
  expect([worker?.status, worker?.currentAttemptId]).toEqual(["idle", undefined]);
  const lost = { status: "lost", reason: "cancelled" };
  expect(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 1_000 })).toEqual(lost);
  expect(await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" })).toMatchObject(lost);
  await store.updateAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  await store.addSpan(span(attempt));
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "cancelled", attempt: { status: "failed" } });
  expect((await store.querySpans(rolloutId)).total).toBe(1);
});

test("work that was declared lost and is reported late is noted on the attempt; the rollout stays failed and nobody is told twice", async () => {
  const { store, runtime } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null, config: { unresponsiveMs: 100 } });
  const { attempt } = await claim(store);
  await runtime.clock.advance(101);
  const watcher = store.watchRollouts()[Symbol.asyncIterator]();
  await store.addSpan(span(attempt));
  expect(await store.updateAttempt(rolloutId, attempt.attemptId, { status: "succeeded" })).toMatchObject({
    status: "succeeded",
  });
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "failed" });
  const marker = await store.enqueueRollout({ input: "marker" });
  expect((await watcher.next()).value).toMatchObject({ rolloutId: marker.rolloutId });
});

test("terminal is final except for a reopen, which clears the end time", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await store.updateRollout(rolloutId, { status: "succeeded" });
  for (const status of ["failed", "cancelled", "running", "preparing"] as const) {
    expect(await store.updateRollout(rolloutId, { status })).toMatchObject({ status: "succeeded" });
  }
  const reopened = await store.updateRollout(rolloutId, { status: "requeuing" });
  expect([reopened.status, reopened.endTimeMs]).toEqual(["requeuing", undefined]);
  await store.updateRollout(rolloutId, { status: "failed" });
  const started = await store.startAttempt(rolloutId);
  expect([started.status, started.endTimeMs, started.attempt.sequenceId]).toEqual(["preparing", undefined, 1]);
});

test("spans, a report and a metadata change at once lose nothing and never turn the end back", async () => {
  for (let round = 0; round < 200; round += 1) {
    const { store } = openTestStore();
    await store.enqueueRollout({ input: null });
    const { rolloutId, attempt } = await claim(store);
    const calls = [
      () => store.addSpan(span(attempt)),
      () => store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" }),
      () => store.updateRollout(rolloutId, { metadata: { round } }),
    ];
    await Promise.all([0, 1, 2].map((step) => calls[(step + round) % 3]?.()));
    expect(await store.getRolloutById(rolloutId)).toMatchObject({
      status: "succeeded",
      endTimeMs: 1_000_000,
      metadata: { round },
      attempt: { status: "succeeded", lastHeartbeatTimeMs: 1_000_000 },
    });
    expect((await store.querySpans(rolloutId)).total).toBe(1);
  }
});

test("the reference's attempt update names what is missing", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  expect(await codeOf(store.updateAttempt("ro-x", "latest", {}))).toBe("rollout_not_found");
  expect(await codeOf(store.updateAttempt(rolloutId, "latest", {}))).toBe("attempt_not_found");
  expect(await codeOf(store.startAttempt("ro-x"))).toBe("rollout_not_found");
  expect(await codeOf(store.updateRollout("ro-x", {}))).toBe("rollout_not_found");
  await claim(store);
  expect(await store.updateAttempt(rolloutId, "latest", { status: "running", workerId: "w" })).toMatchObject({
    status: "running",
    workerId: "w",
  });
  expect(await store.getWorkerById("w")).toMatchObject({ status: "busy", currentRolloutId: rolloutId });
});

test("a rollout takes at most a thousand attempts", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.startRollout({ input: null });
  for (let count = 1; count < 1_000; count += 1) await store.startAttempt(rolloutId);
  expect(await codeOf(store.startAttempt(rolloutId))).toBe("attempt_limit");
  await store.updateRollout(rolloutId, { status: "failed" });
  expect(await codeOf(store.updateRollout(rolloutId, { status: "queuing" }))).toBe("attempt_limit");
});
