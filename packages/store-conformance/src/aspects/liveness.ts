import { casesOf } from "../case.ts";

export const livenessCases = casesOf("liveness", []);
