import { expect, test } from "vitest";
import { claim, codeOf, openTestStore, span } from "./support.ts";

test("rollouts are claimed in the order they were enqueued, and then there is none", async () => {
  const { store } = openTestStore();
  const queued = await store.enqueueManyRollouts(Array.from({ length: 500 }, (_, index) => ({ input: index })));
  const inputs: unknown[] = [];
  for (let rollout = await store.dequeueRollout(); rollout; rollout = await store.dequeueRollout()) {
    inputs.push(rollout.input);
  }
  expect(inputs).toEqual(queued.map(({ input }) => input));
  expect(await store.dequeueRollout()).toBeUndefined();
});

test("more rollouts in one instant than a clock can tell apart stay before those of the next instant", async () => {
  const { store, runtime } = openTestStore();
  await store.enqueueManyRollouts(Array.from({ length: 10_000 }, (_, index) => ({ input: index })));
  await runtime.clock.advance(1);
  await store.enqueueRollout({ input: "later" });
  const claimed = await store.dequeueManyRollouts({ limit: 10_001 });
  expect(claimed.map(({ input }) => input)).toEqual([...Array.from({ length: 10_000 }, (_, index) => index), "later"]);
});

test("a retry goes to the tail, once, and nothing is skipped on the way", async () => {
  const { store } = openTestStore();
  const config = { maxAttempts: 2, retryCondition: ["failed"] as const };
  const queued = await store.enqueueManyRollouts([1, 2, 3, 4, 5, 6, 7, 8].map((input) => ({ input, config })));
  await store.updateRollout(queued[4]?.rolloutId ?? "", { status: "cancelled" });
  await store.updateRollout(queued[1]?.rolloutId ?? "", { status: "queuing" });
  await store.updateRollout(queued[1]?.rolloutId ?? "", { status: "queuing" });
  const order: unknown[] = [];
  for (let rollout = await store.dequeueRollout(); rollout; rollout = await store.dequeueRollout()) {
    order.push(rollout.input);
    const status =
      (rollout.input === 3 || rollout.input === 7) && rollout.attempt.sequenceId === 1 ? "failed" : "succeeded";
    await store.reportAttempt(rollout.rolloutId, rollout.attempt.attemptId, { status });
  }
  expect(order).toEqual([1, 2, 3, 4, 6, 7, 8, 3, 7]);
});

test("what runners hand back goes to the head, first handed back first, and costs the agent no attempt", async () => {
  const { store } = openTestStore();
  await store.enqueueManyRollouts([{ input: "a" }, { input: "b" }, { input: "c" }]);
  const [a, b] = [await claim(store, { leaseMs: 1_000 }), await claim(store, { leaseMs: 1_000 })];
  for (const { rolloutId, attempt } of [a, b]) {
    expect(await store.releaseAttempt(rolloutId, attempt.attemptId, { reason: "shutdown" })).toMatchObject({
      status: "applied",
      attempt: { status: "unresponsive", endReason: "released" },
    });
  }
  const order = (await store.dequeueManyRollouts({ limit: 5 })).map(({ input, lostAttempts, attempt }) => [
    input,
    lostAttempts,
    attempt.sequenceId,
  ]);
  expect(order).toEqual([
    ["a", 1, 2],
    ["b", 1, 2],
    ["c", 0, 1],
  ]);
});

test("thirty callers of twenty rollouts get twenty different ones", async () => {
  const { store } = openTestStore();
  await store.enqueueManyRollouts(Array.from({ length: 20 }, () => ({ input: null })));
  const claims = await Promise.all(Array.from({ length: 30 }, () => store.dequeueRollout()));
  const won = claims.flatMap((rollout) => rollout?.rolloutId ?? []);
  expect([won.length, new Set(won).size]).toEqual([20, 20]);
});

test("a waiting claim is served within the turn of the enqueue, before any timer or event", async () => {
  const { store } = openTestStore();
  let isServed = false;
  const waiting = store.dequeueRollout({ waitMs: 60_000 }).then((rollout) => {
    isServed = true;
    return rollout?.input;
  });
  await new Promise((resolve) => setImmediate(resolve));
  let isNextTurn = false;
  const turn = new Promise<void>((resolve) => {
    setImmediate(() => {
      isNextTurn = isServed;
      resolve();
    });
  });
  void store.enqueueRollout({ input: "now" });
  await turn;
  expect([isNextTurn, await waiting]).toEqual([true, "now"]);
});

test("waiting claims are served in the order they came, one rollout each", async () => {
  const { store } = openTestStore();
  const served: unknown[] = [];
  const waits = ["first", "second", "third"].map((name) =>
    store.dequeueRollout({ waitMs: 1_000 }).then((rollout) => served.push([name, rollout?.input])),
  );
  await store.enqueueManyRollouts([{ input: 1 }, { input: 2 }, { input: 3 }]);
  await Promise.all(waits);
  expect(served).toEqual([
    ["first", 1],
    ["second", 2],
    ["third", 3],
  ]);
});

