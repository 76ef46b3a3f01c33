import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { CorrectionPorts } from '#server/modules/dashboard/ports.ts'
import type { ImageStudies } from '#server/modules/images/image-studies.ts'
import { visibleCustomers } from '#server/modules/studies/study-access.ts'
import { type Caller, windowCaller } from '#server/modules/users/caller.ts'
import {
  type Correction,
  type CorrectionTarget,
  dashboardCorrections,
} from '#shared/contract/corrections.ts'

export interface DashboardCorrectionsDeps {
  readonly store: Pick<Context, 'database'>
  readonly imageStudies: Pick<ImageStudies, 'demandManaging' | 'read' | 'isVisible'>
  readonly feed: Feed
  readonly ports: CorrectionPorts
}

/**
 * Declares the window's calls to correct the identity of images (`shared/contract/corrections.ts`).
 */
export function serveDashboardCorrections(
  app: HttpApp,
  { store, imageStudies, feed, ports }: DashboardCorrectionsDeps,
): void {
  const callerOf = windowCaller(store)

  /** The images may be put only where the caller manages them too. */
  function demandTarget(caller: Caller, target: CorrectionTarget): void {
    if (target.to === 'study') imageStudies.demandManaging(caller, target.studyInstanceUid)
    // Orders of the worklist are of every patient.
    if (target.to === 'order') imageStudies.demandManaging(caller)
  }

  const handlers: HandlersOf<typeof dashboardCorrections> = {
    async identities({ params, user }) {
      imageStudies.demandManaging(callerOf(user), params.studyInstanceUid)
      return { identities: await ports.identities(params.studyInstanceUid) }
    },
    async targets({ params, query, user }) {
      const caller = callerOf(user)
      imageStudies.demandManaging(caller, params.studyInstanceUid)
      const targets = await ports.targets(params.studyInstanceUid, query.search)
      const isShown = ({ target }: (typeof targets)[number]) =>
        target.to === 'study'
          ? imageStudies.isVisible(caller, target.studyInstanceUid)
          : visibleCustomers(caller) === undefined
      return { targets: targets.filter(isShown) }
    },
    async preview({ params, body, user }) {
      const caller = callerOf(user)
      imageStudies.demandManaging(caller, params.studyInstanceUid)
      demandTarget(caller, body.target)
      return ports.preview(params.studyInstanceUid, body)
    },
    async apply({ params, body, user }) {
      const caller = callerOf(user)
      imageStudies.demandManaging(caller, params.studyInstanceUid)
      demandTarget(caller, body.target)
      return ports.apply(params.studyInstanceUid, body, user.userId)
    },
    list({ params, user }) {
      const caller = callerOf(user)
      imageStudies.read(caller, params.studyInstanceUid)
      // A correction names the patient of both its studies.
      const isShown = ({ fromStudyInstanceUid, toStudyInstanceUid }: Correction) =>
        [fromStudyInstanceUid, toStudyInstanceUid].every((uid) =>
          imageStudies.isVisible(caller, uid),
        )
      return { corrections: ports.list(params.studyInstanceUid).filter(isShown) }
    },
    async undo({ params, body, user }) {
      const caller = callerOf(user)
      for (const studyInstanceUid of ports.studiesOf(params.correctionId))
        imageStudies.demandManaging(caller, studyInstanceUid)
      return ports.undo(params.correctionId, body.reason, user.userId)
    },
  }

  serveAll(app, dashboardCorrections, handlers, {
    afterChange() {
      feed.noteImages()
      feed.noteStatus()
    },
  })
}
