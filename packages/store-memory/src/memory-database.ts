import type { ResourcesUpdate, Worker } from "@agentlightning/core";
import { RecordTable } from "./record-table.ts";
import { SpanShelves } from "./span-shelf.ts";

/** What one namespace holds. */
export class MemoryNamespace {
  readonly shelves: SpanShelves = new SpanShelves();
  readonly table: RecordTable = new RecordTable(this.shelves);
  readonly resources: Map<string, ResourcesUpdate> = new Map();
  readonly workers: Map<string, Worker> = new Map();
  latestResourcesId: string | undefined;
}

/** Namespaces in this process's memory, for several stores that share what they hold. */
export class MemoryDatabase {
  readonly #namespaces = new Map<string, MemoryNamespace>();

  /** What is held under a name; nothing at first. */
  namespace(name: string): MemoryNamespace {
    const known = this.#namespaces.get(name);
    if (known !== undefined) return known;
    const fresh = new MemoryNamespace();
    this.#namespaces.set(name, fresh);
    return fresh;
  }

  /** Forgets all that is held under a name; stores that are open on it keep what they have. */
  drop(name: string): void {
    this.#namespaces.delete(name);
  }
}
