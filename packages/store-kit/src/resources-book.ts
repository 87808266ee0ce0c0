import { LightningError, type NamedResources, type ResourcesUpdate } from "@agentlightning/core";
import { checkResources } from "./check-resources.ts";
import { idOfKey } from "./idempotency.ts";
import type { StoreParts } from "./parts.ts";
import { checkId, checkObject, checkOptionalId, shown } from "./validate.ts";

interface PutOptions {
  readonly expectedVersion?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Keeps versions of resources. */
export class ResourcesBook {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Under a new id; a key always gives the same id, so that a repeat finds what the first call stored. */
  async add(resources: NamedResources, idempotencyKey: string | undefined): Promise<ResourcesUpdate> {
    const { driver, runtime } = this.#parts;
    if (idempotencyKey === undefined) return this.put(runtime.ids.resourcesId(), resources, { expectedVersion: 0 });
    const resourcesId = await idOfKey("rs", checkId(idempotencyKey, "idempotencyKey"));
    for (;;) {
      const stored = await driver.readResources(resourcesId);
      if (stored !== undefined) return stored;
      try {
        return await this.put(resourcesId, resources, { expectedVersion: 0, idempotencyKey });
      } catch (cause) {
        // A concurrent call with the same key was faster: its set is the answer.
        if (!LightningError.isInstance(cause, "conflict")) throw cause;
      }
    }
  }

  /** @throws conflict when `expectedVersion` is not the stored one */
  async put(resourcesId: string, resources: NamedResources, options: PutOptions): Promise<ResourcesUpdate> {
    const { driver, runtime, copyOptions } = this.#parts;
    const { expectedVersion } = checkObject(options, "options");
    const key = checkOptionalId(options.idempotencyKey, "idempotencyKey");
    checkId(resourcesId, "resourcesId");
    const checked = checkResources(resources, copyOptions);
    for (;;) {
      const current = await driver.readResources(resourcesId);
      if (key !== undefined && current?.idempotencyKey === key) return current;
      const version = current?.version ?? 0;
      if (expectedVersion !== undefined && expectedVersion !== version) {
        throw new LightningError({
          code: "conflict",
          message: `resources ${resourcesId} are at version ${version}, not ${shown(expectedVersion)}`,
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
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
      if (await driver.putResources(update, version)) return update;
    }
  }
}
