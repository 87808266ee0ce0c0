import { LightningError } from "@agentlightning/core";

/** `dev` was given an algorithm that is not made for short runs; named as the TypeError it would be elsewhere. */
export class AlgorithmNotFastError extends LightningError {
  constructor(className: string) {
    super({
      code: "algorithm_not_fast",
      message: `dev() runs algorithms derived from FastAlgorithm only; ${className} is none. Use fit(), or derive from FastAlgorithm.`,
      details: { className },
    });
    this.name = "TypeError";
  }
}
