import { casesOf } from "../case.ts";

export const faultsCases = casesOf("faults", []);
