import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { ImagePorts } from '#server/modules/dashboard/ports.ts'
import { windowList } from '#server/modules/dashboard/window-list.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import type { ImageStudies } from './image-studies.ts'

export interface DashboardImagesDeps {
  readonly store: Pick<Context, 'seal' | 'database'>
  readonly imageStudies: ImageStudies
  readonly feed: Feed
  readonly ports: ImagePorts
}

/** Declares the window's calls about images as they arrive (`shared/contract/images.ts`). */
export function serveDashboardImages(
  app: HttpApp,
  { store, imageStudies, feed, ports }: DashboardImagesDeps,
): void {
  const callerOf = windowCaller(store)
  const list = windowList(store.seal)

  const handlers: HandlersOf<typeof dashboardImages> = {
    list({ query, user }) {
      const { show, search } = query
      return list('studies', dashboardImages.list, { query }, (page) =>
        imageStudies.list(callerOf(user), { show, search, ...page }),
      )
    },
    read: ({ params, user }) => imageStudies.read(callerOf(user), params.studyInstanceUid),
    reviewVersions: ({ params, body, user }) =>
      imageStudies.reviewVersions(callerOf(user), params.studyInstanceUid, body.note),
    restoreVersion({ params, body, user }) {
      imageStudies.demandVersion(callerOf(user), params.instanceId)
      return ports.restoreVersion(params.instanceId, body.reason, userActor(user.userId))
    },
    async retryEnrichment({ params, user }) {
      const caller = callerOf(user)
      imageStudies.demandManaging(caller, params.studyInstanceUid)
      // Of a study that is not here there is nothing to ask.
      imageStudies.read(caller, params.studyInstanceUid)
      await ports.retryEnrichment(params.studyInstanceUid)
      return imageStudies.read(caller, params.studyInstanceUid)
    },
    quarantine({ query, user }) {
      const { studyInstanceUid } = query
      return list('instances', dashboardImages.quarantine, { query }, (page) =>
        imageStudies.quarantine(callerOf(user), { studyInstanceUid, ...page }),
      )
    },
    releaseInstance({ params, body, user }) {
      imageStudies.demandDeciding(callerOf(user), params.instanceId)
      return ports.releaseInstance(params.instanceId, body.reason, userActor(user.userId))
    },
    async discardInstance({ params, body, user }) {
      imageStudies.demandDeciding(callerOf(user), params.instanceId)
      return ports.discardInstance(params.instanceId, body.reason, userActor(user.userId))
    },
    quarantineGroups: ({ params, user }) => ({
      groups: imageStudies.quarantineGroups(callerOf(user), params.studyInstanceUid),
    }),
    async releaseGroup({ params, body: { reason, ...group }, user }) {
      imageStudies.demandDecidingOf(callerOf(user), params.studyInstanceUid)
      return ports.releaseGroup({ ...params, ...group }, reason, userActor(user.userId))
    },
    async discardGroup({ params, body: { reason, ...group }, user }) {
      imageStudies.demandDecidingOf(callerOf(user), params.studyInstanceUid)
      return ports.discardGroup({ ...params, ...group }, reason, userActor(user.userId))
    },
    // Nobody knows yet whose they are: they take the right to manage every study.
    async recoveredFiles({ query, user }) {
      imageStudies.demandManaging(callerOf(user))
      const { files, ...page } = list(
        'files',
        dashboardImages.recoveredFiles,
        { query },
        ports.recovery.files,
      )
      return { files: await Promise.all(files.map(ports.recovery.describe)), ...page }
    },
    async importRecovered({ body, user }) {
      imageStudies.demandManaging(callerOf(user))
      return ports.recovery.import(body, userActor(user.userId))
    },
    async discardRecovered({ body: { file, reason }, user }) {
      imageStudies.demandManaging(callerOf(user))
      return ports.recovery.discard(file, reason, userActor(user.userId))
    },
  }

  serveAll(app, dashboardImages, handlers, {
    afterChange() {
      feed.noteImages()
      feed.noteStatus()
    },
  })
}
