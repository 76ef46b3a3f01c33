import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { express } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { Path } from '#shared/operation.ts'
import type { HttpCall } from '../../support/http-call.ts'
import {
  type KeyName,
  newUid,
  type StartedInterface,
  startInterface,
} from '../../support/interface.ts'

// What the tables of refusals of this folder stand on.

export let stage: StartedInterface
/** What the refusals are asked about. */
export let of: Awaited<ReturnType<typeof furnish>>

/** Starts the gateway that the refusals of a file are asked of. */
export function openStage(): void {
  beforeAll(async () => {
    stage = await startInterface()
    of = await furnish()
  })
  afterAll(() => stage[Symbol.asyncDispose]())
}

async function furnish() {
  const { partner } = stage.keys
  const base = () => ({
    studyInstanceUid: newUid(),
    studyDescription: 'CT',
    severity: 'normal' as const,
  })
  const closed = await partner.call(express.create, { body: { expressCustomerName: 'Closed' } })
  await partner.call(express.deactivate, {
    params: { expressCustomerId: closed.expressCustomerId },
  })
  const viewed = await partner.call(viewer.create, { body: base() })
  const other = await partner.call(viewer.create, { body: base() })
  const cancelledViewed = await partner.call(viewer.create, { body: base() })
  await partner.call(viewer.cancel, { body: { studyId: cancelledViewed.studyId } })
  const read = await partner.call(scribe.create, { body: { ...base(), reportMetadata: {} } })
  const cancelled = await partner.call(scribe.create, { body: { ...base(), reportMetadata: {} } })
  await partner.call(scribe.cancel, { body: { studyId: cancelled.studyId } })
  const invited = await partner.call(scribeUsers.invite, { body: PERSON })
  const { invitations } = await partner.call(scribeUsers.invitations, {
    query: { userId: invited.userId },
  })
  const gone = await partner.call(scribeUsers.invite, {
    body: { ...PERSON, email: 'gone@partner.example' },
  })
  const { invitations: goneOnes } = await partner.call(scribeUsers.invitations, {
    query: { userId: gone.userId },
  })
  await partner.call(scribeUsers.revokeInvitation, { body: { userId: gone.userId } })
  const { users } = await partner.call(scribeUsers.list, { query: { level: 'owner' } })
  return {
    closed,
    viewed,
    other,
    cancelledViewed,
    read,
    cancelled,
    invited,
    gone,
    invitationId: invitations[0]?.invitationId ?? '',
    goneInvitationId: goneOnes[0]?.invitationId ?? '',
    ownerId: users[0]?.userId ?? '',
  }
}

export const PERSON = {
  email: 'invited@partner.example',
  firstName: 'Ivo',
  lastName: 'Horák',
  level: 'member',
  clinicRole: 'Radiologist',
  canManageStudies: false,
  canCreateReports: false,
  hasDashboardAccess: false,
} as const

interface Refusal extends HttpCall {
  readonly call: Path
  readonly by?: KeyName
  readonly status: number
  /** A path that `errors[]` names. */
  readonly names?: string
}
type Refusals = Readonly<Record<string, () => Refusal>>

/** One test for each refusal: its status, its problem and the field it names. */
export function refuses(area: string, refusals: Refusals): void {
  describe(area, () => {
    it.each(Object.entries(refusals))('%s', async (_, refusalOf) => {
      const { call, by = 'partner', status, names, ...given } = refusalOf()
      const answer = await stage.keys[by].send(call, given)
      const problem = answer.json as { errors: { path: string }[] }
      expect({
        status: answer.status,
        type: answer.headers['content-type'],
        problem,
      }).toMatchObject({
        status,
        type: expect.stringMatching(/^application\/problem\+json/),
        problem: {
          type: expect.any(String),
          title: expect.any(String),
          status,
          detail: expect.any(String),
          message: expect.any(String),
          code: expect.any(String),
          instance: call.split(' ')[1]?.split('?')[0],
          errors: expect.any(Array),
        },
      })
      expect(problem).toHaveProperty('message', Reflect.get(problem, 'detail'))
      expect(answer.headers['x-request-id']).toMatch(/./)
      if (names) expect(problem.errors.map(({ path }) => path)).toContain(names)
    })
  })
}
