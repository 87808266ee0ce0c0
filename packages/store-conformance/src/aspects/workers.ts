import { casesOf } from "../case.ts";

export const workersCases = casesOf("workers", []);
