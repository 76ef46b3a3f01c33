import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { openImageStudies } from '#server/modules/images/image-studies.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { isVisible, studyFinder } from '#server/modules/studies/study-access.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import {
  actorOf,
  demand,
  isAllowed,
  type UserCaller,
  windowCaller,
} from '#server/modules/users/caller.ts'
import { findUser } from '#server/modules/users/queries.ts'
import {
  runningSessionById,
  type SessionUse,
  signedInUser,
} from '#server/modules/users/sessions.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { View } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import type { StudyId } from '#shared/ids.ts'
import { ownerOfAnnotations } from './annotations.ts'
import { type ClosedLink, type Links, whyRevoked } from './links.ts'
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

/** A live view, and whom it is for as they are now. */
export interface OpenedView extends ViewRecord {
  readonly user: SignedInUser | undefined
}

/** A view that has just begun; `token` is what its cookie carries and is not kept. */
export interface BegunView {
  readonly view: OpenedView
  readonly token: string
}

export interface ViewSessionsDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get'>
  readonly links: Pick<Links, 'open'>
}

/**
 * Sessions of the viewer, each of one study or of one ephemeral session, with a token of its own
 * (interface-choices §6 row 22). One ends `viewer.sessionHours` after it began and
 * `viewer.idleMinutes` after its last use. That its study stands, and that whoever gave it and whom
 * it is for have access, is asked at every call.
 */
export interface ViewSessions {
  /** Uses the link up. @throws ApiError refused: it does not open, and why */
  byLink(token: string): BegunView
  /**
   * For the person at the window: of a UID the scribe study, else the viewer study, else what the
   * archive alone has. With `sessionId`, that of the window, it is locked and ends with the window.
   * @throws ApiError not-permitted; not-found: there is none that the caller sees; refused: the
   *   study is cancelled
   */
  byUser(
    caller: UserCaller,
    of: { readonly studyId: string } | { readonly studyInstanceUid: string },
    sessionId?: string,
  ): BegunView
  /**
   * The live view of this id and token; undefined where it ended, never was, or is another one's.
   * Looking at images of a window is at work in it.
   * @throws ApiError refused: it cannot be used now, and why; locked: with its window
   */
  viewOf(viewId: string, token: string, use?: SessionUse): OpenedView | undefined
  /** Again changes nothing. */
  close(viewId: string): void
  /** What the page is told of it. */
  shown(view: OpenedView): View
  /**
   * Forgets views that ended, with what was drawn in those that nobody is named for; how many. For
   * a timer.
   */
  purge(): number
  /**
   * Tells which view has ended or cannot be used, so that nothing is held for it any more. The
   * listener must not throw. Returns what stops it.
   */
  onEnded(listener: (viewId: string) => void): () => void
}

