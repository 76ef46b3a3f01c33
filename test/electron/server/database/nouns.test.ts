import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { insertApiKey } from '#server/modules/api-keys/queries.ts'
import {
  countUnknownCallers,
  deleteUnknownCaller,
  findUnknownCaller,
  listUnknownCallers,
  MAX_CALLERS_PER_ADDRESS,
  MAX_UNKNOWN_CALLERS,
  upsertUnknownCaller,
} from '#server/modules/devices/unknown-caller-queries.ts'
import {
  deleteEndpoint,
  type EndpointRecord,
  endpointSecrets,
  findEndpoint,
  insertEndpointSecret,
  listEndpoints,
  pruneEndpointSecrets,
  saveEndpoint,
} from '#server/modules/partners/queries.ts'
import { endpointFor } from '#server/modules/partners/targets.ts'
import {
  deleteClosedStep,
  insertClosedStep,
  isStepClosed,
  listClosedSteps,
  purgeClosedSteps,
} from '#server/modules/procedure-steps/closed-step-queries.ts'
import {
  countUsers,
  findUser,
  insertUser,
  type UserRecord,
  updateUser,
  userByEmail,
} from '#server/modules/users/queries.ts'
import {
  findSignInLink,
  insertSignInLink,
  purgeSignInLinks,
  redeemSignInLink,
} from '#server/modules/users/sign-in-queries.ts'
import { deleteDowntime, findDowntime, putDowntime } from '#server/modules/worklist/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { SETTING_KEYS, SETTINGS } from '#shared/contract/settings.ts'
import { idFromUuid } from '#shared/ids.ts'
import { tempStore } from '../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'

