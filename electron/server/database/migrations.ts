import { init } from './migrations/0001-init.ts'
import { interfaceTables } from './migrations/0002-interface.ts'
import { images } from './migrations/0003-images.ts'
import { reportTables } from './migrations/0004-reports.ts'
import { viewingTables } from './migrations/0005-viewing.ts'
import { searchTables } from './migrations/0006-search.ts'
import { securityTables } from './migrations/0007-security.ts'
import { activityTables } from './migrations/0008-activity.ts'
import { setupIsDone } from './migrations/0009-setup.ts'
import { repeatedQueries } from './migrations/0010-repeats.ts'
import { imageVersions } from './migrations/0011-image-versions.ts'
import { identity } from './migrations/0012-identity.ts'
import { correctionTables } from './migrations/0013-corrections.ts'
import { reconciliation } from './migrations/0014-reconciliation.ts'
import { rights } from './migrations/0015-rights.ts'
import { auditKeys } from './migrations/0016-audit.ts'
import { foundVersions } from './migrations/0017-found-versions.ts'
import { neededAddenda } from './migrations/0018-needed-addenda.ts'

/** SQL of each schema version, append-only; `user_version` counts how many have run. */
export const MIGRATIONS: readonly string[] = [
  init,
  interfaceTables,
  images,
  reportTables,
  viewingTables,
  searchTables,
  securityTables,
  activityTables,
  setupIsDone,
  repeatedQueries,
  imageVersions,
  identity,
  correctionTables,
  reconciliation,
  rights,
  auditKeys,
  foundVersions,
  neededAddenda,
]
