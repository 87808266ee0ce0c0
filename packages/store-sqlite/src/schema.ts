/** "AgLt" in ASCII: marks a database file as ours. */
export const applicationId = 0x41674c74;

/** Counted up when the tables change. */
export const schemaVersion = 1;

/**
 * Ids of rows are ordinals: the order in which things were made. A rollout's input is in a row of its own, so that a
 * write of the record does not write a large input again.
 */
export const schema = `
  CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    rollouts INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    spans INTEGER NOT NULL DEFAULT 0,
    resources INTEGER NOT NULL DEFAULT 0,
    workers INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL DEFAULT 0,
    spanBytes INTEGER NOT NULL DEFAULT 0,
    lastChange INTEGER NOT NULL DEFAULT 0,
    latestResources INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE rollouts (
    id INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL,
    rolloutKey TEXT NOT NULL,
    status TEXT NOT NULL,
    queuePosition REAL,
    nextDeadlineMs REAL,
    record TEXT NOT NULL,
    UNIQUE (namespace, rolloutKey)
  ) STRICT;
  CREATE INDEX rollouts_by_status ON rollouts (namespace, status, id);
  CREATE INDEX rollouts_by_queue ON rollouts (namespace, queuePosition, rolloutKey) WHERE queuePosition IS NOT NULL;
  CREATE INDEX rollouts_by_deadline ON rollouts (namespace, nextDeadlineMs) WHERE nextDeadlineMs IS NOT NULL;

  CREATE TABLE inputs (rollout INTEGER PRIMARY KEY, input TEXT NOT NULL) STRICT;

  CREATE TABLE claims (
    id INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL,
    requestKey TEXT NOT NULL,
    rollout INTEGER NOT NULL,
    UNIQUE (namespace, requestKey, rollout)
  ) STRICT;
  CREATE INDEX claims_by_rollout ON claims (rollout);

  CREATE TABLE spans (
    id INTEGER PRIMARY KEY,
    rollout INTEGER NOT NULL,
    attemptKey TEXT NOT NULL,
    spanKey TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    span TEXT NOT NULL,
    UNIQUE (rollout, attemptKey, spanKey)
  ) STRICT;

  CREATE TABLE resources (
    id INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL,
    resourcesKey TEXT NOT NULL,
    version INTEGER NOT NULL,
    resources TEXT NOT NULL,
    UNIQUE (namespace, resourcesKey)
  ) STRICT;

  CREATE TABLE workers (
    id INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL,
    workerKey TEXT NOT NULL,
    worker TEXT NOT NULL,
    UNIQUE (namespace, workerKey)
  ) STRICT;

  CREATE TABLE changes (
    namespace INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    change TEXT NOT NULL,
    PRIMARY KEY (namespace, sequence)
  ) STRICT, WITHOUT ROWID;

  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`;
