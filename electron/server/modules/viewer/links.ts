import type { Context } from '#server/context.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { type EitherStudy, studyFinder } from '#server/modules/studies/study-access.ts'
import type { Area, StudyRecord } from '#server/modules/studies/study-queries.ts'
import { refused, studyReferences } from '#server/modules/studies/study-references.ts'
import { actorOf, type Caller, demand, makerOf } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { moved } from '#shared/lifecycle.ts'
import {
  type EphemeralDetail,
  findLink,
  insertLink,
  type LinkKind,
  type LinkRecord,
  redeemLink,
} from './queries.ts'
import { PDF_LINK_SECONDS, type SignedQuery, signedLinks } from './signed-link.ts'

/** Fixed by the interface's documents (interface-choices §1.3). */
export const EPHEMERAL_SECONDS = 30

export interface LinksDeps extends DomainDeps {
  /** Base of every URL given out, without a slash at its end (row 54). */
  readonly publicBase: () => string
  /** How long a link to the viewer may be followed (row 22). */
  readonly linkMinutes: () => number
  /**
   * Whether an endpoint takes the event from this caller: that of its key, else the clinic's (row
   * 50).
   */
  readonly takesEvent: (event: EventType, apiKeyId: string | null) => boolean
}

/** What a link that was followed opens; the session it begins is the viewer's business. */
export type OpenedLink = Pick<
  LinkRecord,
  'kind' | 'area' | 'studyId' | 'userId' | 'ephemeral' | 'createdByApiKeyId' | 'createdByUserId'
>

/**
 * unknown: cut off, or forgotten; revoked: whoever gave it, or whom it is for, has no access any
 * more.
 */
export interface ClosedLink {
  readonly outcome: 'closed'
  readonly why: 'unknown' | 'used' | 'expired' | 'cancelled' | 'revoked'
}
export type LinkOpening = { readonly outcome: 'opened'; readonly link: OpenedLink } | ClosedLink

export interface Url {
  readonly url: string
}

/**
 * URLs given out: each token is good once, and kept as a hash only (interface-choices §6 rows 6,
 * 22-24).
 */
export interface Links {
  /** @throws ApiError malformed, not-permitted, not-found; refused: the study is cancelled */
  viewer(caller: Caller, either: EitherStudy): Url
  /**
   * Assigns the study to the user, then mints. @throws ApiError as `viewer`; refused: the user, or
   * another one is at work on the study
   */
  reroute(caller: Caller, request: EitherStudy & { readonly assignedToUserId: string }): Url
  /** `userId` is for the audit trail. @throws ApiError as `viewer` */
  viewerOnly(caller: Caller, request: EitherStudy & { readonly userId?: string | undefined }): Url
  /**
   * A session without a study. @throws ApiError refused: no endpoint takes
   * `ephemeral.access_requested`
   */
  ephemeral(caller: Caller, area: Area, session: EphemeralDetail): Url
  /**
   * Uses a link up where it opens; else it is left as it is, and why it does not open is said. Both
   * are audited.
   */
  open(token: string): LinkOpening
  /** A link to the PDF of a report, good for an hour. */
  pdfUrl(reportId: string): string
  verifyPdf(reportId: string, query: SignedQuery): boolean
}

