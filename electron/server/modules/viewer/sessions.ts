import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { OpenView, SessionUse } from '#server/http/callers.ts'
import { deleteAnnotationsOf } from '#server/modules/images/annotation-queries.ts'
import { canSeeImages } from '#server/modules/images/image-studies.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { isVisible, requireVisibleStudy } from '#server/modules/studies/study-access.ts'
import {
  findStudy,
  findStudyByUid,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import {
  actorOf,
  isAllowed,
  requirePermission,
  type UserCaller,
  windowCaller,
} from '#server/modules/users/caller.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { runningSessionById, signedInUser } from '#server/modules/users/sessions.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { createToken, hashToken } from '#server/platform/token.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { View } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import type { StudyId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { ownerOfAnnotations } from './annotations.ts'
import { openLink, revokedReason } from './links.ts'
import {
  deleteView,
  findView,
  insertView,
  noteViewUse,
  purgeViews,
  type ViewRecord,
} from './queries.ts'

const USE_WRITTEN_EVERY_MS = 60_000
const CANCELLED_MESSAGE = message('viewer.study-was-cancelled')

/** A new view; `token` is the value of its cookie and is not stored. */
export interface NewView {
  readonly view: OpenView
  readonly token: string
}

type StudySelector = { readonly studyId: string } | { readonly studyInstanceUid: string }

/**
 * Sessions of the viewer. Each is for one study or one ephemeral session and has its own token. A
 * session ends `viewer.sessionHours` after it started and `viewer.idleMinutes` after its last use.
 * Every call checks that its study is not cancelled and that its creator and its user still have
 * access.
 */
export class ViewSessions {
  readonly #context: Context
  readonly #database: Database
  readonly #onEnded: (viewId: string) => void
  /** Views that may hold resources; each is reported as ended once. */
  readonly #held = new Set<string>()
  /** The last use of views whose record could not be written. */
  readonly #used = new Map<string, Instant>()

  /**
   * @param ended called once for each view that has ended or may no longer be used, to release its
   *   resources; must not throw
   */
  constructor(context: Context, ended: (viewId: string) => void = () => undefined) {
    this.#context = context
    this.#database = context.database
    this.#onEnded = ended
  }

  /**
   * Opens a view by a link and redeems the link.
   * @throws ApiError refused: the link cannot be opened
   */
  byLink(token: string): NewView {
    const result = this.#database.transaction(() => {
      const opening = openLink(this.#context, token)
      if (opening.outcome === 'closed') return opening
      const { link } = opening
      const study = link.studyId === null ? undefined : findStudy(this.#database, link.studyId)
      const studyInstanceUid = study?.studyInstanceUid ?? null
      return this.#begin({ ...link, sessionId: null, studyInstanceUid })
    })
    // Thrown after the transaction, so that the refusal stays in the audit log.
    if ('outcome' in result) throw closedLinkError(result.why)
    return result
  }

  /**
   * Opens a view for a user of the window. By UID, it opens the scribe study, otherwise the viewer
   * study, otherwise the images in the archive. With `sessionId`, the session of the window, the
   * view is locked and ends with the window.
   * @throws ApiError not-permitted; not-found: there is no study that the caller may see; refused:
   *   the study is cancelled
   */
  byUser(caller: UserCaller, selector: StudySelector, sessionId: string | null = null): NewView {
    return this.#database.transaction(() => {
      requirePermission(caller, 'readStudies')
      const { userId } = caller.user
      const begun = this.#begin({
        ...viewedStudy(this.#context, caller, selector),
        ...{ kind: 'window', userId, createdByApiKeyId: null, createdByUserId: userId },
        ...{ sessionId, ephemeral: null },
      })
      const target = begun.view.studyId ?? begun.view.studyInstanceUid ?? ''
      note(this.#context, actorOf(caller), 'view.open', target, { kind: 'window' })
      return begun
    })
  }

  /**
   * Returns the active view with this ID and token; undefined if it has ended, does not exist or
   * has another token. Using a view counts as activity in its window.
   * @throws ApiError refused: it may not be used now; locked: its window is locked
   */
  viewOf(viewId: string, token: string, use: SessionUse = 'person'): OpenView | undefined {
    const context = this.#context
    const view = findView(this.#database, viewId)
    if (!view) this.#reportEnded(viewId)
    if (view?.tokenHash !== hashToken(token)) return undefined
    const now = context.clock()
    const usedAt = msOf(this.#used.get(viewId) ?? view.lastUsedAt)
    if (msOf(view.expiresAt) <= now || now - usedAt >= idleMs(context)) return this.#end(viewId)
    if (view.sessionId !== null) {
      const window = runningSessionById(context, view.sessionId, use)
      if (!window) return this.#end(viewId)
      if (window.isLocked) throw new ApiError('locked', message('viewer.window-locked'))
    }
    const why = closedReason(context, view)
    if (why !== undefined) {
      this.#reportEnded(viewId)
      throw new ApiError('refused', why)
    }
    this.#noteUse(view, now)
    this.#held.add(viewId)
    return withUser(context, view)
  }

  /** Ends a view. Does nothing if it has ended. */
  close(viewId: string): void {
    this.#database.transaction(() => {
      deleteView(this.#database, viewId)
      deleteAnnotationsOf(this.#database, ownerOfAnnotations({ viewId, userId: null }))
      this.#database.afterCommit(() => this.#reportEnded(viewId))
    })
  }

  /**
   * Like `deleteEndedViews`, and also releases the resources of views that have ended. Called by a
   * timer.
   */
  purge(): number {
    const ended = deleteEndedViews(this.#context)
    for (const viewId of this.#held) {
      const view = findView(this.#database, viewId)
      if (!view || closedReason(this.#context, view) !== undefined) this.#reportEnded(viewId)
    }
    return ended
  }

  #begin(
    of: Omit<ViewRecord, 'viewId' | 'tokenHash' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>,
  ): NewView {
    const { clock, uuid, settings } = this.#context
    const now = clock()
    const at = instantOf(now)
    const token = createToken()
    const expiresAt = instantOf(now + settings.get('viewer.sessionHours') * 60 * 60_000)
    const record = {
      ...{ ...of, viewId: uuid(), tokenHash: hashToken(token) },
      ...{ createdAt: at, lastUsedAt: at, expiresAt },
    }
    insertView(this.#database, record)
    this.#database.afterCommit(() => void this.#held.add(record.viewId))
    return { view: withUser(this.#context, record), token }
  }

  /**
   * Ends a view. If that cannot be written, the call is answered anyway, and the view is checked
   * again at its next call.
   */
  #end(viewId: string): undefined {
    if (!tryWrite(() => this.close(viewId))) this.#reportEnded(viewId)
  }

  #reportEnded(viewId: string): void {
    this.#used.delete(viewId)
    if (this.#held.delete(viewId)) this.#onEnded(viewId)
  }

  /**
   * Records the use of a view. With a short idle time, it is recorded more often, because a late
   * record must not end the view. As with sessions, the clock may be set back.
   */
  #noteUse({ viewId, lastUsedAt }: ViewRecord, now: number): void {
    const intervalMs = Math.min(USE_WRITTEN_EVERY_MS, idleMs(this.#context) / 4)
    if (Math.abs(now - msOf(lastUsedAt)) < intervalMs) return
    const at = instantOf(now)
    if (tryWrite(() => noteViewUse(this.#database, viewId, at))) this.#used.delete(viewId)
    else this.#used.set(viewId, at)
  }
}

/**
 * Deletes views that have ended, with the annotations of views without a user. Returns how many
 * there were.
 */
export function deleteEndedViews(context: Context): number {
  const { database, clock } = context
  const now = clock()
  return database.transaction(() => {
    const ended = purgeViews(database, instantOf(now), instantOf(now - idleMs(context)))
    for (const viewId of ended)
      deleteAnnotationsOf(database, ownerOfAnnotations({ viewId, userId: null }))
    return ended.length
  })
}

/** Converts a view to the form that the page shows. */
export function viewReply(context: Context, view: OpenView): View {
  const { viewId, kind, area, studyInstanceUid, user, ephemeral, expiresAt } = view
  return {
    ...{ viewId, kind, area, studyId: view.studyId as StudyId | null, studyInstanceUid },
    studyDescription: descriptionOf(context, view),
    user: user ? { userId: user.userId, name: `${user.firstName} ${user.lastName}` } : null,
    mayDictate: kind === 'reroute',
    hangingProtocol: (ephemeral?.hangingProtocol ?? null) as View['hangingProtocol'],
    ...{
      whyNoCapture: captureObstacle(context, view),
      whyNoExport: exportObstacle(view),
      expiresAt,
    },
  }
}

/** Why no secondary capture can be made in the view; null if it can. */
export function captureObstacle(context: Context, view: OpenView): Message | null {
  if (view.studyInstanceUid === null) return message('viewer.capture-without-study')
  const why = closedReason(context, view)
  if (why !== undefined) return why
  if (view.kind !== 'window' || view.user === undefined) return null
  const caller: UserCaller = { kind: 'user', user: { ...view.user, customerIds: [] } }
  const mayWrite = isAllowed(caller, 'manageStudies') || isAllowed(caller, 'writeReports')
  return mayWrite ? null : message('viewer.account-only-views')
}

/** Why DICOM files cannot be downloaded in the view; null if they can. */
export function exportObstacle({ user }: OpenView): Message | null {
  if (user === undefined) return message('viewer.export-without-user')
  const caller: UserCaller = { kind: 'user', user: { ...user, customerIds: [] } }
  return isAllowed(caller, 'exportImages') ? null : message('users.may-not-export-images')
}

function withUser({ database }: Context, view: ViewRecord): OpenView {
  const user = view.userId === null ? undefined : findUser(database, view.userId)
  return { ...view, user: user && signedInUser(user) }
}

function closedReason(context: Context, view: ViewRecord): Message | undefined {
  const why = view.kind === 'window' ? windowObstacle(context, view) : revokedReason(context, view)
  const { studyId } = view
  const isCancelled = studyId !== null && findStudy(context.database, studyId)?.cancelledAt !== null
  return why ?? (isCancelled ? CANCELLED_MESSAGE : undefined)
}

/** Why the user of the window may not see the view now; undefined if they may. */
function windowObstacle(
  context: Context,
  { userId, studyId, studyInstanceUid }: ViewRecord,
): Message | undefined {
  const user = userId === null ? undefined : findUser(context.database, userId)
  if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess)
    return message('viewer.account-has-no-access')
  const caller = windowCaller(context)(signedInUser(user))
  const study = studyId === null ? undefined : findStudy(context.database, studyId)
  const canSee = study
    ? isVisible(caller, study)
    : canSeeImages(context, caller, studyInstanceUid ?? '')
  return canSee ? undefined : message('viewer.account-does-not-see-study')
}

/** Finds the study that a user of the window opens. */
function viewedStudy(
  context: Context,
  caller: UserCaller,
  selector: StudySelector,
): Pick<ViewRecord, 'area' | 'studyId' | 'studyInstanceUid'> {
  const { database } = context
  if ('studyId' in selector) {
    const area = findStudy(database, selector.studyId)?.area ?? 'scribe'
    const study = requireVisibleStudy(context, caller, area, selector.studyId)
    if (study.cancelledAt !== null) throw cancelledStudyError()
    return namesOf(study)
  }
  const { studyInstanceUid } = selector
  const rows = (['scribe', 'viewer'] as const)
    .flatMap((area) => findStudyByUid(database, area, studyInstanceUid) ?? [])
    .filter((row) => isVisible(caller, row))
  const row = rows.find(({ cancelledAt }) => cancelledAt === null)
  if (row) return namesOf(row)
  if (canSeeImages(context, caller, studyInstanceUid) && findImageStudy(database, studyInstanceUid))
    return { area: null, studyId: null, studyInstanceUid }
  if (rows.length > 0) throw cancelledStudyError()
  throw new ApiError('not-found', message('images.none-of-study'))
}

const namesOf = ({ area, studyId, studyInstanceUid }: StudyRecord) => ({
  ...{ area, studyId, studyInstanceUid },
})

const cancelledStudyError = () => new ApiError('refused', message('studies.uncancel-first'))

function descriptionOf({ database }: Context, view: ViewRecord): string {
  const { studyId, studyInstanceUid } = view
  if (studyId !== null) return findStudy(database, studyId)?.studyDescription ?? ''
  return studyInstanceUid === null
    ? ''
    : (findImageStudy(database, studyInstanceUid)?.header.studyDescription ?? '')
}

const idleMs = (context: Context) => context.settings.get('viewer.idleMinutes') * 60_000

type ClosedReason = Extract<ReturnType<typeof openLink>, { outcome: 'closed' }>['why']

/** The messages for those who followed a link: why it cannot be opened, and what to do. */
const CLOSED_MESSAGES: Readonly<Record<ClosedReason, Message>> = {
  unknown: message('viewer.link-unknown'),
  used: message('viewer.link-used'),
  expired: message('viewer.link-expired'),
  cancelled: CANCELLED_MESSAGE,
  revoked: message('viewer.link-revoked'),
}

const closedLinkError = (why: ClosedReason) =>
  new ApiError('refused', CLOSED_MESSAGES[why], {
    errors: [{ path: 'body.token', message: message('viewer.of-closed-link', { why }) }],
  })
