import { type LightningStore, type NamedResources, NotFoundError, type Rollout } from "@agentlightning/core";

/**
 * The resources a rollout is pinned to; the latest for one that names none; none where there are none, since an agent
 * may need none.
 *
 * @throws resources_not_found naming the id
 */
export async function loadResources(store: LightningStore, rollout: Rollout): Promise<NamedResources> {
  const { resourcesId } = rollout;
  if (resourcesId === undefined) return (await store.getLatestResources())?.resources ?? {};
  const update = await store.getResourcesById(resourcesId);
  if (update !== undefined) return update.resources;
  throw new NotFoundError({
    code: "resources_not_found",
    message: `Rollout ${rollout.rolloutId} is pinned to resources "${resourcesId}", which the store does not have.`,
    details: { resourcesId, rolloutId: rollout.rolloutId },
  });
}
