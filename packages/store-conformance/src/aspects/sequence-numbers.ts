import { casesOf } from "../case.ts";

export const sequenceNumbersCases = casesOf("sequence numbers", []);
