import { LightningError, type NamedResources, type ResourcesUpdate } from "@agentlightning/core";
import { checkResources } from "./check-resources.ts";
import type { StoreParts } from "./parts.ts";
import { checkId } from "./validate.ts";

/** Keeps versions of resources. */
export class ResourcesBook {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  add(resources: NamedResources): Promise<ResourcesUpdate> {
    return this.put(this.#parts.runtime.ids.resourcesId(), resources, 0);
  }

  /** @throws conflict when `expectedVersion` is not the stored one */
  async put(
    resourcesId: string,
    resources: NamedResources,
    expectedVersion: number | undefined,
  ): Promise<ResourcesUpdate> {
    const { driver, runtime, copyOptions } = this.#parts;
    checkId(resourcesId, "resourcesId");
    const checked = checkResources(resources, copyOptions);
    for (;;) {
      const current = await driver.readResources(resourcesId);
      const version = current?.version ?? 0;
      if (expectedVersion !== undefined && expectedVersion !== version) {
        throw new LightningError({
          code: "conflict",
          message: `resources ${resourcesId} are at version ${version}, not ${expectedVersion}`,
          details: { resourcesId, version },
        });
      }
      const nowMs = runtime.clock.nowMs();
      const update = Object.freeze({
        resourcesId,
        createTimeMs: current?.createTimeMs ?? nowMs,
        updateTimeMs: nowMs,
        version: version + 1,
        resources: checked,
      });
      if (await driver.putResources(update, version)) return update;
    }
  }
}
