import { expect, test } from "vitest";
import { claim, openTestStore, span } from "./support.ts";

test("a lease that runs out puts the rollout back, uncounted, until too many were lost", async () => {
  const { store, runtime } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null, config: { maxLostAttempts: 1 } });
  await claim(store, { leaseMs: 1_000, workerId: "w" });
  await runtime.clock.advance(1_001);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({
    status: "requeuing",
    lostAttempts: 1,
    attempt: { status: "unresponsive", endReason: "lease_expired" },
  });
  expect(await store.getWorkerById("w")).toMatchObject({ status: "unknown", lastIdleTimeMs: 1_001_001 });
  await claim(store, { leaseMs: 1_000 });
  await runtime.clock.advance(1_001);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "failed", lostAttempts: 2 });
});

test("a silent agent keeps its rollout while its runner renews the lease", async () => {
  const { store, runtime } = openTestStore();
  await store.enqueueRollout({ input: null });
  const { rolloutId, attempt } = await claim(store, { leaseMs: 900 });
  for (let round = 0; round < 10; round += 1) {
    await runtime.clock.advance(300);
    expect(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 900 })).toMatchObject({ status: "held" });
  }
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "preparing" });
});

test("a renewal between another change's read and its write is not undone", async () => {
  const { store, runtime } = openTestStore();
  await store.enqueueRollout({ input: null });
  const { rolloutId, attempt } = await claim(store, { leaseMs: 1_000 });
  await runtime.clock.advance(900);
  await Promise.all([
    store.updateRollout(rolloutId, { metadata: { by: "algorithm" } }),
    store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 1_000 }),
    store.updateAttempt(rolloutId, attempt.attemptId, { metadata: { by: "runner" } }),
  ]);
  await runtime.clock.advance(500);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({
    status: "preparing",
    metadata: { by: "algorithm" },
    attempt: { leaseExpiresAtMs: 1_001_900, metadata: { by: "runner" } },
  });
});

test("a lost lease is revived by its runner's renewal, not by late spans, and only while nobody else has claimed", async () => {
  const { store, runtime } = openTestStore();
  await store.enqueueRollout({ input: null });
  const { rolloutId, attempt } = await claim(store, { leaseMs: 1_000 });
  await runtime.clock.advance(1_001);
  await store.addSpan(span(attempt));
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "requeuing", lostAttempts: 1 });
  expect(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 1_000 })).toMatchObject({ status: "held" });
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "running", lostAttempts: 0 });
  expect(await store.dequeueRollout()).toBeUndefined();
  await runtime.clock.advance(1_001);
  await claim(store);
  expect(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 1_000 })).toEqual({
    status: "lost",
    reason: "superseded",
  });
});

test("an unleased attempt that was silent is revived by a span, which withdraws its retry", async () => {
  const { store, runtime } = openTestStore();
  const config = { unresponsiveMs: 1_000, maxAttempts: 2, retryCondition: ["unresponsive"] as const };
  await store.enqueueRollout({ input: null, config });
  const { rolloutId, attempt } = await claim(store);
  await runtime.clock.advance(1_001);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "requeuing" });
  await store.addSpan(span(attempt));
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "running", attempt: { status: "running" } });
  expect(await store.dequeueRollout()).toBeUndefined();
  await runtime.clock.advance(1_001);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "requeuing", attempt: { sequenceId: 1 } });
});

test("a late span of a failed or timed-out attempt is kept and takes no retry away", async () => {
  const { store, runtime } = openTestStore();
  const config = { timeoutMs: 1_000, maxAttempts: 3, retryCondition: ["failed", "timeout"] as const };
  const { rolloutId } = await store.enqueueRollout({ input: null, config });
  const first = await claim(store);
  await store.reportAttempt(rolloutId, first.attempt.attemptId, { status: "failed" });
  await store.addSpan(span(first.attempt));
  const second = await claim(store);
  await runtime.clock.advance(1_001);
  await store.addSpan(span(second.attempt));
  const third = await claim(store);
  await store.addSpan(span(first.attempt));
  expect(third).toMatchObject({ status: "preparing", attempt: { sequenceId: 3 } });
  expect((await store.querySpans(rolloutId)).total).toBe(3);
  expect((await store.queryAttempts(rolloutId)).items.map(({ status }) => status)).toEqual([
    "failed",
    "timeout",
    "preparing",
  ]);
});

test("spans of an older attempt do not put off the deadline of the latest", async () => {
  const { store, runtime } = openTestStore();
  await store.enqueueRollout({ input: null, config: { unresponsiveMs: 10_000 } });
  const old = await claim(store);
  await runtime.clock.advance(5_000);
  await store.startAttempt(old.rolloutId);
  await store.addSpan(span(old.attempt));
  await runtime.clock.advance(9_000);
  await store.addSpan(span(old.attempt));
  await runtime.clock.advance(1_001);
  expect(await store.getRolloutById(old.rolloutId)).toMatchObject({
    status: "failed",
    attempt: { sequenceId: 2, status: "unresponsive" },
  });
});

test("the watchdog and the report of success at the same instant leave one outcome and no ghost", async () => {
  for (let round = 0; round < 100; round += 1) {
    const { store, runtime } = openTestStore();
    await store.enqueueRollout({ input: { task: round }, config: { timeoutMs: 10 } });
    const { rolloutId, attempt } = await claim(store);
    const report = runtime.clock
      .advance(10 + (round % 3))
      .then(() => store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" }));
    const [outcome] = await Promise.all([report, store.getRolloutById(rolloutId)]);
    const rollout = await store.getRolloutById(rolloutId);
    const expected = outcome.status === "applied" ? ["succeeded", "succeeded"] : ["failed", "timeout"];
    expect([rollout?.status, rollout?.attempt?.status]).toEqual(expected);
    expect(rollout?.input).toEqual({ task: round });
    expect((await store.statistics()).totalAttempts).toBe(1);
  }
});

test("timeout is judged before silence, and both only strictly after their bound", async () => {
  const { store, runtime } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null, config: { timeoutMs: 100, unresponsiveMs: 100 } });
  await claim(store);
  await runtime.clock.advance(100);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "preparing" });
  await runtime.clock.advance(1);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ attempt: { status: "timeout" } });
});
