import { casesOf } from "../case.ts";

export const durabilityCases = casesOf("durability", []);
