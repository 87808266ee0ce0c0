import { writeFile } from "node:fs/promises";
import type { Aspect } from "../case.ts";
import { certifyStore } from "../suite.ts";
import { formatCertificate, tallyOf } from "./format-certificate.ts";
import { loadDeviations, loadFixture } from "./load-fixture.ts";
import { createProgress } from "./progress.ts";

/** What was asked for on the command line. */
export interface CertifyFlags {
  readonly json?: string;
  readonly seed?: number;
  readonly histories?: number;
  readonly aspect?: readonly Aspect[];
  readonly deviations?: string;
}

/** Judges the store of a fixture and prints what was found. Gives whether it is certified. @throws invalid_options */
export async function certifyCommand(fixtureFile: string, flags: CertifyFlags): Promise<boolean> {
  const { fixture, deviations } = await loadFixture(fixtureFile);
  const announced = flags.deviations === undefined ? {} : await loadDeviations(flags.deviations);
  const certificate = await certifyStore(fixture, {
    deviations: { ...deviations, ...announced },
    seed: flags.seed,
    histories: flags.histories,
    aspects: flags.aspect,
    onResult: createProgress(process.stderr),
  });
  const report = `${formatCertificate(certificate, flags.aspect)}\n`;
  const isJsonOnly = flags.json === "-";
  (isJsonOnly ? process.stderr : process.stdout).write(report);
  if (flags.json !== undefined) {
    const json = `${JSON.stringify({ ...certificate, tally: tallyOf(certificate) }, undefined, 2)}\n`;
    if (isJsonOnly) process.stdout.write(json);
    else await writeFile(flags.json, json);
  }
  return certificate.isCertified;
}
