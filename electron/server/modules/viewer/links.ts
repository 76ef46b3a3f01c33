import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import { resolveStudy, type StudyIdentifiers } from '#server/modules/studies/study-access.ts'
import { type Area, findStudy, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { refused, requireAssignee } from '#server/modules/studies/study-references.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { actorOf, type Caller, creatorOf, requirePermission } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { createToken, hashToken } from '#server/platform/token.ts'
import { ApiError } from '#shared/errors.ts'
import { nextStatus } from '#shared/lifecycle.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  type EphemeralDetail,
  findLink,
  insertLink,
  type LinkRecord,
  redeemLink,
} from './queries.ts'

// Links that open the viewer. Each token can be used once, and only its hash is stored. The
// functions that create a link return its path and query, relative to the public base.

/**
 * Lifetime of the link of an ephemeral session in seconds, as specified by the partner interface.
 */
export const EPHEMERAL_LIFETIME_SECONDS = 30

/**
 * Creates a link to a viewer study.
 * @throws ApiError malformed, not-permitted, not-found; refused: the study is cancelled
 */
export const createViewerLink = (context: Context, caller: Caller, identifiers: StudyIdentifiers) =>
  context.database.transaction(() => {
    requirePermission(caller, 'readStudies')
    const { studyId } = requireActiveStudy(context, caller, 'viewer', identifiers)
    return create(context, caller, { kind: 'viewer', area: 'viewer', studyId, userId: null })
  })

/**
 * Assigns the study to the user and creates a link for viewing and dictation.
 * @throws ApiError those of `createViewerLink`; refused: the user is not allowed, or another user
 *   has begun the report
 */
export const createRerouteLink = (
  context: Context,
  caller: Caller,
  { assignedToUserId, ...identifiers }: StudyIdentifiers & { readonly assignedToUserId: string },
) =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    const study = requireActiveStudy(context, caller, 'scribe', identifiers)
    const path = 'body.assignedToUserId'
    const user = requireAssignee(context, assignedToUserId, path)
    if (!user.canCreateReports) throw refused(path, message('studies.must-create-reports'))
    assignStudy(context, caller, study, user)
    const { studyId } = study
    return create(context, caller, {
      ...{ kind: 'reroute', area: 'scribe', studyId, userId: user.userId },
    })
  })

/**
 * Creates a link to a scribe study without dictation. `userId` is recorded in the audit log.
 * @throws ApiError those of `createViewerLink`
 */
export const createViewerOnlyLink = (
  context: Context,
  caller: Caller,
  {
    userId = null,
    ...identifiers
  }: StudyIdentifiers & { readonly userId?: string | null | undefined },
) =>
  context.database.transaction(() => {
    requirePermission(caller, 'readStudies')
    const { studyId } = requireActiveStudy(context, caller, 'scribe', identifiers)
    if (userId !== null) requireAssignee(context, userId, 'body.userId')
    return create(context, caller, { kind: 'viewer-only', area: 'scribe', studyId, userId })
  })

/**
 * Creates a link to an ephemeral session, which has no study.
 * @throws ApiError refused: no endpoint receives `ephemeral.access_requested` from this caller
 */
export const createEphemeralLink = (
  context: Context,
  caller: Caller,
  area: Area,
  ephemeral: EphemeralDetail,
) =>
  context.database.transaction(() => {
    requirePermission(caller, 'readStudies')
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
    ? EPHEMERAL_LIFETIME_SECONDS * 1000
    : settings.get('viewer.linkMinutes') * 60_000
  const token = createToken()
  const { kind, studyId, userId } = of
  insertLink(database, {
    ...{ tokenHash: hashToken(token), ...of, ...creatorOf(caller), ephemeral },
    ...{ createdAt: instantOf(now), expiresAt: instantOf(now + lifetimeMs) },
    ...{ usedAt: null, revokedAt: null },
  })
  note({ audit }, actorOf(caller), 'link.mint', studyId ?? 'ephemeral', { kind, userId })
  return `${studyId === null ? '/token/landing' : `/study/${studyId}`}?token=${token}`
}

function requireActiveStudy(
  context: Context,
  caller: Caller,
  area: Area,
  identifiers: StudyIdentifiers,
) {
  const study = resolveStudy(context, caller, area, identifiers)
  if (study.cancelledAt !== null) throw new ApiError('refused', message('studies.uncancel-first'))
  return study
}

/**
 * Assigns the study when the link is created; opening the link does not. A signed study keeps its
 * radiologist and is opened for reading.
 */
function assignStudy(
  { database, audit, clock }: Context,
  caller: Caller,
  study: StudyRecord,
  { userId: assignedTo }: UserRecord,
): void {
  if (study.area !== 'scribe' || study.status === 'completed' || study.assignedTo === assignedTo)
    return
  const status = nextStatus('assign', study.status)
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
 * Opens a link and redeems it. If it cannot be opened, it is not redeemed, and `why` is the reason.
 * `unknown` means incomplete or deleted; `revoked` means that its creator or its user no longer has
 * access. Both outcomes are audited.
 */
export function openLink(context: Context, token: string) {
  const { database, clock, audit } = context
  return database.transaction(() => {
    const now = instantOf(clock())
    const link = findLink(database, hashToken(token))
    if (!link) return { outcome: 'closed', why: 'unknown' } as const
    const { kind, area, studyId, userId, ephemeral, createdByApiKeyId, createdByUserId } = link
    const why = closedReason(context, link, now)
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

function closedReason(context: Context, link: LinkRecord, now: string) {
  // The state of the study is checked last, so that it is not disclosed to the holder of an invalid
  // link.
  if (link.usedAt !== null) return 'used'
  if (link.expiresAt <= now) return 'expired'
  if (link.revokedAt !== null || revokedReason(context, link) !== undefined) return 'revoked'
  const { studyId } = link
  if (studyId !== null && findStudy(context.database, studyId)?.cancelledAt !== null)
    return 'cancelled'
  return undefined
}

/**
 * Why the access that a link grants has ended; undefined if it has not. It ends when its creator or
 * its user loses access, and for dictation also when the user may no longer create reports.
 */
export function revokedReason(
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