describe('settings', () => {
  it('have their initial values until they are set', () => {
    using temp = tempStore()
    for (const key of SETTING_KEYS)
      if (key !== 'clinic.id') expect(temp.store.settings.get(key)).toEqual(SETTINGS[key].initial)
    temp.store.settings.set('dimse.port', 104)
    temp.store.settings.set('http.allowedHosts', ['isthmus.clinic.example'])
    expect(temp.store.settings.get('dimse.port')).toBe(104)
    expect(temp.store.settings.all()).toMatchObject({
      'dimse.port': 104,
      'http.allowedHosts': ['isthmus.clinic.example'],
      'dimse.aeTitle': 'ISTHMUS',
    })
    expect(temp.store.settings.unreadable()).toEqual([])
  })

  it('fall back to the initial value when a stored one cannot be read, and say which', () => {
    using temp = tempStore()
    const { database } = temp.store
    const set = (key: string, value: string) =>
      database.run(database.sql.insertInto('settings').values({ key, value, updatedAt: AT }))
    set('dimse.port', '"eleven"')
    set('worklist.maxRows', '-3')
    set('of.a.later.version', '1')
    database[Symbol.dispose]()
    using store = openContext(temp)
    expect(store.settings.get('dimse.port')).toBe(11_112)
    expect(store.settings.unreadable()).toEqual(['dimse.port', 'worklist.maxRows'])
    store.settings.set('dimse.port', 104)
    expect(store.settings.unreadable()).toEqual(['worklist.maxRows'])
  })

  it('have their old value again when the change is rolled back', () => {
    using temp = tempStore()
    const { database } = temp.store
    expect(temp.store.settings.get('dimse.port')).toBe(11_112)
    expect(() =>
      database.transaction(() => {
        temp.store.settings.set('dimse.port', 104)
        expect(temp.store.settings.get('dimse.port')).toBe(104)
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(temp.store.settings.get('dimse.port')).toBe(11_112)
  })
})

describe('unknown callers', () => {
  it('are counted, and keep what they did last', () => {
    using temp = tempStore()
    const { database } = temp.store
    const call = { aeTitle: 'CT9', address: '10.0.3.9' }
    upsertUnknownCaller(database, {
      ...call,
      calledAeTitle: 'ISTHMUS',
      services: ['Verification'],
      at: AT,
    })
    upsertUnknownCaller(database, {
      ...call,
      calledAeTitle: 'RIS',
      services: ['Modality Worklist'],
      at: '2026-03-10T09:05:00.000Z',
    })
    upsertUnknownCaller(database, {
      ...call,
      address: '10.0.3.10',
      calledAeTitle: 'ISTHMUS',
      services: [],
      at: AT,
    })
    expect(listUnknownCallers(database)).toEqual([
      {
        ...call,
        calledAeTitle: 'RIS',
        attempts: 2,
        firstAt: AT,
        lastAt: '2026-03-10T09:05:00.000Z',
        services: ['Modality Worklist'],
      },
      {
        ...call,
        address: '10.0.3.10',
        calledAeTitle: 'ISTHMUS',
        attempts: 1,
        firstAt: AT,
        lastAt: AT,
        services: [],
      },
    ])
    expect(countUnknownCallers(database)).toBe(2)
  })

  it('begin anew after they were taken off', () => {
    using temp = tempStore()
    const { database } = temp.store
    const call = { aeTitle: 'CT9', address: '10.0.3.9', calledAeTitle: 'ISTHMUS', services: [] }
    upsertUnknownCaller(database, { ...call, at: AT })
    expect(deleteUnknownCaller(database, 'CT9', '10.0.3.9')).toBe(true)
    expect(deleteUnknownCaller(database, 'CT9', '10.0.3.9')).toBe(false)
    upsertUnknownCaller(database, { ...call, at: AT })
    expect(findUnknownCaller(database, 'CT9', '10.0.3.9')?.attempts).toBe(1)
  })

  it('are bounded: the one heard of longest ago gives way', () => {
    using temp = tempStore()
    const { database } = temp.store
    database.transaction(() => {
      for (let i = 0; i < MAX_UNKNOWN_CALLERS + 3; i++)
        upsertUnknownCaller(database, {
          aeTitle: `AE${i}`,
          address: `10.0.3.${i}`,
          calledAeTitle: '',
          services: [],
          at: instantOf(Date.parse(AT) + i * 1000),
        })
    })
    expect(countUnknownCallers(database)).toBe(MAX_UNKNOWN_CALLERS)
    expect(listUnknownCallers(database).at(-1)?.aeTitle).toBe('AE3')
    expect(listUnknownCallers(database)[0]?.aeTitle).toBe(`AE${MAX_UNKNOWN_CALLERS + 2}`)
  })

  it('are bounded of one address, which pushes out no caller of another', () => {
    using temp = tempStore()
    const { database } = temp.store
    const call = { calledAeTitle: '', services: [] }
    upsertUnknownCaller(database, { aeTitle: 'CT_NEW', address: '10.0.3.9', ...call, at: AT })
    database.transaction(() => {
      for (let i = 0; i < MAX_UNKNOWN_CALLERS + 3; i++)
        upsertUnknownCaller(database, {
          aeTitle: `AE${i}`,
          address: '10.0.3.66',
          ...call,
          at: instantOf(Date.parse(AT) + i * 1000),
        })
    })
    expect(countUnknownCallers(database)).toBe(MAX_CALLERS_PER_ADDRESS + 1)
    expect(findUnknownCaller(database, 'CT_NEW', '10.0.3.9')).toBeDefined()
    expect(listUnknownCallers(database)[0]?.aeTitle).toBe(`AE${MAX_UNKNOWN_CALLERS + 2}`)
  })
})

const user = (number: number, differs: Partial<UserRecord> = {}): UserRecord => ({
  userId: idFromUuid('usr', `${number}0000000-0000-4000-8000-000000000000`),
  email: `person${number}@clinic.example`,
  firstName: 'Eva',
  lastName: 'Kern',
  interfaceLevel: 'member',
  level: 'member',
  clinicRole: 'Imaging Technologist',
  canManageStudies: false,
  canCreateReports: true,
  hasDashboardAccess: true,
  middleName: null,
  suffix1: null,
  suffix2: null,
  phoneNumber: null,
  npiNumber: null,
  invitedSource: 'dashboard',
  passwordHash: 'scrypt$…',
  createdAt: AT,
  updatedAt: AT,
  lastLoginAt: null,
  deactivatedAt: null,
  ...differs,
})

describe('users', () => {
  it('are found by e-mail in any case, among the live ones', () => {
    using temp = tempStore()
    const { database } = temp.store
    insertUser(database, user(1))
    expect(userByEmail(database, ' Person1@CLINIC.example')).toEqual(user(1))
    expect(findUser(database, user(1).userId)).toEqual(user(1))
    updateUser(database, user(1, { deactivatedAt: AT }))
    expect(userByEmail(database, 'person1@clinic.example')).toBeUndefined()
    insertUser(database, user(2, { email: 'PERSON1@clinic.example' }))
    expect(userByEmail(database, 'person1@clinic.example')?.userId).toBe(user(2).userId)
    expect(countUsers(database)).toBe(2)
  })

  it('share no e-mail while both are live', () => {
    using temp = tempStore()
    insertUser(temp.store.database, user(1))
    expect(() =>
      insertUser(temp.store.database, user(2, { email: 'PERSON1@clinic.example' })),
    ).toThrow('UNIQUE constraint failed')
  })

  it('take their sign-in links only as they are', () => {
    using temp = tempStore()
    const { database } = temp.store
    const link = {
      tokenHash: 'c'.repeat(64),
      kind: 'sign-in' as const,
      userId: null,
      createdAt: AT,
      expiresAt: AT,
      usedAt: null,
    }
    expect(() => insertSignInLink(database, link)).toThrow('CHECK constraint failed')
  })
})

describe('sign-in links', () => {
  it('are redeemed once, before they expire', () => {
    using temp = tempStore()
    const { database } = temp.store
    const link = {
      kind: 'setup' as const,
      userId: null,
      createdAt: AT,
      expiresAt: '2026-03-10T09:15:00.000Z',
      usedAt: null,
    }
    const [one, two] = ['a'.repeat(64), 'b'.repeat(64)]
    insertSignInLink(database, { ...link, tokenHash: one })
    insertSignInLink(database, { ...link, tokenHash: two })
    expect(findSignInLink(database, one, AT)).toEqual({ ...link, tokenHash: one })
    expect(redeemSignInLink(database, one, AT)).toEqual({ ...link, tokenHash: one, usedAt: AT })
    expect(redeemSignInLink(database, one, AT)).toBeUndefined()
    expect(findSignInLink(database, one, AT)).toBeUndefined()
    expect(redeemSignInLink(database, two, '2026-03-10T09:15:00.000Z')).toBeUndefined()
    expect(redeemSignInLink(database, 'c'.repeat(64), AT)).toBeUndefined()
    expect(purgeSignInLinks(database, '2026-03-10T09:15:00.000Z')).toBe(2)
  })
})

describe('endpoints', () => {
  const endpoint = (endpointId: string, differs: Partial<EndpointRecord> = {}): EndpointRecord => ({
    endpointId,
    url: `https://${endpointId}.example/hook`,
    events: ['modality_worklist.requested', 'report.delivered'],
    apiKeyId: null,
    allowsPlaintext: false,
    createdAt: AT,
    updatedAt: AT,
    disabledAt: null,
    name: '',
    fileHosts: ['files.example:8443'],
    budgets: { 'report.delivered': 20_000 },
    disabledReason: null,
    ...differs,
  })
  const key = {
    apiKeyId: 'k1',
    keyHash: 'a'.repeat(64),
    last4: 'aaaa',
    description: '',
    isViewerEnabled: true,
    managesPeople: false,
    dicomweb: 'none' as const,
    eventAccess: 'none' as const,
    seesClinicEvents: false,
    managesEndpoints: false,
    scope: 'all' as const,
  }

  it('take an event of their key, else as the default', () => {
    using temp = tempStore()
    const { database } = temp.store
    const never = {
      lastUsedAt: null,
      revokedAt: null,
      rotatedAt: null,
      oldKeyHash: null,
      oldLast4: null,
      oldExpiresAt: null,
    }
    insertApiKey(database, { ...key, createdAt: AT, ...never })
    saveEndpoint(database, endpoint('ris'))
    saveEndpoint(database, endpoint('reading', { apiKeyId: 'k1', events: ['report.delivered'] }))
    const to = (
      event: 'report.delivered' | 'modality_worklist.requested' | 'ephemeral.access_requested',
      apiKeyId: string | null,
    ) => endpointFor(database, event, apiKeyId)?.endpointId
    expect(to('report.delivered', null)).toBe('ris')
    expect(to('report.delivered', 'k1')).toBe('reading')
    expect(to('modality_worklist.requested', 'k1')).toBe('ris')
    expect(to('ephemeral.access_requested', 'k1')).toBeUndefined()
    // What a key's endpoint does not get goes to no other.
    saveEndpoint(database, endpoint('reading', { apiKeyId: 'k1', disabledAt: AT }))
    expect(to('report.delivered', 'k1')).toBe('reading')
    expect(listEndpoints(database)).toEqual([
      endpoint('reading', { apiKeyId: 'k1', disabledAt: AT }),
      endpoint('ris'),
    ])
    expect(findEndpoint(database, 'ris')).toEqual(endpoint('ris'))
  })

  it('have their secrets newest first, and lose them when they go', () => {
    using temp = tempStore()
    const { database } = temp.store
    saveEndpoint(database, endpoint('ris'))
    for (const secret of ['one', 'two', 'three']) insertEndpointSecret(database, 'ris', secret, AT)
    expect(endpointSecrets(database, 'ris').map(({ secret }) => secret)).toEqual([
      'three',
      'two',
      'one',
    ])
    pruneEndpointSecrets(database, 'ris', 2)
    expect(endpointSecrets(database, 'ris').map(({ secret }) => secret)).toEqual(['three', 'two'])
    saveEndpoint(database, endpoint('ris', { url: 'https://other.example/' }))
    expect(endpointSecrets(database, 'ris')).toHaveLength(2)
    deleteEndpoint(database, 'ris')
    expect(endpointSecrets(database, 'ris')).toEqual([])
  })
})

describe('closed steps', () => {
  it('are closed, found by both ids, and opened again', () => {
    using temp = tempStore()
    const { database } = temp.store
    const step = {
      studyInstanceUid: '1.2.3',
      scheduledProcedureStepId: 'S1',
      closedAt: AT,
      reason: 'done on paper',
    }
    insertClosedStep(database, step)
    insertClosedStep(database, {
      ...step,
      scheduledProcedureStepId: 'S2',
      closedAt: '2026-03-10T10:00:00.000Z',
    })
    insertClosedStep(database, { ...step, reason: 'cancelled' })
    expect(
      listClosedSteps(database).map((one) => [one.scheduledProcedureStepId, one.reason]),
    ).toEqual([
      ['S2', 'done on paper'],
      ['S1', 'cancelled'],
    ])
    expect([
      isStepClosed(database, '1.2.3', 'S1'),
      isStepClosed(database, '1.2.3', 'S3'),
      isStepClosed(database, '1.2.4', 'S1'),
    ]).toEqual([true, false, false])
    expect(deleteClosedStep(database, '1.2.3', 'S1')).toBe(true)
    expect(deleteClosedStep(database, '1.2.3', 'S1')).toBe(false)
    expect(purgeClosedSteps(database, '2026-03-10T10:00:00.001Z')).toBe(1)
    expect(listClosedSteps(database)).toEqual([])
  })
})

describe('a closed step', () => {
  it('is open again when closing it is rolled back', () => {
    using temp = tempStore()
    const { database } = temp.store
    const step = {
      studyInstanceUid: '1.2.3',
      scheduledProcedureStepId: 'S1',
      closedAt: AT,
      reason: '',
    }
    expect(isStepClosed(database, '1.2.3', 'S1')).toBe(false)
    const work = () =>
      database.transaction(() => {
        insertClosedStep(database, step)
        expect(isStepClosed(database, '1.2.3', 'S1')).toBe(true)
        throw new Error('rolled back')
      })
    expect(work).toThrow('rolled back')
    expect(isStepClosed(database, '1.2.3', 'S1')).toBe(false)
  })
})

describe('downtime', () => {
  it('is one, set again or ended', () => {
    using temp = tempStore()
    const { database } = temp.store
    const set = {
      since: AT,
      until: '2026-03-10T23:00:00.000Z',
      userId: 'usr_1',
      userName: 'Eva Kern',
      reason: 'line is cut',
    }
    expect(findDowntime(database)).toBeUndefined()
    putDowntime(database, set)
    putDowntime(database, { ...set, reason: 'still cut' })
    expect(findDowntime(database)).toEqual({ ...set, reason: 'still cut' })
    expect([deleteDowntime(database), deleteDowntime(database), findDowntime(database)]).toEqual([
      true,
      false,
      undefined,
    ])
  })
})
