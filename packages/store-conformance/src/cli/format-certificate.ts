import { type Aspect, aspects } from "../case.ts";
import type { CaseResult, Certificate } from "../suite.ts";

const outcomes = ["passed", "deviates", "failed", "left out"] as const satisfies readonly CaseResult["outcome"][];

/** How the cases of one aspect came out. */
interface AspectTally extends Readonly<Record<CaseResult["outcome"], number>> {
  readonly aspect: Aspect | "all";
}

function count(aspect: Aspect | "all", results: readonly CaseResult[]): AspectTally {
  const of = (wanted: CaseResult["outcome"]): number => results.filter(({ outcome }) => outcome === wanted).length;
  return {
    aspect,
    passed: of("passed"),
    deviates: of("deviates"),
    failed: of("failed"),
    "left out": of("left out"),
  };
}

/** The outcomes of each aspect that was judged, then of all. */
export function tallyOf({ results }: Certificate): readonly AspectTally[] {
  const judged = aspects.map((aspect) => ({ aspect, of: results.filter((result) => result.aspect === aspect) }));
  return [
    ...judged.filter(({ of }) => of.length > 0).map(({ aspect, of }) => count(aspect, of)),
    count("all", results),
  ];
}

function table(tallies: readonly AspectTally[]): readonly string[] {
  const rows = [
    ["aspect", ...outcomes],
    ...tallies.map((tally) => [tally.aspect, ...outcomes.map((outcome) => String(tally[outcome]))]),
  ];
  return rows.map(([name = "", ...cells]) => `${name.padEnd(18)}${cells.map((cell) => cell.padStart(10)).join("")}`);
}

function listed(title: string, wanted: CaseResult["outcome"], results: readonly CaseResult[]): readonly string[] {
  const found = results.filter(({ outcome }) => outcome === wanted);
  if (found.length === 0) return [];
  const lines = found.flatMap(({ aspect, name, detail = "" }) => [
    `  ${aspect}: ${name}`,
    ...detail.split("\n").map((line) => `      ${line}`.trimEnd()),
  ]);
  return ["", title, ...lines];
}

/** @param only - The aspects that were asked for; empty for all */
function verdict({ store, isCertified, results }: Certificate, only: readonly Aspect[]): string {
  const failed = results.filter(({ outcome }) => outcome === "failed").length;
  if (!isCertified) return `${store} is not certified: ${failed} of ${results.length} cases failed`;
  return only.length === 0 ? `${store} is certified` : `${store} is certified in ${only.join(", ")} only`;
}

/**
 * The certificate as a person reads it; the last line is the verdict.
 * @param only - The aspects that were asked for; empty for all
 */
export function formatCertificate(certificate: Certificate, only: readonly Aspect[] = []): string {
  const { store, offers, seed, results } = certificate;
  return [
    `Conformance of ${store}`,
    "",
    ...table(tallyOf(certificate)),
    ...listed("Failed", "failed", results),
    ...listed("Deviates, as announced", "deviates", results),
    ...listed("Left out", "left out", results),
    "",
    `offers: ${offers.length === 0 ? "nothing beyond the contract" : offers.join(", ")}`,
    `seed: ${seed}`,
    verdict(certificate, only),
  ].join("\n");
}
