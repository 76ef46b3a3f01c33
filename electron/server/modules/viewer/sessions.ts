import type { Context } from '#server/context.ts'
import type { SessionUse } from '#server/http/http-app.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import { note } from '#server/modules/audit/audit.ts'
import { openImageStudies } from '#server/modules/images/image-studies.ts'
import { isVisible, visibleStudy } from '#server/modules/studies/study-access.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
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
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { View } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import type { StudyId } from '#shared/ids.ts'
import { ownerOfAnnotations } from './annotations.ts'
import { openLink, whyRevoked } from './links.ts'
import {
  deleteAnnotationsOf,
  deleteView,
  findView,
  insertView,
  noteViewUse,
  purgeViews,
  type ViewRecord,
} from './queries.ts'

const USE_NOTED_EVERY_MS = 60_000
const CANCELLED = 'The study was cancelled.'

/** A view that has just begun; `token` is what its cookie carries and is not kept. */
export interface BegunView {
  readonly view: OpenView
  readonly token: string
}

type MeantStudy = { readonly studyId: string } | { readonly studyInstanceUid: string }

export type ViewSessions = ReturnType<typeof openViewSessions>

/**
 * Sessions of the viewer, each of one study or of one ephemeral session, with a token of its own.
 * One ends `viewer.sessionHours` after it began and `viewer.idleMinutes` after its last use. That
 * its study stands, and that whoever gave it and whom it is for have access, is asked at every
 * call.
 */
