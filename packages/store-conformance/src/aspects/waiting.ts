import { casesOf } from "../case.ts";

export const waitingCases = casesOf("waiting", []);