export function openLinks(deps: LinksDeps): Links {
  const { store, clock, publicBase, linkMinutes, takesEvent } = deps
  const { database, studies } = store
  const finder = studyFinder(deps)
  const references = studyReferences(deps)
  const signed = signedLinks(store.seal.keyFor('report PDF links'), clock)

  interface Mint {
    readonly kind: LinkKind
    readonly area: Area
    readonly studyId: string | null
    readonly userId: string | null
    readonly ephemeral?: EphemeralDetail
  }
  function mint(caller: Caller, { kind, area, studyId, userId, ephemeral }: Mint): Url {
    const now = clock()
    const lifetimeMs = ephemeral ? EPHEMERAL_SECONDS * 1000 : linkMinutes() * 60_000
    const token = mintToken()
    insertLink(database, {
      tokenHash: hashOfToken(token),
      ...{ kind, area, studyId, userId },
      ...makerOf(caller),
      ephemeral: ephemeral ?? null,
      createdAt: instantOf(now),
      expiresAt: instantOf(now + lifetimeMs),
      usedAt: null,
      revokedAt: null,
    })
    note(deps.store, actorOf(caller), 'link.mint', studyId ?? 'ephemeral', { kind, userId })
    return {
      url: `${publicBase()}${studyId === null ? '/token/landing' : `/study/${studyId}`}?token=${token}`,
    }
  }

  function active(caller: Caller, area: Area, either: EitherStudy): StudyRecord {
    const study = finder.resolve(caller, area, either)
    if (study.cancelledAt !== null)
      throw new ApiError('refused', 'The study is cancelled: uncancel it first.')
    return study
  }

  /**
   * Row 6: minting assigns, opening never does; a signed study keeps its radiologist and opens for
   * reading.
   */
  function assign(caller: Caller, study: StudyRecord, user: UserRecord): void {
    if (study.area !== 'scribe' || study.status === 'completed' || study.assignedTo === user.userId)
      return
    const status = moved('assign', study.status)
    if (status === undefined)
      throw refused(
        'body.assignedToUserId',
        `must be who works on the study: it is ${study.status}`,
      )
    const assignedTo = user.userId
    studies.update({ ...study, status, assignedTo, updatedAt: instantOf(clock()) }, study)
    note(deps.store, actorOf(caller), 'study.update', study.studyId, {
      assignedTo: { before: study.assignedTo, after: assignedTo },
    })
  }

  function whyClosed(link: LinkRecord, now: string): ClosedLink['why'] | undefined {
    // What is of the study now comes last: whoever holds a link that is over learns nothing of it.
    if (link.usedAt !== null) return 'used'
    if (link.expiresAt <= now) return 'expired'
    if (link.revokedAt !== null || whyRevoked(store, link) !== undefined) return 'revoked'
    if (link.studyId !== null && studies.get(link.studyId)?.cancelledAt !== null) return 'cancelled'
    return undefined
  }

  return {
    viewer: (caller, either) =>
      database.transaction(() => {
        demand(caller, 'readStudies')
        const { studyId } = active(caller, 'viewer', either)
        return mint(caller, { kind: 'viewer', area: 'viewer', studyId, userId: null })
      }),

    reroute: (caller, { assignedToUserId, ...either }) =>
      database.transaction(() => {
        demand(caller, 'manageStudies')
        const study = active(caller, 'scribe', either)
        const user = references.assignee(assignedToUserId, 'body.assignedToUserId')
        if (!user.canCreateReports)
          throw refused('body.assignedToUserId', 'must be a user who can create reports')
        assign(caller, study, user)
        return mint(caller, {
          kind: 'reroute',
          area: 'scribe',
          studyId: study.studyId,
          userId: user.userId,
        })
      }),

    viewerOnly: (caller, { userId, ...either }) =>
      database.transaction(() => {
        demand(caller, 'readStudies')
        const { studyId } = active(caller, 'scribe', either)
        if (userId !== undefined) references.assignee(userId, 'body.userId')
        return mint(caller, {
          kind: 'viewer-only',
          area: 'scribe',
          studyId,
          userId: userId ?? null,
        })
      }),

    ephemeral: (caller, area, ephemeral) =>
      database.transaction(() => {
        demand(caller, 'readStudies')
        if (
          !takesEvent(
            'ephemeral.access_requested',
            caller.kind === 'api-key' ? caller.apiKeyId : null,
          )
        )
          throw new ApiError(
            'refused',
            'No endpoint takes ephemeral.access_requested: the partner must be set up for it first.',
          )
        return mint(caller, { kind: 'ephemeral', area, studyId: null, userId: null, ephemeral })
      }),

    open: (token) =>
      database.transaction((): LinkOpening => {
        const now = instantOf(clock())
        const link = findLink(database, hashOfToken(token))
        if (!link) return { outcome: 'closed', why: 'unknown' }
        const { kind, area, studyId, userId, ephemeral, createdByApiKeyId, createdByUserId } = link
        const why = whyClosed(link, now)
        if (why !== undefined) {
          note(deps.store, 'gateway', 'link.refused', studyId ?? 'ephemeral', { kind, userId, why })
          return { outcome: 'closed', why }
        }
        redeemLink(database, link.tokenHash, now)
        note(deps.store, 'gateway', 'link.open', studyId ?? 'ephemeral', { kind, userId })
        return {
          outcome: 'opened',
          link: { kind, area, studyId, userId, ephemeral, createdByApiKeyId, createdByUserId },
        }
      }),

    pdfUrl: (reportId) => `${publicBase()}${signed.sign(pdfPath(reportId), PDF_LINK_SECONDS)}`,
    verifyPdf: (reportId, query) => signed.verify(pdfPath(reportId), query),
  }
}

/** Where a report's PDF is served. */
const pdfPath = (reportId: string) => `/reports/${reportId}/pdf`

/**
 * Why what a link gives is over, as a sentence; undefined where it is not: it ends with the access
 * of whoever gave it and of whom it is for, and one for dictation with that person's right to
 * create reports.
 */
export function whyRevoked(
  { database }: Pick<Context, 'database'>,
  given: Given,
): string | undefined {
  const { kind, userId, createdByApiKeyId, createdByUserId } = given
  const isGone = (id: string | null) =>
    id !== null && findUser(database, id)?.deactivatedAt !== null
  if (createdByApiKeyId !== null && findApiKey(database, createdByApiKeyId)?.revokedAt !== null)
    return 'The partner that gave the link has no access any more.'
  if (isGone(createdByUserId)) return 'Whoever gave the link has no access any more.'
  if (isGone(userId)) return 'The person whom the link is for has no access any more.'
  if (kind === 'reroute' && !findUser(database, userId ?? '')?.canCreateReports)
    return 'The person whom the link is for may not create reports any more.'
  return undefined
}

type Given = Pick<LinkRecord, 'userId' | 'createdByApiKeyId' | 'createdByUserId'> & {
  readonly kind: string
}
