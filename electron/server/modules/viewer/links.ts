import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import { resolveStudy, type StudyIdentifiers } from '#server/modules/studies/study-access.ts'
import { type Area, findStudy, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { refused, requireAssignee } from '#server/modules/studies/study-references.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { actorOf, type Caller, creatorOf, demand } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import { ApiError } from '#shared/errors.ts'
import { moved } from '#shared/lifecycle.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  type EphemeralDetail,
  findLink,
  insertLink,
  type LinkRecord,
  redeemLink,
} from './queries.ts'

// URLs given out that open the viewer: each token is good once, and only its hash is kept. The
// functions that create one return its path and query, below the public base.

/** How long the link of an ephemeral session may be followed; the partner interface fixes it. */
export const EPHEMERAL_SECONDS = 30

/**
 * A link to a viewer study. @throws ApiError malformed, not-permitted, not-found; refused: the
 * study is cancelled
 */
export const createViewerLink = (context: Context, caller: Caller, either: StudyIdentifiers) =>
  context.database.transaction(() => {
    demand(caller, 'readStudies')
    const { studyId } = activeStudy(context, caller, 'viewer', either)
    return create(context, caller, { kind: 'viewer', area: 'viewer', studyId, userId: null })
  })

/**
 * Assigns the study to the user and creates a link for viewer and dictation. @throws ApiError as
 * `createViewerLink`; refused: the user, or another one is at work on the study
 */
export const createRerouteLink = (
  context: Context,
  caller: Caller,
  { assignedToUserId, ...either }: StudyIdentifiers & { readonly assignedToUserId: string },
) =>
  context.database.transaction(() => {
    demand(caller, 'manageStudies')
    const study = activeStudy(context, caller, 'scribe', either)
    const path = 'body.assignedToUserId'
    const user = requireAssignee(context, assignedToUserId, path)
    if (!user.canCreateReports) throw refused(path, message('studies.must-create-reports'))
    assign(context, caller, study, user)
    const { studyId } = study
    return create(context, caller, {
      ...{ kind: 'reroute', area: 'scribe', studyId, userId: user.userId },
    })
  })

/**
 * A link to a scribe study without dictation; `userId` is for the audit trail. @throws ApiError as
 * `createViewerLink`
 */
export const createViewerOnlyLink = (
  context: Context,
  caller: Caller,
  { userId = null, ...either }: StudyIdentifiers & { readonly userId?: string | null | undefined },
) =>
  context.database.transaction(() => {
    demand(caller, 'readStudies')
    const { studyId } = activeStudy(context, caller, 'scribe', either)
    if (userId !== null) requireAssignee(context, userId, 'body.userId')
    return create(context, caller, { kind: 'viewer-only', area: 'scribe', studyId, userId })
  })

/**
 * A link to a session without a study. @throws ApiError refused: no endpoint takes
 * `ephemeral.access_requested` from this caller
 */
export const createEphemeralLink = (
  context: Context,
  caller: Caller,
  area: Area,
  ephemeral: EphemeralDetail,
) =>
  context.database.transaction(() => {
    demand(caller, 'readStudies')
    const apiKeyId = caller.kind === 'api-key' ? caller.apiKeyId : null
    if (!targetFor(context, 'ephemeral.access_requested', apiKeyId))
      throw new ApiError('refused', message('viewer.ephemeral-no-endpoint'))
    const of = { kind: 'ephemeral', area, studyId: null, userId: null } as const
    return create(context, caller, of, ephemeral)
  })

function create(
  { database, settings, audit, clock }: Context,
  caller: Caller,
  of: Pick<LinkRecord, 'kind' | 'area' | 'studyId' | 'userId'>,
  ephemeral: EphemeralDetail | null = null,
): string {
  const now = clock()
  const lifetimeMs = ephemeral
    ? EPHEMERAL_SECONDS * 1000
    : settings.get('viewer.linkMinutes') * 60_000
  const token = mintToken()
  const { kind, studyId, userId } = of
  insertLink(database, {
    ...{ tokenHash: hashOfToken(token), ...of, ...creatorOf(caller), ephemeral },
    ...{ createdAt: instantOf(now), expiresAt: instantOf(now + lifetimeMs) },
    ...{ usedAt: null, revokedAt: null },
  })
  note({ audit }, actorOf(caller), 'link.mint', studyId ?? 'ephemeral', { kind, userId })
  return `${studyId === null ? '/token/landing' : `/study/${studyId}`}?token=${token}`
}

