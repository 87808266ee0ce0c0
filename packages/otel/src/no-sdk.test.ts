import { expect, test, vi } from "vitest";
import { acquireTracing, createLightningProvider } from "./provider.ts";

vi.mock("./load-sdk.ts", () => ({ loadSdk: () => Promise.resolve(undefined) }));

test("without an SDK a lease warns of nothing, as agents need none; asking for a provider says what to install", async () => {
  const lease = await acquireTracing();
  expect([lease.mode, lease.warning]).toEqual(["none", undefined]);
  await lease.release();
  await expect(createLightningProvider()).rejects.toMatchObject({
    code: "otel_sdk_missing",
    message: expect.stringContaining("npm install @opentelemetry/sdk-trace-base"),
  });
});
