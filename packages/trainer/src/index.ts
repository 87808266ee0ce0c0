export { AlgorithmNotFastError } from "./algorithm-not-fast-error.ts";
export type { FitOptions } from "./fit-options.ts";
export type { TrainerOptions } from "./options.ts";
export { Trainer } from "./trainer.ts";