function activeStudy(context: Context, caller: Caller, area: Area, either: StudyIdentifiers) {
  const study = resolveStudy(context, caller, area, either)
  if (study.cancelledAt !== null) throw new ApiError('refused', message('studies.uncancel-first'))
  return study
}

/**
 * Creating a link assigns the study, opening it never does; a signed study keeps its radiologist
 * and opens for reading.
 */
function assign(
  { database, audit, clock }: Context,
  caller: Caller,
  study: StudyRecord,
  { userId: assignedTo }: UserRecord,
): void {
  if (study.area !== 'scribe' || study.status === 'completed' || study.assignedTo === assignedTo)
    return
  const status = moved('assign', study.status)
  if (status === undefined)
    throw refused(
      'body.assignedToUserId',
      message('studies.must-be-at-work', { status: study.status }),
    )
  saveStudy(database, { ...study, status, assignedTo, updatedAt: instantOf(clock()) }, study)
  note({ audit }, actorOf(caller), 'study.update', study.studyId, {
    assignedTo: { before: study.assignedTo, after: assignedTo },
  })
}

/**
 * Uses the link up where it opens; otherwise it is left as it is, and `why` says why it does not
 * open: unknown: incomplete, or deleted; revoked: whoever gave it, or whom it is for, has no access
 * any more. Both are audited.
 */
export function openLink(context: Context, token: string) {
  const { database, clock, audit } = context
  return database.transaction(() => {
    const now = instantOf(clock())
    const link = findLink(database, hashOfToken(token))
    if (!link) return { outcome: 'closed', why: 'unknown' } as const
    const { kind, area, studyId, userId, ephemeral, createdByApiKeyId, createdByUserId } = link
    const why = whyClosed(context, link, now)
    if (why !== undefined) {
      const detail = { kind, userId, why }
      note({ audit }, 'gateway', 'link.refused', studyId ?? 'ephemeral', detail)
      return { outcome: 'closed', why } as const
    }
    redeemLink(database, link.tokenHash, now)
    note({ audit }, 'gateway', 'link.open', studyId ?? 'ephemeral', { kind, userId })
    const opened = { kind, area, studyId, userId, ephemeral, createdByApiKeyId, createdByUserId }
    return { outcome: 'opened', link: opened } as const
  })
}

function whyClosed(context: Context, link: LinkRecord, now: string) {
  // What is of the study now comes last: whoever holds a link that is over learns nothing of it.
  if (link.usedAt !== null) return 'used'
  if (link.expiresAt <= now) return 'expired'
  if (link.revokedAt !== null || whyRevoked(context, link) !== undefined) return 'revoked'
  const { studyId } = link
  if (studyId !== null && findStudy(context.database, studyId)?.cancelledAt !== null)
    return 'cancelled'
  return undefined
}

/**
 * Why what a link gives is over; undefined where it is not: it ends with the access
 * of whoever gave it and of whom it is for, and one for dictation with that person's right to
 * create reports.
 */
export function whyRevoked(
  { database }: Context,
  {
    kind,
    userId,
    createdByApiKeyId,
    createdByUserId,
  }: Pick<LinkRecord, 'userId' | 'createdByApiKeyId' | 'createdByUserId'> & {
    readonly kind: string
  },
): Message | undefined {
  const isGone = (id: string | null) =>
    id !== null && findUser(database, id)?.deactivatedAt !== null
  if (createdByApiKeyId !== null && findApiKey(database, createdByApiKeyId)?.revokedAt !== null)
    return message('viewer.partner-has-no-access')
  if (isGone(createdByUserId)) return message('viewer.link-maker-has-no-access')
  if (isGone(userId)) return message('viewer.link-user-has-no-access')
  if (kind === 'reroute' && !findUser(database, userId ?? '')?.canCreateReports)
    return message('viewer.link-user-may-not-report')
  return undefined
}
