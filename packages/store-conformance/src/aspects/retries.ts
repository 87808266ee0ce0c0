import { casesOf } from "../case.ts";

export const retriesCases = casesOf("retries", []);
