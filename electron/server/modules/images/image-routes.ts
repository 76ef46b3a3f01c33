import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { windowList } from '#server/http/pagination.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { notifyImagesChanged } from './image-feed.ts'
import {
  demandQuarantineAccess,
  demandVersionAccess,
  listImageStudies,
  listQuarantine,
  listQuarantineGroups,
  readImageStudy,
  requireCanManageImages,
  requireQuarantineAccess,
  reviewVersions,
} from './image-studies.ts'
import type { Quarantine } from './quarantine.ts'
import type { ImageRecovery } from './recovery.ts'
import type { StudyCreation } from './study-creation.ts'

/** Registers the window's operations for images (`shared/contract/images.ts`). */
export function serveImages(
  app: HttpApp,
  context: Context,
  quarantine: Quarantine,
  creation: StudyCreation,
  recovery: ImageRecovery,
): void {
  const callerOf = windowCaller(context)
  const list = windowList(context.database.seal)

  const handlers: HandlersOf<typeof dashboardImages> = {
    list({ query, user }) {
      const { show, search } = query
      return list('studies', dashboardImages.list, { query }, (page) =>
        listImageStudies(context, callerOf(user), { show, search, ...page }),
      )
    },
    read: ({ params, user }) => readImageStudy(context, callerOf(user), params.studyInstanceUid),
    reviewVersions: ({ params, body, user }) =>
      reviewVersions(context, callerOf(user), params.studyInstanceUid, body.note),
    restoreVersion({ params, body, user }) {
      demandVersionAccess(context, callerOf(user), params.instanceId)
      return quarantine.restoreVersion(params.instanceId, body.reason, userActor(user.userId))
    },
    async retryEnrichment({ params, user }) {
      const caller = callerOf(user)
      requireCanManageImages(context, caller, params.studyInstanceUid)
      // Throws if the study does not exist.
      readImageStudy(context, caller, params.studyInstanceUid)
      await creation.retry(params.studyInstanceUid)
      return readImageStudy(context, caller, params.studyInstanceUid)
    },
    quarantine({ query, user }) {
      const { studyInstanceUid } = query
      return list('instances', dashboardImages.quarantine, { query }, (page) =>
        listQuarantine(context, callerOf(user), { studyInstanceUid, ...page }),
      )
    },
    releaseInstance({ params, body, user }) {
      requireQuarantineAccess(context, callerOf(user), params.instanceId)
      return quarantine.release(params.instanceId, body.reason, userActor(user.userId))
    },
    async discardInstance({ params, body, user }) {
      requireQuarantineAccess(context, callerOf(user), params.instanceId)
      return quarantine.discard(params.instanceId, body.reason, userActor(user.userId))
    },
    quarantineGroups: ({ params, user }) => ({
      groups: listQuarantineGroups(context, callerOf(user), params.studyInstanceUid),
    }),
    async releaseGroup({ params, body: { reason, ...group }, user }) {
      demandQuarantineAccess(context, callerOf(user), params.studyInstanceUid)
      return quarantine.releaseGroup({ ...params, ...group }, reason, userActor(user.userId))
    },
    async discardGroup({ params, body: { reason, ...group }, user }) {
      demandQuarantineAccess(context, callerOf(user), params.studyInstanceUid)
      return quarantine.discardGroup({ ...params, ...group }, reason, userActor(user.userId))
    },
    // It is unknown whose images these are, so the operations require access to all studies.
    async recoveredFiles({ query, user }) {
      requireCanManageImages(context, callerOf(user))
      const operation = dashboardImages.recoveredFiles
      const { files, ...page } = list('files', operation, { query }, (part) => recovery.files(part))
      return { files: await Promise.all(files.map((file) => recovery.describe(file))), ...page }
    },
    async importRecovered({ body, user }) {
      requireCanManageImages(context, callerOf(user))
      return recovery.import(body, userActor(user.userId))
    },
    async discardRecovered({ body: { file, reason }, user }) {
      requireCanManageImages(context, callerOf(user))
      return recovery.discard(file, reason, userActor(user.userId))
    },
  }

  serveAll(app, dashboardImages, handlers, {
    afterChange: () => notifyImagesChanged(context),
  })
}
