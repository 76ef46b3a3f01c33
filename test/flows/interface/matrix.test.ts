import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { express, orgs } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { may, type Permission, type Rights } from '#shared/lifecycle.ts'
import type { Operation } from '#shared/operation.ts'
import { OWNER, sessionHeaders } from '../../support/gateway.ts'
import {
  type Client,
  clientOf,
  keyCall,
  newUid,
  type StartedInterface,
  startInterface,
  type UserName,
} from '../../support/interface.ts'
import { completedReport, draftReport } from '../../support/reports.ts'

// Every operation of the contract by every kind of caller. The oracle: `may` of shared/lifecycle
// for people, the area and the scope of a key, and 401 for an unknown caller.

const CONTRACT = { express, orgs, viewer, viewerUsers, scribe, scribeUsers }
type Area = keyof typeof CONTRACT

/** What a call stands on: a study its maker made, or nothing of the kind. */
type Subject = 'study' | 'none'
interface Case {
  readonly needs: Permission
  readonly subject: Subject
  /** Prepares what a good call needs and says what to send. */
  readonly input: (maker: Client) => Input | Promise<Input>
}
interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly json?: unknown
}

let stage: StartedInterface
let linked: Client
let ownerCookie: string
beforeAll(async () => {
  stage = await startInterface({ partner: {} })
  await stage.keys.partner.call(viewerUsers.update, {
    params: { userId: stage.userIds.linked },
    body: { canManageStudies: true },
  })
  const { expressCustomerId } = await newCustomer()
  await stage.keys.partner.call(express.addUser, {
    params: { expressCustomerId },
    body: { userId: stage.userIds.linked },
  })
  linked = stage.users.linked
  ownerCookie = (await sessionHeaders(stage.http, OWNER)).cookie ?? ''
})
afterAll(() => stage[Symbol.asyncDispose]())

const newStudy = () =>
  ({ studyInstanceUid: newUid(), studyDescription: 'CT', severity: 'normal' }) as const
const newReading = () => ({ ...newStudy(), reportMetadata: {} })
const newCustomer = () =>
  stage.keys.partner.call(express.create, { body: { expressCustomerName: 'Matrix' } })
let people = 0
const newPerson = () =>
  ({
    email: `matrix${people++}@partner.example`,
    firstName: 'Eva',
    lastName: 'Malá',
    level: 'member',
    clinicRole: 'Other',
    canManageStudies: false,
    hasDashboardAccess: false,
  }) as const
const invited = async () => {
  const { userId } = await stage.keys.partner.call(viewerUsers.invite, { body: newPerson() })
  const { invitations } = await stage.keys.partner.call(viewerUsers.invitations, {
    query: { userId },
  })
  return { userId, invitationId: invitations[0]?.invitationId ?? '' }
}

const viewed = (maker: Client) => maker.call(viewer.create, { body: newStudy() })
const read = (maker: Client) => maker.call(scribe.create, { body: newReading() })
const customer = async (): Promise<Input> => ({
  params: { expressCustomerId: (await newCustomer()).expressCustomerId },
})
const person = async (): Promise<Input> => ({
  params: { userId: (await invited()).userId },
  json: {},
})
const nothing = (): Input => ({})
const reported = async (maker: Client, draft = false) => {
  const { studyId } = await read(maker)
  const reportId = stage.withStore((store) =>
    completedReport(store, { studyId, userId: stage.userIds.radiologist }),
  )
  if (draft)
    stage.withStore((store) =>
      draftReport(store, { studyId, userId: stage.userIds.radiologist, isAddendum: true }),
    )
  return { studyId, reportId }
}

const manageCustomers = { needs: 'manageCustomers', subject: 'none' } as const
const manageUsers = { needs: 'manageUsers', subject: 'none' } as const
const manageStudy = { needs: 'manageStudies', subject: 'study' } as const
const readStudy = { needs: 'readStudies', subject: 'study' } as const
const readAny = { needs: 'readStudies', subject: 'none' } as const

const userCases = {
  list: { ...readAny, input: nothing },
  read: { ...readAny, input: person },
  update: { ...manageUsers, input: person },
  revokeAccess: {
    ...manageUsers,
    input: async () => ({ json: { userId: (await invited()).userId } }),
  },
  reactivate: {
    ...manageUsers,
    async input() {
      const { userId } = await invited()
      await stage.keys.partner.call(viewerUsers.revokeAccess, { body: { userId } })
      return { json: { userId } }
    },
  },
  invitations: { ...readAny, input: nothing },
  invitation: {
    ...readAny,
    input: async () => ({ params: { invitationId: (await invited()).invitationId } }),
  },
  updateInvitation: {
    ...manageUsers,
    input: async () => ({
      params: { invitationId: (await invited()).invitationId },
      json: { firstName: 'Iva' },
    }),
  },
  revokeInvitation: {
    ...manageUsers,
    input: async () => ({ json: { userId: (await invited()).userId } }),
  },
} satisfies Omit<Record<keyof typeof viewerUsers, Case>, 'invite'>

