import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { windowList } from '#server/http/pagination.ts'
import {
  canSeeImages,
  readImageStudy,
  requireCanManageImages,
} from '#server/modules/images/image-studies.ts'
import { visibleCustomerIds } from '#server/modules/studies/study-access.ts'
import { type Caller, windowCaller } from '#server/modules/users/caller.ts'
import { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import { type CorrectionTarget, dashboardCorrections } from '#shared/contract/corrections.ts'
import { confirmNotice, visibleNotices } from './correction-notices.ts'
import { type Corrections, listIdentities, requireCorrection } from './corrections.ts'

/** Registers the window's operations for corrections. */
export function serveCorrections(app: HttpApp, context: Context, corrections: Corrections): void {
  const { feed } = context
  const callerOf = windowCaller(context)
  const afterChange = () => {
    feed.noteImages()
    feed.noteStatus()
  }

  /** Requires that the caller may also manage images of the target. */
  function demandTarget(caller: Caller, target: CorrectionTarget): void {
    if (target.to === 'study') requireCanManageImages(context, caller, target.studyInstanceUid)
    // The worklist contains orders of every patient.
    if (target.to === 'order') requireCanManageImages(context, caller)
  }

  serveAll(
    app,
    dashboardCorrections,
    {
      async identities({ params: { studyInstanceUid }, user }) {
        requireCanManageImages(context, callerOf(user), studyInstanceUid)
        return { identities: await listIdentities(context, studyInstanceUid) }
      },
      async targets({ params: { studyInstanceUid }, query, user }) {
        const caller = callerOf(user)
        requireCanManageImages(context, caller, studyInstanceUid)
        const targets = await corrections.targets(studyInstanceUid, query.search)
        const isShown = ({ target }: (typeof targets)[number]) =>
          target.to === 'study'
            ? canSeeImages(context, caller, target.studyInstanceUid)
            : visibleCustomerIds(caller) === undefined
        return { targets: targets.filter(isShown) }
      },
      preview({ params: { studyInstanceUid }, body, user }) {
        const caller = callerOf(user)
        requireCanManageImages(context, caller, studyInstanceUid)
        demandTarget(caller, body.target)
        return corrections.preview(studyInstanceUid, body, user.userId)
      },
      apply({ params: { studyInstanceUid }, body, user }) {
        const caller = callerOf(user)
        requireCanManageImages(context, caller, studyInstanceUid)
        demandTarget(caller, body.target)
        return corrections.apply(studyInstanceUid, body, user.userId)
      },
      list({ params: { studyInstanceUid }, user }) {
        const caller = callerOf(user)
        readImageStudy(context, caller, studyInstanceUid)
        // A correction identifies the patients of both studies.
        const shown = corrections
          .list(studyInstanceUid)
          .filter(({ fromStudyInstanceUid, toStudyInstanceUid }) =>
            [fromStudyInstanceUid, toStudyInstanceUid].every((uid) =>
              canSeeImages(context, caller, uid),
            ),
          )
        return { corrections: shown }
      },
      undo({ params: { correctionId }, body, user }) {
        const caller = callerOf(user)
        const record = requireCorrection(context, correctionId)
        requireCanManageImages(context, caller, record.fromStudyInstanceUid)
        requireCanManageImages(context, caller, record.toStudyInstanceUid)
        return corrections.undo(correctionId, body.reason, user.userId)
      },
    },
    { afterChange },
  )
}

/** Registers the window's operations for correction notices. */
export function serveCorrectionNotices(app: HttpApp, context: Context): void {
  const callerOf = windowCaller(context)
  const list = windowList(context.database.seal)
  serveAll(
    app,
    dashboardCorrectionNotices,
    {
      list: ({ query, user }) =>
        list('notices', dashboardCorrectionNotices.list, { query }, (page) =>
          visibleNotices(context, callerOf(user), { show: query.show, ...page }),
        ),
      confirm: ({ params, body, user }) =>
        confirmNotice(context, callerOf(user), params.noticeId, body.note),
    },
    { afterChange: () => context.feed.noteStatus() },
  )
}
