import { describe, expect, it } from 'vitest'
import type { Actor } from '#server/audit-log/audit.ts'
import { addOutboxJob } from '#server/jobs/outbox-queries.ts'
import { createApiKey, revokeApiKey } from '#server/modules/api-keys/api-keys.ts'
import {
  type EndpointRecord,
  endpointSecrets,
  findEndpoint,
  listEndpoints,
  pruneEndpointSecrets,
} from '#server/modules/partners/queries.ts'
import { openRefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { endpointReplies, endpointReply } from '#server/modules/partners/routes.ts'
import * as service from '#server/modules/partners/service.ts'
import { findTarget, targetFor } from '#server/modules/partners/targets.ts'
import { ReportDestinations } from '#server/modules/reports/report-destinations.ts'
import { insertReport, type NewReportRecord } from '#server/modules/reports/report-queries.ts'
import { insertStudy } from '#server/modules/studies/study-writing-queries.ts'
import { insertUser } from '#server/modules/users/queries.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { idFromUuid } from '#shared/ids.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const NEXT = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const LAST = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
const HOUR = 60 * 60_000
const OWNER = 'user:usr_1'
type NewEndpoint = Parameters<typeof service.addEndpoint>[1]

function clinic() {
  const temp = tempStore()
  const { store } = temp
  const refusedHosts = openRefusedHosts(temp.clock)
  const ofReports = new ReportDestinations(store)
  const shown = (endpoint: EndpointRecord) =>
    endpointReply(store, refusedHosts, ofReports.waiting(), endpoint)
  const withSecret = ({ endpoint, secret }: ReturnType<typeof service.addEndpoint>) => ({
    ...shown(endpoint),
    secret,
  })
  const endpoints = {
    list: () => endpointReplies(store, refusedHosts, ofReports.waiting()),
    add: (endpoint: NewEndpoint, actor: Actor) =>
      withSecret(service.addEndpoint(store, endpoint, actor)),
    change: (id: string, patch: Parameters<typeof service.changeEndpoint>[2], actor: Actor) =>
      shown(service.changeEndpoint(store, id, patch, actor)),
    remove: (id: string, actor: Actor) => service.removeEndpoint(store, id, actor),
    rotateSecret: (id: string, secret: Parameters<typeof service.rotateSecret>[2], actor: Actor) =>
      withSecret(service.rotateSecret(store, id, secret, actor)),
    switchOff: (id: string) => service.disableEndpoint(store, id),
    targetFor: (event: EventType, apiKeyId?: string | null) => targetFor(store, event, apiKeyId),
    target: (id: string) => findTarget(store, id),
  }
  const partner = {
    read: () => service.readPartner(store),
    set: (given: Parameters<typeof service.setPartner>[1], actor: Actor) =>
      service.setPartner(store, given, actor),
  }
  const makeKey = (description: string) =>
    createApiKey(temp.store, { description, isViewerEnabled: true, scope: 'all' }, 'command-line')
      .apiKey.apiKeyId
  let changes = 0
  store.database.subscribe('endpoints', () => changes++)
  return Object.assign(temp, {
    ...{
      store: temp.store,
      endpoints,
      ofReports,
      refusedHosts,
      partner,
      makeKey,
      revokeKey: (id: string) => revokeApiKey(temp.store, id, 'command-line'),
    },
    changes: () => changes,
    setPartner: () =>
      partner.set(
        { url: 'https://ris.example/hook', secret: SECRET, allowPlaintext: false },
        'command-line',
      ),
    add: (more: Partial<NewEndpoint> = {}) => endpoints.add({ ...READING, ...more }, OWNER),
    actions: () => temp.store.audit.list({ limit: 50 }).items.map(({ action }) => action),
  })
}
const READING = {
  ...{
    name: 'Reading room',
    url: 'https://reading.example/hook',
    events: ['report.delivered'],
    apiKeyId: null,
  },
  ...{ allowPlaintext: false, fileHosts: [], budgets: {} },
} satisfies NewEndpoint
const refused = (path: string) =>
  expect.objectContaining({ code: 'refused', errors: [expect.objectContaining({ path })] })

describe('endpoints', () => {
  it('are the clinic’s own first, with all that the window shows of them', () => {
    using temp = clinic()
    temp.setPartner()
    const apiKeyId = temp.makeKey('Teleradiology')
    const { secret, ...added } = temp.add({
      apiKeyId,
      fileHosts: ['s3.example', 's3.example'],
      budgets: { 'report.delivered': 30_000 },
    })
    expect(secret).toMatch(/^whsec_/)
    expect(added).toEqual({
      ...{
        endpointId: added.endpointId,
        name: 'Reading room',
        url: 'https://reading.example/hook',
        events: ['report.delivered'],
      },
      ...{
        apiKey: { apiKeyId, description: 'Teleradiology' },
        allowsPlaintext: false,
        fileHosts: ['s3.example'],
        refusedHosts: [],
      },
      ...{
        budgets: { 'report.delivered': 30_000 },
        isDefault: false,
        isEnabled: true,
        disabledReason: null,
        waiting: 0,
      },
      ...{
        secrets: [{ createdAt: '2026-03-10T09:00:00.001Z', endsAt: null }],
        createdAt: '2026-03-10T09:00:00.001Z',
      },
    })
    expect(temp.endpoints.list().map(({ isDefault, url }) => [isDefault, url])).toEqual([
      [true, 'https://ris.example/hook'],
      [false, 'https://reading.example/hook'],
    ])
    expect(temp.actions()).toContain('endpoint.add')
    expect(JSON.stringify(temp.store.audit.list({ limit: 50 }).items)).not.toContain('whsec_')
    expect(temp.changes()).toBe(2)
  })

  it('of a key get the events of its studies, and never the clinic’s own questions', () => {
    using temp = clinic()
    temp.setPartner()
    const apiKeyId = temp.makeKey('Teleradiology')
    temp.add({ apiKeyId, events: [...EVENT_TYPES] })
    const to = (key: string | null) =>
      Object.fromEntries(
        EVENT_TYPES.map((event) => [
          event,
          new URL(temp.endpoints.targetFor(event, key)?.url ?? 'https://none').host,
        ]),
      )
    expect(to(apiKeyId)).toEqual({
      'study.access_requested': 'reading.example',
      'ephemeral.access_requested': 'reading.example',
      'secondary_capture.access_requested': 'reading.example',
      'report.delivered': 'reading.example',
      'modality_worklist.requested': 'ris.example',
      'patient_study.enrichment_requested': 'ris.example',
      'clinical_context.enrichment_requested': 'ris.example',
    })
    expect(new Set(Object.values(to(null)))).toEqual(new Set(['ris.example']))
  })

  it('that are switched off get nothing, and nobody else gets what was theirs', () => {
    using temp = clinic()
    temp.setPartner()
    const apiKeyId = temp.makeKey('Teleradiology')
    const { endpointId } = temp.add({ apiKeyId })
    expect(temp.endpoints.switchOff(endpointId)).toBe(true)
    expect(temp.endpoints.switchOff(endpointId)).toBe(false)
    expect(temp.endpoints.targetFor('report.delivered', apiKeyId)).toBeUndefined()
    expect(temp.endpoints.target(endpointId)).toMatchObject({ url: 'https://reading.example/hook' })
    expect(temp.endpoints.list()[1]).toMatchObject({ isEnabled: false, disabledReason: 'gone' })
    expect(temp.endpoints.change(endpointId, { isEnabled: true }, OWNER)).toMatchObject({
      isEnabled: true,
      disabledReason: null,
    })
    expect(temp.endpoints.targetFor('report.delivered', apiKeyId)).toBeDefined()
    expect(temp.endpoints.change(endpointId, { isEnabled: false }, OWNER)).toMatchObject({
      isEnabled: false,
      disabledReason: 'person',
    })
    expect(temp.actions()).toEqual(
      expect.arrayContaining(['endpoint.switch-off', 'endpoint.change']),
    )
  })

  it('that said they are gone are on again when the partner is set anew', () => {
    using temp = clinic()
    temp.setPartner()
    const [own] = temp.endpoints.list()
    temp.endpoints.switchOff(own?.endpointId ?? '')
    expect(temp.partner.read()).toMatchObject({ url: 'https://ris.example/hook' })
    // A device waits for its worklist: it is asked for as long as it is answered.
    expect(temp.endpoints.targetFor('modality_worklist.requested')).toBeDefined()
    expect(temp.endpoints.targetFor('report.delivered')).toBeUndefined()
    const before = temp.changes()
    temp.partner.set({ url: 'https://ris.example/new', allowPlaintext: false }, OWNER)
    expect(temp.changes()).toBe(before + 1)
    expect(temp.endpoints.list()).toMatchObject([
      { url: 'https://ris.example/new', isEnabled: true, disabledReason: null },
    ])
    temp.endpoints.change(own?.endpointId ?? '', { isEnabled: false }, OWNER)
    expect(temp.endpoints.targetFor('modality_worklist.requested')).toBeUndefined()
  })

  it('have one taker for each event of the same studies', () => {
    using temp = clinic()
    temp.setPartner()
    expect(() => temp.add()).toThrow(refused('body.events'))
    const [own] = temp.endpoints.list()
    temp.endpoints.change(
      own?.endpointId ?? '',
      { events: EVENT_TYPES.filter((event) => event !== 'report.delivered') },
      OWNER,
    )
    const { endpointId } = temp.add()
    expect(temp.endpoints.targetFor('report.delivered')?.url).toBe('https://reading.example/hook')
    expect(() =>
      temp.endpoints.change(endpointId, { events: ['modality_worklist.requested'] }, OWNER),
    ).toThrow(refused('body.events'))
    expect(() =>
      temp.endpoints.change(own?.endpointId ?? '', { events: [...EVENT_TYPES] }, OWNER),
    ).toThrow(refused('body.events'))
    // The partner keeps what it takes when only its address is set.
    temp.partner.set({ url: 'https://ris.example/new', allowPlaintext: false }, OWNER)
    expect(temp.endpoints.targetFor('report.delivered')?.url).toBe('https://reading.example/hook')
  })

  it('give what they had to the clinic’s own when they are removed, which stays', () => {
    using temp = clinic()
    temp.setPartner()
    const apiKeyId = temp.makeKey('Teleradiology')
    const { endpointId } = temp.add({ apiKeyId })
    expect(temp.endpoints.remove(endpointId, OWNER).success).toBe(true)
    expect(temp.endpoints.targetFor('report.delivered', apiKeyId)?.url).toBe(
      'https://ris.example/hook',
    )
    expect(endpointSecrets(temp.store.database, endpointId)).toEqual([])
    const [own] = temp.endpoints.list()
    expect(() => temp.endpoints.remove(own?.endpointId ?? '', OWNER)).toThrow(
      expect.objectContaining({ code: 'refused' }),
    )
    expect(() => temp.endpoints.remove(endpointId, OWNER)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  })

  it('sign with several secrets for as long as the setting says, the newest first', () => {
    using temp = clinic()
    temp.setPartner()
    const [own] = temp.endpoints.list()
    const endpointId = own?.endpointId ?? ''
    const secrets = () => temp.endpoints.targetFor('report.delivered')?.secrets
    temp.clock.pass(HOUR)
    expect(
      temp.endpoints.rotateSecret(endpointId, { secret: NEXT, endOthersNow: false }, OWNER),
    ).toMatchObject({
      secret: null,
      secrets: [
        { createdAt: '2026-03-10T10:00:00.000Z', endsAt: null },
        { createdAt: '2026-03-10T09:00:00.000Z', endsAt: '2026-03-11T10:00:00.000Z' },
      ],
    })
    temp.clock.pass(HOUR)
    temp.endpoints.rotateSecret(endpointId, { secret: LAST, endOthersNow: false }, OWNER)
    expect(secrets()).toEqual([LAST, NEXT, SECRET])
    temp.clock.pass(23 * HOUR)
    expect(secrets()).toEqual([LAST, NEXT])
    temp.store.settings.change({ 'partner.secretOverlapHours': 0 }, OWNER)
    expect(secrets()).toEqual([LAST])
    temp.store.settings.change({ 'partner.secretOverlapHours': 720 }, OWNER)
    expect(secrets()).toEqual([LAST, NEXT, SECRET])
    const made = temp.endpoints.rotateSecret(endpointId, { endOthersNow: true }, OWNER).secret
    expect(secrets()).toEqual([made])
    expect(temp.actions().filter((action) => action === 'endpoint.rotate-secret')).toHaveLength(3)
  })

  it('sign for another partner with the newest secret only', () => {
    using temp = clinic()
    temp.setPartner()
    const endpointId = temp.endpoints.list()[0]?.endpointId ?? ''
    temp.endpoints.rotateSecret(endpointId, { secret: NEXT, endOthersNow: false }, OWNER)
    temp.endpoints.change(endpointId, { url: 'https://ris.example/moved' }, OWNER)
    expect(temp.endpoints.targetFor('report.delivered')?.secrets).toEqual([NEXT, SECRET])
    temp.endpoints.change(endpointId, { url: 'https://other.example/' }, OWNER)
    expect(temp.endpoints.targetFor('report.delivered')?.secrets).toEqual([NEXT])
  })

  it('list the hosts that may be called in the clear, as long as one of them may be', () => {
    using temp = clinic()
    temp.setPartner()
    const listed = () => temp.store.settings.get('partner.plaintextHosts')
    const plain = { url: 'http://10.0.0.5:8080/hook', allowPlaintext: true }
    expect(() =>
      temp.add({ ...plain, allowPlaintext: false, apiKeyId: temp.makeKey('x') }),
    ).toThrow(refused('body.allowPlaintext'))
    const first = temp.add({ ...plain, apiKeyId: temp.makeKey('a') })
    const second = temp.add({ ...plain, apiKeyId: temp.makeKey('b') })
    expect(listed()).toEqual(['10.0.0.5:8080'])
    temp.endpoints.remove(first.endpointId, OWNER)
    expect(listed()).toEqual(['10.0.0.5:8080'])
    expect(() =>
      temp.endpoints.change(second.endpointId, { allowPlaintext: false }, OWNER),
    ).toThrow(refused('body.allowPlaintext'))
    temp.endpoints.change(
      second.endpointId,
      { url: 'https://10.0.0.5:8080/hook', allowPlaintext: false },
      OWNER,
    )
    expect(listed()).toEqual([])
  })

  it('remember the newest fifty hosts that were refused, until they are allowed', () => {
    using temp = clinic()
    temp.setPartner()
    const endpointId = temp.endpoints.list()[0]?.endpointId ?? ''
    for (let at = 0; at < 60; at++)
      temp.refusedHosts.note(endpointId, `https://s${at}.example/file?signature=secret`)
    temp.refusedHosts.note(endpointId, 'https://files.example:8443/x')
    temp.refusedHosts.note(endpointId, 'http://plain.example/x')
    temp.refusedHosts.note(endpointId, 'file:///etc/passwd')
    temp.refusedHosts.note(endpointId, 'no address')
    const hosts = () => temp.endpoints.list()[0]?.refusedHosts.map(({ host }) => host)
    expect(hosts()).toHaveLength(50)
    expect(hosts()?.slice(0, 3)).toEqual(['plain.example:80', 'files.example:8443', 's59.example'])
    temp.endpoints.change(endpointId, { fileHosts: ['files.example:8443'] }, OWNER)
    expect(hosts()).not.toContain('files.example:8443')
    expect(findEndpoint(temp.store.database, endpointId)?.fileHosts).toEqual(['files.example:8443'])
  })

  it('refuse a key that is not there or was revoked, and endpoints that are not there', () => {
    using temp = clinic()
    const revoked = temp.makeKey('old')
    temp.revokeKey(revoked)
    for (const apiKeyId of [revoked, '3f1b6c58-6a0e-4f8a-9f0e-7b1f5d0c2a11'])
      expect(() => temp.add({ apiKeyId })).toThrow(refused('body.apiKeyId'))
    expect(() => temp.add({ url: 'ftp://reading.example/' })).toThrow(
      expect.objectContaining({ code: 'malformed' }),
    )
    expect(() => temp.add({ secret: 'whsec_short' })).toThrow(
      expect.objectContaining({ code: 'malformed' }),
    )
    expect(() => temp.endpoints.change('nothing', {}, OWNER)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    expect(() => temp.endpoints.rotateSecret('nothing', { endOthersNow: false }, OWNER)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    expect(listEndpoints(temp.store.database)).toEqual([])
  })
})

describe('the endpoint of a report', () => {
  it('is that of the key that made its study, or the reason why there is none', () => {
    using temp = clinic()
    const { ofReports } = temp
    const report = (n: number, apiKeyId: string | null) => {
      const [studyId, reportId, userId] = [
        `stu_${String(n).padStart(32, '0')}`,
        `rep_${String(n).padStart(32, '0')}`,
        idFromUuid('usr', temp.uuid()),
      ]
      const at = '2026-03-10T09:00:00.000Z'
      const { database } = temp.store
      insertUser(database, {
        ...{
          userId,
          email: `r${n}@clinic.example`,
          firstName: 'Rita',
          lastName: 'Reader',
          level: 'member',
          clinicRole: 'Radiologist',
        },
        ...{
          canManageStudies: false,
          canCreateReports: true,
          hasDashboardAccess: true,
          middleName: null,
          suffix1: null,
          suffix2: null,
        },
        ...{
          phoneNumber: null,
          npiNumber: null,
          invitedSource: 'api',
          passwordHash: null,
          createdAt: at,
          updatedAt: at,
          lastLoginAt: null,
          deactivatedAt: null,
        },
      } as unknown as Parameters<typeof insertUser>[1])
      insertStudy(database, {
        ...{
          studyId,
          area: 'scribe',
          studyInstanceUid: `1.2.${n}`,
          studyDescription: 'CT',
          severity: 'normal',
          status: 'completed',
          cancelledAt: null,
        },
        ...{
          createdAt: at,
          updatedAt: at,
          assignedTo: null,
          expressCustomerId: null,
          createdByApiKeyId: apiKeyId,
          createdByUserId: null,
          detail: {},
        },
      } as Parameters<typeof insertStudy>[1])
      insertReport(database, {
        ...{
          reportId,
          studyId,
          userId,
          isAddendum: false,
          status: 'in_progress',
          signedAt: null,
          isCritical: null,
          snapshotMetadata: {},
        },
        ...{ plainText: null, createdAt: at, updatedAt: at },
      } as NewReportRecord)
      addOutboxJob(database, {
        kind: 'report.delivered',
        subject: reportId,
        lane: studyId,
        payload: {},
        at,
      })
      return reportId
    }
    const apiKeyId = temp.makeKey('Teleradiology')
    const [own, keyed] = [report(1, null), report(2, apiKeyId)]
    expect(ofReports.of(own)).toEqual({ whyNot: 'no endpoint receives reports' })
    expect(ofReports.waiting()).toEqual(new Map())
    temp.setPartner()
    const reading = temp.add({ apiKeyId })
    const [partner] = temp.endpoints.list()
    expect(ofReports.of(own)).toEqual({ endpointId: partner?.endpointId })
    expect(ofReports.of(keyed)).toEqual({ endpointId: reading.endpointId })
    expect(temp.endpoints.list().map(({ waiting }) => waiting)).toEqual([1, 1])
    temp.endpoints.switchOff(reading.endpointId)
    expect(ofReports.of(keyed)).toEqual({ whyNot: 'its endpoint is disabled' })
    expect(ofReports.waiting().get(reading.endpointId)).toBe(1)
    temp.endpoints.remove(reading.endpointId, OWNER)
    expect(ofReports.of(keyed)).toEqual({ endpointId: partner?.endpointId })
    pruneEndpointSecrets(temp.store.database, partner?.endpointId ?? '', 0)
    expect(ofReports.of(keyed)).toEqual({ whyNot: 'its endpoint has no signing secret' })
  })
})