const CASES: { readonly [A in Area]: Readonly<Record<keyof (typeof CONTRACT)[A], Case>> } = {
  express: {
    create: { ...manageCustomers, input: () => ({ json: { expressCustomerName: 'New' } }) },
    list: { ...readAny, input: nothing },
    read: { ...readAny, input: customer },
    update: {
      ...manageCustomers,
      input: async () => ({ ...(await customer()), json: { expressCustomerName: 'Other' } }),
    },
    deactivate: { ...manageCustomers, input: customer },
    reactivate: { ...manageCustomers, input: customer },
    addUser: {
      ...manageCustomers,
      input: async () => ({ ...(await customer()), json: { userId: stage.userIds.admin } }),
    },
    removeUser: {
      ...manageCustomers,
      async input() {
        const { expressCustomerId } = await newCustomer()
        const json = { userId: stage.userIds.admin }
        await stage.keys.partner.call(express.addUser, {
          params: { expressCustomerId },
          body: json,
        })
        return { params: { expressCustomerId }, json }
      },
    },
  },
  orgs: { create: { ...manageCustomers, input: () => ({ json: { orgName: 'New' } }) } },
  viewer: {
    create: { needs: 'manageStudies', subject: 'none', input: () => ({ json: newStudy() }) },
    list: { ...readAny, input: nothing },
    read: {
      ...readStudy,
      input: async (maker) => ({ params: { studyId: (await viewed(maker)).studyId } }),
    },
    byUid: {
      ...readStudy,
      input: async (maker) => ({
        params: { studyInstanceUid: (await viewed(maker)).studyInstanceUid },
      }),
    },
    update: {
      ...manageStudy,
      input: async (maker) => ({
        params: { studyId: (await viewed(maker)).studyId },
        json: { severity: 'stat' },
      }),
    },
    cancel: {
      ...manageStudy,
      input: async (maker) => ({ json: { studyId: (await viewed(maker)).studyId } }),
    },
    uncancel: {
      ...manageStudy,
      async input(maker) {
        const { studyId } = await viewed(maker)
        await maker.call(viewer.cancel, { body: { studyId } })
        return { json: { studyId } }
      },
    },
    rerouteUrl: {
      ...readStudy,
      input: async (maker) => ({ json: { studyId: (await viewed(maker)).studyId } }),
    },
    ephemeralSession: { ...readAny, input: () => ({ json: { retrievalId: 'h' } }) },
  },
  viewerUsers: { invite: { ...manageUsers, input: () => ({ json: newPerson() }) }, ...userCases },
  scribe: {
    create: { needs: 'manageStudies', subject: 'none', input: () => ({ json: newReading() }) },
    list: { ...readAny, input: nothing },
    read: {
      ...readStudy,
      input: async (maker) => ({ params: { studyId: (await read(maker)).studyId } }),
    },
    byUid: {
      ...readStudy,
      input: async (maker) => ({
        params: { studyInstanceUid: (await read(maker)).studyInstanceUid },
      }),
    },
    update: {
      ...manageStudy,
      input: async (maker) => ({
        params: { studyId: (await read(maker)).studyId },
        json: { severity: 'stat' },
      }),
    },
    cancel: {
      ...manageStudy,
      input: async (maker) => ({ json: { studyId: (await read(maker)).studyId } }),
    },
    uncancel: {
      ...manageStudy,
      async input(maker) {
        const { studyId } = await read(maker)
        await maker.call(scribe.cancel, { body: { studyId } })
        return { json: { studyId } }
      },
    },
    rerouteUrl: {
      ...manageStudy,
      input: async (maker) => ({
        json: { studyId: (await read(maker)).studyId, assignedToUserId: stage.userIds.radiologist },
      }),
    },
    viewerOnlyRerouteUrl: {
      ...readStudy,
      input: async (maker) => ({ json: { studyId: (await read(maker)).studyId } }),
    },
    reports: {
      ...readStudy,
      input: async (maker) => ({ query: `studyId=${(await reported(maker)).studyId}` }),
    },
    reportText: {
      ...readStudy,
      input: async (maker) => ({ query: `reportId=${(await reported(maker)).reportId}` }),
    },
    reportPdf: {
      ...readStudy,
      input: async (maker) => ({ query: `reportId=${(await reported(maker)).reportId}` }),
    },
    startAddendum: {
      needs: 'writeReports',
      subject: 'study',
      input: async (maker) => ({ params: { reportId: (await reported(maker)).reportId } }),
    },
    cancelAddendum: {
      needs: 'writeReports',
      subject: 'study',
      input: async (maker) => ({ params: { reportId: (await reported(maker, true)).reportId } }),
    },
    ephemeralSession: { ...readAny, input: () => ({ json: { retrievalId: 'h' } }) },
  },
  scribeUsers: {
    invite: {
      ...manageUsers,
      input: () => ({ json: { ...newPerson(), canCreateReports: false } }),
    },
    ...userCases,
  },
}

