// Size budgets per entry: minified, gzipped, peers and zod and other workspace packages left out.
/** Kilobytes (1,000 bytes) that an entry point may weigh, by its import specifier. */
export const sizeBudgetsKb: Readonly<Record<string, number>> = {
  "@agentlightning/core": 12,
  "@agentlightning/core/lifecycle": 5,
  "@agentlightning/core/node": 3,
  "@agentlightning/core/schema": 5,
  "@agentlightning/core/testing": 3,
  "@agentlightning/core/wire": 8,
  "@agentlightning/store-kit": 14,
  "@agentlightning/store-memory": 6,
  "@agentlightning/store-conformance": 40,
  "@agentlightning/otel": 10,
  "@agentlightning/otel/provider": 10,
  "@agentlightning/algorithm": 10,
  "@agentlightning/runner": 12,
  "@agentlightning/trainer": 8,
  "@agentlightning/mock-agent": 20,
};