test("a claim that waits in vain ends with nothing, when its time is over", async () => {
  const { store, runtime } = openTestStore();
  const waiting = store.dequeueRollout({ waitMs: 1_000 });
  await runtime.clock.advance(1_000);
  expect(await waiting).toBeUndefined();
});

test("an aborted wait gives its turn to the next and loses no rollout", async () => {
  const { store } = openTestStore();
  const controller = new AbortController();
  const aborted = store.dequeueRollout({ waitMs: 1_000, signal: controller.signal });
  const next = store.dequeueRollout({ waitMs: 1_000 });
  await Promise.resolve();
  const enqueued = store.enqueueRollout({ input: "once" });
  controller.abort();
  await enqueued;
  const inputs = [(await aborted)?.input, (await Promise.race([next, Promise.resolve().then(() => next)]))?.input];
  expect(inputs.filter((input) => input !== undefined)).toEqual(["once"]);
  expect((await store.queryAttempts((await store.queryRollouts()).items[0]?.rolloutId ?? "")).total).toBe(1);
});

test("ten thousand waits on one signal leave no listener behind", async () => {
  const { store } = openTestStore();
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await store.updateRollout(rolloutId, { status: "succeeded" });
  for (let round = 0; round < 10_000; round += 1) {
    await store.enqueueRollout({ input: round });
    await store.dequeueRollout({ waitMs: 10, signal });
  }
  await store.waitForRollouts([rolloutId], { signal });
  expect(listeners).toBe(0);
});

test("a repeated claim request gets what it won and still holds, never more", async () => {
  const { store } = openTestStore();
  await store.enqueueManyRollouts([{ input: 1 }, { input: 2 }, { input: 3 }]);
  const first = await store.dequeueManyRollouts({ limit: 2, requestId: "r" });
  const repeat = await store.dequeueManyRollouts({ limit: 2, requestId: "r" });
  expect(repeat).toEqual(first);
  for (const { rolloutId, attempt } of first)
    await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  expect(await store.dequeueManyRollouts({ limit: 2, requestId: "r", waitMs: 1_000 })).toEqual([]);
});

test("two claims of one request at once win once", async () => {
  const { store } = openTestStore();
  await store.enqueueManyRollouts([{ input: 1 }, { input: 2 }]);
  const [one, other] = await Promise.all([
    store.dequeueRollout({ requestId: "r" }),
    store.dequeueRollout({ requestId: "r" }),
  ]);
  expect(other).toEqual(one);
  expect((await store.statistics()).queuedRollouts).toBe(1);
});

test("a repeated enqueue or start with the same key gives the first one back", async () => {
  const { store } = openTestStore();
  const [first, twin] = await store.enqueueManyRollouts([
    { input: 1, idempotencyKey: "k" },
    { input: 1, idempotencyKey: "k" },
  ]);
  expect(await store.enqueueRollout({ input: 1, idempotencyKey: "k" })).toEqual(first);
  expect(twin).toEqual(first);
  const started = await store.startRollout({ input: 2, idempotencyKey: "s" });
  expect(await store.startRollout({ input: 2, idempotencyKey: "s" })).toEqual(started);
  expect(await codeOf(store.startRollout({ input: 1, idempotencyKey: "k" }))).toBe("conflict");
  expect((await store.statistics()).totalRollouts).toBe(2);
});

test("closing wakes who waits and refuses what comes later", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await claim(store);
  const waits = [
    codeOf(store.dequeueRollout({ waitMs: 60_000 })),
    codeOf(store.waitForRollouts([rolloutId])),
    codeOf(store.waitForRollouts([rolloutId], { timeoutMs: 60_000 })),
  ];
  const events = (async () => {
    for await (const event of store.watchRollouts()) return event;
    return "ended";
  })();
  await Promise.resolve();
  await store.close();
  await store.close();
  expect(await Promise.all([...waits, events])).toEqual(["closed", "closed", "closed", "ended"]);
  expect(await codeOf(store.enqueueRollout({ input: null }))).toBe("closed");
  expect(await codeOf(store.addSpan(span({ rolloutId, attemptId: "x" })))).toBe("closed");
});

test("work that nobody claims in time fails and says so; queued again, its time begins anew", async () => {
  const { store, runtime } = openTestStore();
  const { clock } = runtime;
  const { rolloutId } = await store.enqueueRollout({ input: 1, config: { claimWithinMs: 1_000 } });
  await clock.advance(1_000);
  expect((await store.getRolloutById(rolloutId))?.status).toBe("queuing");
  const finished = store.waitForRollouts([rolloutId]);
  await clock.advance(2);
  expect(await finished).toMatchObject([{ status: "failed", endReason: "unclaimed" }]);
  expect(await store.dequeueRollout()).toBeUndefined();
  await store.updateRollout(rolloutId, { status: "queuing" });
  await clock.advance(900);
  const claimed = await store.dequeueRollout();
  expect(claimed).toMatchObject({ rolloutId, status: "preparing" });
  expect(claimed).not.toHaveProperty("endReason");
  await clock.advance(5_000);
  expect((await store.getRolloutById(rolloutId))?.status).toBe("preparing");
});