interface Kind {
  readonly client: () => Client
  /** Whose study it is asked about; the partner's unless it is told. */
  readonly maker?: () => Client
  readonly expected: (of: {
    readonly needsViewer: boolean
    readonly changesPeople: boolean
    readonly case: Case
    readonly good: number
  }) => number
}
const nobody = () => 401
const plainRights: Omit<Rights, 'level'> = {
  canManageStudies: false,
  canCreateReports: false,
  hasDashboardAccess: true,
}
const asUser = (name: UserName | 'owner', rights: Rights): Kind => ({
  client: () => stage.users[name],
  expected: ({ case: { needs }, good }) => (may(rights, needs) ? good : 403),
})

const KINDS: Readonly<Record<string, Kind>> = {
  'no key': { client: () => stage.nobody, expected: nobody },
  'a bad key': { client: () => keyCall(stage.http, 'sk_live_1'), expected: nobody },
  'a revoked key': { client: () => stage.keys.revoked, expected: nobody },
  'a key': { client: () => stage.keys.partner, expected: ({ good }) => good },
  'a key that manages nobody': {
    client: () => stage.keys.studies,
    expected: ({ changesPeople, good }) => (changesPeople ? 403 : good),
  },
  'a key without the viewer': {
    client: () => stage.keys.plain,
    expected: ({ needsViewer, good }) => (needsViewer ? 403 : good),
  },
  'a key of scope self, a study of another': {
    client: () => stage.keys.self,
    expected: ({ case: { subject }, good }) => (subject === 'study' ? 404 : good),
  },
  'a key of scope self, its own study': {
    client: () => stage.keys.self,
    maker: () => stage.keys.self,
    expected: ({ good }) => good,
  },
  owner: asUser('owner', { ...plainRights, level: 'owner', canManageStudies: true }),
  admin: asUser('admin', { ...plainRights, level: 'admin', canManageStudies: true }),
  member: asUser('member', { ...plainRights, level: 'member' }),
  'a member who manages studies': asUser('manager', {
    ...plainRights,
    level: 'member',
    canManageStudies: true,
  }),
  'a member who reports': asUser('radiologist', {
    ...plainRights,
    level: 'member',
    canCreateReports: true,
  }),
  'a member of a customer, a study of no customer': {
    client: () => linked,
    expected: ({ case: { needs, subject }, good }) => {
      if (
        !may(
          { ...plainRights, level: 'member', canManageStudies: true, canCreateReports: true },
          needs,
        )
      )
        return 403
      return subject === 'study' ? 404 : good
    },
  },
  'a revoked user': { client: () => stage.users.revoked, expected: nobody },
  'a session without its header': {
    client: () => clientOf(stage.http, { cookie: ownerCookie }),
    expected: nobody,
  },
}

for (const area of Object.keys(CONTRACT) as Area[]) {
  describe(area, () => {
    const cases = CASES[area] as Readonly<Record<string, Case>>
    const operations = Object.entries(CONTRACT[area]) as [string, Operation][]
    it.each(operations)('%s gives each caller what it may have', async (name, operation) => {
      const one = cases[name]
      if (!one) throw new Error(`the matrix has no case for ${area}.${name}`)
      const needsViewer =
        operation.path.startsWith('/v1/viewer/') || operation === scribe.viewerOnlyRerouteUrl
      const expected: Record<string, unknown> = {}
      const given: Record<string, unknown> = {}
      for (const [
        kind,
        { client, maker = () => stage.keys.partner, expected: oracle },
      ] of Object.entries(KINDS)) {
        const { params = {}, query = '', json } = await one.input(maker())
        const path = operation.path.replace(/:(\w+)/g, (_, param: string) => params[param] ?? '')
        const answer = await client().send(`${operation.method} ${path as '/'}?${query}`, { json })
        const good = operation.status ?? 200
        const isLink = operation === express.addUser || operation === express.removeUser
        const changesPeople = one.needs === 'manageUsers' || isLink
        const status = oracle({ needsViewer, changesPeople, case: one, good })
        expected[kind] = status
        given[kind] = answer.status
        if (status === good && answer.status === good) {
          expect([kind, operation.reply.safeParse(answer.json).success]).toEqual([kind, true])
          expect([kind, (answer.json as { success?: boolean }).success ?? true]).toEqual([
            kind,
            true,
          ])
        }
      }
      expect(given).toEqual(expected)
    })
  })
}