export function openViewSessions(deps: ViewSessionsDeps): ViewSessions {
  const { store, clock, uuid, settings, links } = deps
  const { database, studies } = store
  const finder = studyFinder(deps)
  const images = openImageStudies(deps)
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
      ...of,
      viewId: uuid(),
      tokenHash: hashOfToken(token),
      createdAt: at,
      lastUsedAt: at,
      expiresAt,
    }
    insertView(database, record)
    database.afterCommit(() => void held.add(record.viewId))
    return { view: opened(record), token }
  }

  function opened(view: ViewRecord): OpenedView {
    const user = view.userId === null ? undefined : findUser(database, view.userId)
    return { ...view, user: user && signedInUser(user) }
  }

  function hasEnded({ expiresAt, lastUsedAt }: ViewRecord, now: number): boolean {
    return msOf(expiresAt) <= now || now - msOf(lastUsedAt) >= idleMs(settings)
  }

  function end(viewId: string): void {
    database.transaction(() => {
      deleteView(database, viewId)
      deleteAnnotationsOf(store.database, ownerOfAnnotations({ viewId, userId: null }))
      database.afterCommit(() => tellEnded(viewId))
    })
  }

  /**
   * For a call that is answered whether or not the disk takes it: the view is over, and is looked
   * at again at its next call.
   */
  function endOrForget(viewId: string): void {
    if (!tryWrite(() => end(viewId))) tellEnded(viewId)
  }

  /** Why the person at the window may not look at it now (row 52). */
  function whyNotAtTheWindow({
    userId,
    studyId,
    studyInstanceUid,
  }: ViewRecord): string | undefined {
    const user = userId === null ? undefined : findUser(database, userId)
    if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess)
      return 'Your account has no access any more.'
    const caller = windowCaller(store)(signedInUser(user))
    const study = studyId === null ? undefined : studies.get(studyId)
    const sees = study ? isVisible(caller, study) : images.isVisible(caller, studyInstanceUid ?? '')
    return sees ? undefined : 'Your account does not see this study any more.'
  }

  function whyClosed(view: ViewRecord): string | undefined {
    const why = view.kind === 'window' ? whyNotAtTheWindow(view) : whyRevoked(store, view)
    return why ?? (isCancelled(view) ? CANCELLED : undefined)
  }

  const isCancelled = ({ studyId }: ViewRecord) =>
    studyId !== null && studies.get(studyId)?.cancelledAt !== null

  /** The study that a person at the window means. */
  function meant(
    caller: UserCaller,
    of: { readonly studyId: string } | { readonly studyInstanceUid: string },
  ): StudyRecord | string {
    if ('studyId' in of) {
      const study = studies.get(of.studyId)
      const found = finder.read(caller, study?.area ?? 'scribe', of.studyId)
      if (found.cancelledAt !== null)
        throw new ApiError('refused', 'The study is cancelled: uncancel it first.')
      return found
    }
    const rows = (['scribe', 'viewer'] as const)
      .map((area) => studies.byUid(area, of.studyInstanceUid))
      .filter((row) => row !== undefined && isVisible(caller, row))
    const [row] = rows.filter((row) => row?.cancelledAt === null)
    if (row) return row
    if (
      images.isVisible(caller, of.studyInstanceUid) &&
      store.imageStudies.get(of.studyInstanceUid)
    )
      return of.studyInstanceUid
    if (rows.length > 0) throw new ApiError('refused', 'The study is cancelled: uncancel it first.')
    throw new ApiError('not-found', 'There are no images of such a study.')
  }

  /** Why no secondary capture can be made in the view; empty where one can. */
  function whyNoCapture(view: OpenedView): string {
    if (view.studyInstanceUid === null) return 'There is no study to keep it with.'
    const why = whyClosed(view)
    if (why !== undefined) return why
    if (view.kind !== 'window' || view.user === undefined) return ''
    const caller: UserCaller = { kind: 'user', user: { ...view.user, customerIds: [] } }
    const mayWrite = isAllowed(caller, 'manageStudies') || isAllowed(caller, 'writeReports')
    return mayWrite
      ? ''
      : 'Your account may look at images only: an owner or an admin can allow more.'
  }

  function descriptionOf({ studyId, studyInstanceUid }: ViewRecord): string {
    if (studyId !== null) return studies.get(studyId)?.studyDescription ?? ''
    return studyInstanceUid === null
      ? ''
      : (store.imageStudies.get(studyInstanceUid)?.header.studyDescription ?? '')
  }

  return {
    byLink(token) {
      const result = database.transaction(() => {
        const opening = links.open(token)
        if (opening.outcome === 'closed') return opening
        const { link } = opening
        const study = link.studyId === null ? undefined : studies.get(link.studyId)
        return begin({
          ...link,
          sessionId: null,
          studyInstanceUid: study?.studyInstanceUid ?? null,
        })
      })
      // Thrown here: that it was refused stays in the audit trail.
      if ('outcome' in result) throw closedLink(result.why)
      return result
    },

    byUser: (caller, of, sessionId) =>
      database.transaction(() => {
        demand(caller, 'readStudies')
        const study = meant(caller, of)
        const { userId } = caller.user
        const by = {
          kind: 'window',
          userId,
          createdByApiKeyId: null,
          createdByUserId: userId,
          sessionId: sessionId ?? null,
          ephemeral: null,
        } as const
        const begun =
          typeof study === 'string'
            ? begin({ ...by, area: null, studyId: null, studyInstanceUid: study })
            : begin({
                ...by,
                area: study.area,
                studyId: study.studyId,
                studyInstanceUid: study.studyInstanceUid,
              })
        note(
          deps.store,
          actorOf(caller),
          'view.open',
          begun.view.studyId ?? begun.view.studyInstanceUid ?? '',
          { kind: 'window' },
        )
        return begun
      }),

    viewOf(viewId, token, use = 'person') {
      const view = findView(database, viewId)
      if (!view) tellEnded(viewId)
      if (view?.tokenHash !== hashOfToken(token)) return undefined
      const now = clock()
      if (hasEnded({ ...view, lastUsedAt: used.get(viewId) ?? view.lastUsedAt }, now)) {
        endOrForget(viewId)
        return undefined
      }
      const window =
        view.sessionId === null ? undefined : runningSessionById(store, view.sessionId, use)
      if (view.sessionId !== null && !window) {
        endOrForget(viewId)
        return undefined
      }
      if (window?.isLocked)
        throw new ApiError('locked', 'The window is locked: unlock it to go on with its images.')
      const why = whyClosed(view)
      if (why !== undefined) {
        tellEnded(viewId)
        throw new ApiError('refused', why)
      }
      // A view that goes idle within minutes is noted more often: what is noted late must not end
      // it. As of sessions, the clock may be set back.
      if (
        Math.abs(now - msOf(view.lastUsedAt)) >= Math.min(USE_NOTED_EVERY_MS, idleMs(settings) / 4)
      ) {
        if (tryWrite(() => noteViewUse(database, viewId, instantOf(now)))) used.delete(viewId)
        else used.set(viewId, instantOf(now))
      }
      held.add(viewId)
      return opened(view)
    },

    close: end,

    shown(view) {
      const { viewId, kind, area, studyInstanceUid, user, ephemeral, expiresAt } = view
      return {
        ...{
          viewId,
          kind,
          area,
          studyId: view.studyId as StudyId | null,
          studyInstanceUid,
          studyDescription: descriptionOf(view),
        },
        user: user ? { userId: user.userId, name: `${user.firstName} ${user.lastName}` } : null,
        mayDictate: kind === 'reroute',
        hangingProtocol: (ephemeral?.hangingProtocol ?? null) as View['hangingProtocol'],
        ...{ whyNoCapture: whyNoCapture(view), expiresAt },
      }
    },

    purge() {
      const ended = forgetEndedViews(deps)
      for (const viewId of [...held]) {
        const view = findView(database, viewId)
        if (!view || whyClosed(view) !== undefined) tellEnded(viewId)
      }
      return ended
    },

    onEnded(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Forgets views that ended, with what was drawn in those that nobody is named for; how many. */
export function forgetEndedViews({ store, clock }: Pick<DomainDeps, 'store' | 'clock'>): number {
  const now = clock()
  return store.database.transaction(() => {
    const ended = purgeViews(
      store.database,
      instantOf(now),
      instantOf(now - idleMs(store.settings)),
    )
    for (const viewId of ended)
      deleteAnnotationsOf(store.database, ownerOfAnnotations({ viewId, userId: null }))
    return ended.length
  })
}

const idleMs = (settings: Pick<Settings, 'get'>) => settings.get('viewer.idleMinutes') * 60_000

/** What whoever followed the link is told, and what to do. */
const SENTENCES: Readonly<Record<ClosedLink['why'], string>> = {
  unknown: 'This link is not known here: it is incomplete or too old. Ask for a new one.',
  used: 'This link has been used: each opens once. Ask for a new one.',
  expired: 'This link has expired. Ask for a new one.',
  cancelled: CANCELLED,
  revoked: 'This link was withdrawn: whoever gave it, or whom it is for, has no access any more.',
}

const closedLink = (why: ClosedLink['why']) =>
  new ApiError('refused', SENTENCES[why], {
    errors: [{ path: 'body.token', message: `is of a link that is ${why}` }],
  })