export function openViewSessions(context: Context) {
  const { database, clock, uuid, settings, studies } = context
  const listeners = new Set<(viewId: string) => void>()
  /** Views that something may be held for: each ends for the listeners once. */
  const held = new Set<string>()
  /** When views were used last, where the disk did not take it. */
  const used = new Map<string, Instant>()

  function tellEnded(viewId: string): void {
    used.delete(viewId)
    if (!held.delete(viewId)) return
    for (const listener of listeners) listener(viewId)
  }

  function begin(
    of: Omit<ViewRecord, 'viewId' | 'tokenHash' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>,
  ): BegunView {
    const now = clock()
    const at = instantOf(now)
    const token = mintToken()
    const expiresAt = instantOf(now + settings.get('viewer.sessionHours') * 60 * 60_000)
    const record = {
      ...{ ...of, viewId: uuid(), tokenHash: hashOfToken(token) },
      ...{ createdAt: at, lastUsedAt: at, expiresAt },
    }
    insertView(database, record)
    database.afterCommit(() => void held.add(record.viewId))
    return { view: withUser(context, record), token }
  }

  /** Again changes nothing. */
  function close(viewId: string): void {
    database.transaction(() => {
      deleteView(database, viewId)
      deleteAnnotationsOf(database, ownerOfAnnotations({ viewId, userId: null }))
      database.afterCommit(() => tellEnded(viewId))
    })
  }

  /**
   * For a call that is answered whether or not the disk takes it: the view is over, and is looked
   * at again at its next call.
   */
  function endOrForget(viewId: string): undefined {
    if (!tryWrite(() => close(viewId))) tellEnded(viewId)
  }

  /**
   * A view that goes idle within minutes is noted more often: what is noted late must not end it.
   * As of sessions, the clock may be set back.
   */
  function noteUse({ viewId, lastUsedAt }: ViewRecord, now: number): void {
    const everyMs = Math.min(USE_NOTED_EVERY_MS, idleMs(context) / 4)
    if (Math.abs(now - msOf(lastUsedAt)) < everyMs) return
    if (tryWrite(() => noteViewUse(database, viewId, instantOf(now)))) used.delete(viewId)
    else used.set(viewId, instantOf(now))
  }

  return {
    /** Uses the link up. @throws ApiError refused: it does not open, and why */
    byLink(token: string) {
      const result = database.transaction(() => {
        const opening = openLink(context, token)
        if (opening.outcome === 'closed') return opening
        const { link } = opening
        const study = link.studyId === null ? undefined : studies.get(link.studyId)
        const studyInstanceUid = study?.studyInstanceUid ?? null
        return begin({ ...link, sessionId: null, studyInstanceUid })
      })
      // Thrown here: that it was refused stays in the audit trail.
      if ('outcome' in result) throw closedLink(result.why)
      return result
    },

    /**
     * For the person at the window: of a UID the scribe study, else the viewer study, else what the
     * archive alone has. With `sessionId`, that of the window, it is locked and ends with the
     * window.
     * @throws ApiError not-permitted; not-found: there is none that the caller sees; refused: the
     *   study is cancelled
     */
    byUser: (caller: UserCaller, of: MeantStudy, sessionId: string | null = null) =>
      database.transaction(() => {
        demand(caller, 'readStudies')
        const study = meantStudy(context, caller, of)
        const { userId } = caller.user
        const begun = begin({
          ...(typeof study === 'string'
            ? { area: null, studyId: null, studyInstanceUid: study }
            : {
                ...{ area: study.area, studyId: study.studyId },
                studyInstanceUid: study.studyInstanceUid,
              }),
          ...{ kind: 'window', userId, createdByApiKeyId: null, createdByUserId: userId },
          ...{ sessionId, ephemeral: null },
        })
        const target = begun.view.studyId ?? begun.view.studyInstanceUid ?? ''
        note(context, actorOf(caller), 'view.open', target, { kind: 'window' })
        return begun
      }),

    /**
     * The live view of this id and token; undefined where it ended, never was, or is another one's.
     * Looking at images of a window is at work in it.
     * @throws ApiError refused: it cannot be used now, and why; locked: with its window
     */
    viewOf(viewId: string, token: string, use: SessionUse = 'person') {
      const view = findView(database, viewId)
      if (!view) tellEnded(viewId)
      if (view?.tokenHash !== hashOfToken(token)) return undefined
      const now = clock()
      const idleSince = msOf(used.get(viewId) ?? view.lastUsedAt)
      if (msOf(view.expiresAt) <= now || now - idleSince >= idleMs(context))
        return endOrForget(viewId)
      const window =
        view.sessionId === null ? undefined : runningSessionById(context, view.sessionId, use)
      if (view.sessionId !== null && !window) return endOrForget(viewId)
      if (window?.isLocked)
        throw new ApiError('locked', 'The window is locked: unlock it to go on with its images.')
      const why = whyClosed(context, view)
      if (why !== undefined) {
        tellEnded(viewId)
        throw new ApiError('refused', why)
      }
      noteUse(view, now)
      held.add(viewId)
      return withUser(context, view)
    },

    close,

    /** As `forgetEndedViews`, and lets go of what is held for views that ended. For a timer. */
    purge() {
      const ended = forgetEndedViews(context)
      for (const viewId of [...held]) {
        const view = findView(database, viewId)
        if (!view || whyClosed(context, view) !== undefined) tellEnded(viewId)
      }
      return ended
    },

    /**
     * Tells which view has ended or cannot be used, so that nothing is held for it any more. The
     * listener must not throw. Returns what stops it.
     */
    onEnded(listener: (viewId: string) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
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

/** What the page is told of the view. */
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

/** Why no secondary capture can be made in the view; empty where one can. */
export function whyNoCapture(context: Context, view: OpenView): string {
  if (view.studyInstanceUid === null) return 'There is no study to keep it with.'
  const why = whyClosed(context, view)
  if (why !== undefined) return why
  if (view.kind !== 'window' || view.user === undefined) return ''
  const caller: UserCaller = { kind: 'user', user: { ...view.user, customerIds: [] } }
  const mayWrite = isAllowed(caller, 'manageStudies') || isAllowed(caller, 'writeReports')
  return mayWrite
    ? ''
    : 'Your account may look at images only: an owner or an admin can allow more.'
}

function withUser({ database }: Context, view: ViewRecord): OpenView {
  const user = view.userId === null ? undefined : findUser(database, view.userId)
  return { ...view, user: user && signedInUser(user) }
}

function whyClosed(context: Context, view: ViewRecord): string | undefined {
  const why = view.kind === 'window' ? whyNotAtTheWindow(context, view) : whyRevoked(context, view)
  if (why !== undefined) return why
  const { studyId } = view
  const isCancelled = studyId !== null && context.studies.get(studyId)?.cancelledAt !== null
  return isCancelled ? CANCELLED : undefined
}

/** Why the person at the window may not look at it now. */
function whyNotAtTheWindow(
  context: Context,
  { userId, studyId, studyInstanceUid }: ViewRecord,
): string | undefined {
  const user = userId === null ? undefined : findUser(context.database, userId)
  if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess)
    return 'Your account has no access any more.'
  const caller = windowCaller(context)(signedInUser(user))
  const study = studyId === null ? undefined : context.studies.get(studyId)
  const sees = study
    ? isVisible(caller, study)
    : openImageStudies(depsOf(context)).isVisible(caller, studyInstanceUid ?? '')
  return sees ? undefined : 'Your account does not see this study any more.'
}

/** The study that a person at the window means. */
function meantStudy(context: Context, caller: UserCaller, of: MeantStudy): StudyRecord | string {
  const { studies } = context
  if ('studyId' in of) {
    const area = studies.get(of.studyId)?.area ?? 'scribe'
    const found = visibleStudy(context, caller, area, of.studyId)
    if (found.cancelledAt !== null) throw cancelledStudy()
    return found
  }
  const rows = (['scribe', 'viewer'] as const)
    .map((area) => studies.byUid(area, of.studyInstanceUid))
    .filter((row) => row !== undefined && isVisible(caller, row))
  const [row] = rows.filter((row) => row?.cancelledAt === null)
  if (row) return row
  const images = openImageStudies(depsOf(context))
  if (
    images.isVisible(caller, of.studyInstanceUid) &&
    context.imageStudies.get(of.studyInstanceUid)
  )
    return of.studyInstanceUid
  if (rows.length > 0) throw cancelledStudy()
  throw new ApiError('not-found', 'There are no images of such a study.')
}

const cancelledStudy = () => new ApiError('refused', 'The study is cancelled: uncancel it first.')

function descriptionOf({ studies, imageStudies }: Context, view: ViewRecord): string {
  const { studyId, studyInstanceUid } = view
  if (studyId !== null) return studies.get(studyId)?.studyDescription ?? ''
  return studyInstanceUid === null
    ? ''
    : (imageStudies.get(studyInstanceUid)?.header.studyDescription ?? '')
}

/** For functions of other modules that take the context as `store`. */
const depsOf = (context: Context) => ({ store: context, clock: context.clock, uuid: context.uuid })

const idleMs = ({ settings }: Context) => settings.get('viewer.idleMinutes') * 60_000

type WhyClosed = Extract<ReturnType<typeof openLink>, { outcome: 'closed' }>['why']

/** What whoever followed the link is told, and what to do. */
const SENTENCES: Readonly<Record<WhyClosed, string>> = {
  unknown: 'This link is not known here: it is incomplete or too old. Ask for a new one.',
  used: 'This link has been used: each opens once. Ask for a new one.',
  expired: 'This link has expired. Ask for a new one.',
  cancelled: CANCELLED,
  revoked: 'This link was withdrawn: whoever gave it, or whom it is for, has no access any more.',
}

const closedLink = (why: WhyClosed) =>
  new ApiError('refused', SENTENCES[why], {
    errors: [{ path: 'body.token', message: `is of a link that is ${why}` }],
  })
