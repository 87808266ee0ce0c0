import { casesOf } from "../case.ts";

export const leasesCases = casesOf("leases", []);
