import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { OpenView, SessionUse } from '#server/http/callers.ts'
import { deleteAnnotationsOf } from '#server/modules/images/annotation-queries.ts'
import { canSeeImages } from '#server/modules/images/image-studies.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { isVisible, visibleStudy } from '#server/modules/studies/study-access.ts'
import {
  findStudy,
  findStudyByUid,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import {
  actorOf,
  demand,
  isAllowed,
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
import { openLink, whyRevoked } from './links.ts'
import {
  deleteView,
  findView,
  insertView,
  noteViewUse,
  purgeViews,
  type ViewRecord,
} from './queries.ts'

const USE_NOTED_EVERY_MS = 60_000
const CANCELLED = message('viewer.study-was-cancelled')

/** A view that has just begun; `token` is what its cookie carries and is not kept. */
export interface BegunView {
  readonly view: OpenView
  readonly token: string
}

type NamedStudy = { readonly studyId: string } | { readonly studyInstanceUid: string }

/**
 * Sessions of the viewer, each of one study or of one ephemeral session, with a token of its own.
 * One ends `viewer.sessionHours` after it began and `viewer.idleMinutes` after its last use. That
 * its study stands, and that whoever gave it and whom it is for have access, is asked at every
 * call.
 */
export class ViewSessions {
  readonly #context: Context
  readonly #database: Database
  readonly #ended: (viewId: string) => void
  /** Views that something may be held for: each is reported once as ended. */
  readonly #held = new Set<string>()
  /** When views were used last, where the disk did not take it. */
  readonly #used = new Map<string, Instant>()

  /**
   * @param ended called once with each view that has ended or cannot be used, so that nothing is
   *   held for it any more; it must not throw
   */
  constructor(context: Context, ended: (viewId: string) => void = () => undefined) {
    this.#context = context
    this.#database = context.database
    this.#ended = ended
  }

  /** Uses the link up. @throws ApiError refused: it does not open, and why */
  byLink(token: string): BegunView {
    const result = this.#database.transaction(() => {
      const opening = openLink(this.#context, token)
      if (opening.outcome === 'closed') return opening
      const { link } = opening
      const study = link.studyId === null ? undefined : findStudy(this.#database, link.studyId)
      const studyInstanceUid = study?.studyInstanceUid ?? null
      return this.#begin({ ...link, sessionId: null, studyInstanceUid })
    })
    // Thrown here: that it was refused stays in the audit trail.
    if ('outcome' in result) throw closedLink(result.why)
    return result
  }

  /**
   * For the person at the window: of a UID the scribe study, else the viewer study, else what the
   * archive alone has. With `sessionId`, that of the window, it is locked and ends with the window.
   * @throws ApiError not-permitted; not-found: there is none that the caller sees; refused: the
   *   study is cancelled
   */
  byUser(caller: UserCaller, named: NamedStudy, sessionId: string | null = null): BegunView {
    return this.#database.transaction(() => {
      demand(caller, 'readStudies')
      const { userId } = caller.user
      const begun = this.#begin({
        ...viewedStudy(this.#context, caller, named),
        ...{ kind: 'window', userId, createdByApiKeyId: null, createdByUserId: userId },
        ...{ sessionId, ephemeral: null },
      })
      const target = begun.view.studyId ?? begun.view.studyInstanceUid ?? ''
      note(this.#context, actorOf(caller), 'view.open', target, { kind: 'window' })
      return begun
    })
  }

  /**
   * The live view of this id and token; undefined where it ended, never was, or is another one's.
   * Looking at images of a window is work in it.
   * @throws ApiError refused: it cannot be used now, and why; locked: with its window
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
    const why = whyClosed(context, view)
    if (why !== undefined) {
      this.#reportEnded(viewId)
      throw new ApiError('refused', why)
    }
    this.#noteUse(view, now)
    this.#held.add(viewId)
    return withUser(context, view)
  }

  /** Again changes nothing. */
  close(viewId: string): void {
    this.#database.transaction(() => {
      deleteView(this.#database, viewId)
      deleteAnnotationsOf(this.#database, ownerOfAnnotations({ viewId, userId: null }))
      this.#database.afterCommit(() => this.#reportEnded(viewId))
    })
  }

  /** As `forgetEndedViews`, and lets go of what is held for views that ended. For a timer. */
  purge(): number {
    const ended = forgetEndedViews(this.#context)
    for (const viewId of this.#held) {
      const view = findView(this.#database, viewId)
      if (!view || whyClosed(this.#context, view) !== undefined) this.#reportEnded(viewId)
    }
    return ended
  }

  #begin(
    of: Omit<ViewRecord, 'viewId' | 'tokenHash' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>,
  ): BegunView {
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
   * For a call that is answered whether or not the disk takes it: the view is over, and is looked
   * at again at its next call.
   */
  #end(viewId: string): undefined {
    if (!tryWrite(() => this.close(viewId))) this.#reportEnded(viewId)
  }

  #reportEnded(viewId: string): void {
    this.#used.delete(viewId)
    if (this.#held.delete(viewId)) this.#ended(viewId)
  }

  /**
   * A view that goes idle within minutes is noted more often: what is noted late must not end it.
   * As of sessions, the clock may be set back.
   */
  #noteUse({ viewId, lastUsedAt }: ViewRecord, now: number): void {
    const everyMs = Math.min(USE_NOTED_EVERY_MS, idleMs(this.#context) / 4)
    if (Math.abs(now - msOf(lastUsedAt)) < everyMs) return
    const at = instantOf(now)
    if (tryWrite(() => noteViewUse(this.#database, viewId, at))) this.#used.delete(viewId)
    else this.#used.set(viewId, at)
  }
}

/** Deletes views that ended, with what was drawn in those that nobody is named for; how many. */
export function forgetEndedViews(context: Context): number {
  const { database, clock } = context
  const now = clock()
  return database.transaction(() => {
    const ended = purgeViews(database, instantOf(now), instantOf(now - idleMs(context)))
    for (const viewId of ended)
      deleteAnnotationsOf(database, ownerOfAnnotations({ viewId, userId: null }))
    return ended.length
  })
}

/** What the page shows of the view. */
export function shownView(context: Context, view: OpenView): View {
  const { viewId, kind, area, studyInstanceUid, user, ephemeral, expiresAt } = view
  return {
    ...{ viewId, kind, area, studyId: view.studyId as StudyId | null, studyInstanceUid },
    studyDescription: descriptionOf(context, view),
    user: user ? { userId: user.userId, name: `${user.firstName} ${user.lastName}` } : null,
    mayDictate: kind === 'reroute',
    hangingProtocol: (ephemeral?.hangingProtocol ?? null) as View['hangingProtocol'],
    ...{ whyNoCapture: whyNoCapture(context, view), expiresAt },
  }
}

/** Why no secondary capture can be made in the view; null where one can. */
export function whyNoCapture(context: Context, view: OpenView): Message | null {
  if (view.studyInstanceUid === null) return message('viewer.capture-without-study')
  const why = whyClosed(context, view)
  if (why !== undefined) return why
  if (view.kind !== 'window' || view.user === undefined) return null
  const caller: UserCaller = { kind: 'user', user: { ...view.user, customerIds: [] } }
  const mayWrite = isAllowed(caller, 'manageStudies') || isAllowed(caller, 'writeReports')
  return mayWrite ? null : message('viewer.account-only-views')
}

function withUser({ database }: Context, view: ViewRecord): OpenView {
  const user = view.userId === null ? undefined : findUser(database, view.userId)
  return { ...view, user: user && signedInUser(user) }
}

function whyClosed(context: Context, view: ViewRecord): Message | undefined {
  const why = view.kind === 'window' ? whyNotAtTheWindow(context, view) : whyRevoked(context, view)
  const { studyId } = view
  const isCancelled = studyId !== null && findStudy(context.database, studyId)?.cancelledAt !== null
  return why ?? (isCancelled ? CANCELLED : undefined)
}

/** Why the person at the window may not look at it now. */
function whyNotAtTheWindow(
  context: Context,
  { userId, studyId, studyInstanceUid }: ViewRecord,
): Message | undefined {
  const user = userId === null ? undefined : findUser(context.database, userId)
  if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess)
    return message('viewer.account-has-no-access')
  const caller = windowCaller(context)(signedInUser(user))
  const study = studyId === null ? undefined : findStudy(context.database, studyId)
  const sees = study
    ? isVisible(caller, study)
    : canSeeImages(context, caller, studyInstanceUid ?? '')
  return sees ? undefined : message('viewer.account-does-not-see-study')
}

/** The study that a person at the window named, as its view has it. */
function viewedStudy(
  context: Context,
  caller: UserCaller,
  named: NamedStudy,
): Pick<ViewRecord, 'area' | 'studyId' | 'studyInstanceUid'> {
  const { database } = context
  if ('studyId' in named) {
    const area = findStudy(database, named.studyId)?.area ?? 'scribe'
    const study = visibleStudy(context, caller, area, named.studyId)
    if (study.cancelledAt !== null) throw cancelledStudy()
    return namesOf(study)
  }
  const { studyInstanceUid } = named
  const rows = (['scribe', 'viewer'] as const)
    .flatMap((area) => findStudyByUid(database, area, studyInstanceUid) ?? [])
    .filter((row) => isVisible(caller, row))
  const row = rows.find(({ cancelledAt }) => cancelledAt === null)
  if (row) return namesOf(row)
  if (canSeeImages(context, caller, studyInstanceUid) && findImageStudy(database, studyInstanceUid))
    return { area: null, studyId: null, studyInstanceUid }
  if (rows.length > 0) throw cancelledStudy()
  throw new ApiError('not-found', message('images.none-of-study'))
}

const namesOf = ({ area, studyId, studyInstanceUid }: StudyRecord) => ({
  ...{ area, studyId, studyInstanceUid },
})

const cancelledStudy = () => new ApiError('refused', message('studies.uncancel-first'))

function descriptionOf({ database }: Context, view: ViewRecord): string {
  const { studyId, studyInstanceUid } = view
  if (studyId !== null) return findStudy(database, studyId)?.studyDescription ?? ''
  return studyInstanceUid === null
    ? ''
    : (findImageStudy(database, studyInstanceUid)?.header.studyDescription ?? '')
}

const idleMs = (context: Context) => context.settings.get('viewer.idleMinutes') * 60_000

type WhyClosed = Extract<ReturnType<typeof openLink>, { outcome: 'closed' }>['why']

/** What whoever followed the link reads: why it does not open, and what to do. */
const SENTENCES: Readonly<Record<WhyClosed, Message>> = {
  unknown: message('viewer.link-unknown'),
  used: message('viewer.link-used'),
  expired: message('viewer.link-expired'),
  cancelled: CANCELLED,
  revoked: message('viewer.link-revoked'),
}

const closedLink = (why: WhyClosed) =>
  new ApiError('refused', SENTENCES[why], {
    errors: [{ path: 'body.token', message: message('viewer.of-closed-link', { why }) }],
  })
