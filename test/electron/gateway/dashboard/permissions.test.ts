import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACTIVITY_PERMISSIONS } from '#gateway/dashboard/activity-permissions.ts'
import { CORRECTION_NOTICES_PERMISSIONS, CORRECTIONS_PERMISSIONS } from '#gateway/dashboard/corrections-permissions.ts'
import { DESTINATIONS_PERMISSIONS } from '#gateway/dashboard/destinations-permissions.ts'
import { EVENTS_PERMISSIONS } from '#gateway/dashboard/events-permissions.ts'
import { EXAMS_PERMISSIONS, RECONCILIATION_PERMISSIONS, TODAY_PERMISSIONS } from '#gateway/dashboard/exams-permissions.ts'
import { IMAGES_PERMISSIONS } from '#gateway/dashboard/images-permissions.ts'
import { PEOPLE_PERMISSIONS } from '#gateway/dashboard/people-permissions.ts'
import { PERMISSIONS } from '#gateway/dashboard/permissions.ts'
import { REPORTS_PERMISSIONS } from '#gateway/dashboard/reports-permissions.ts'
import { SECURITY_PERMISSIONS } from '#gateway/dashboard/security-permissions.ts'
import { SETUP_PERMISSIONS } from '#gateway/dashboard/setup-permissions.ts'
import { STUDIES_PERMISSIONS } from '#gateway/dashboard/studies-permissions.ts'
import { UPKEEP_PERMISSIONS } from '#gateway/dashboard/upkeep-permissions.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { LEVELS, type Level } from '#shared/contract/people.ts'
import { openTestDashboard, type TestDashboard, type TestWindow } from './dashboard-fixture.ts'

let gateway: TestDashboard
const windows = {} as Record<Level, TestWindow>
beforeAll(async () => {
  gateway = await openTestDashboard()
  for (const level of LEVELS) windows[level] = await gateway.signedIn(level)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const names = (Object.keys(dashboard) as (keyof typeof dashboard)[]).filter((name) => PERMISSIONS[name] !== 'public')
const ask = (window: TestWindow, name: keyof typeof dashboard, headers?: Record<string, string>) => {
  const { method, path } = dashboard[name]
  const filled = path.replace(':deviceId', randomUUID()).replace(':inspectionId', '1').replace(':use', 'https')
  return window.call(method, filled, method === 'GET' || method === 'DELETE' ? undefined : { nonsense: true }, headers)
}

describe.each(names)('%s', (name) => {
  it('is for nobody without a session', async () => {
    const answer = await ask(gateway.openWindow(), name)
    expect([answer.status, Problem.parse(answer.json).code]).toEqual([401, 'not-signed-in'])
  })

  it.each(LEVELS)('keeps to the level of an %s', async (level) => {
    const answer = await ask(windows[level], name)
    if (level === 'member' && PERMISSIONS[name].startsWith('manage'))
      expect(Problem.parse(answer.json)).toMatchObject({ status: 403, code: 'not-permitted' })
    else expect([401, 403]).not.toContain(answer.status)
  })

  it('is refused to a page of another origin', async () => {
    const answer = await ask(windows.owner, name, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
    expect([answer.status, Problem.parse(answer.json).code]).toEqual([403, 'not-permitted'])
  })
})

it('leaves to members what a technologist does, and to owner and admin what changes the gateway', () => {
  const managed = names.filter((name) => PERMISSIONS[name].startsWith('manage'))
  expect(managed).toEqual([
    'addDevice',
    'updateDevice',
    'removeDevice',
    'echoDevice',
    'lintDevice',
    'callers',
    'approveCaller',
    'dismissCaller',
    'partner',
    'setPartner',
    'testPartner',
    'certificates',
    'renewCertificate',
    'settings',
    'changeSettings',
    'audit',
    'verifyAudit',
    'acknowledgeAudit',
  ])
})

it('takes what an open window asks by itself for no sign of a person', async () => {
  const looksOf = async (name: keyof typeof dashboard) => {
    gateway.uses.length = 0
    await ask(windows.owner, name)
    return gateway.uses
  }
  for (const name of ['session', 'status', 'feed'] as const) expect(await looksOf(name)).toEqual(['background'])
  for (const name of ['devices', 'inspections', 'addDevice'] as const) expect(await looksOf(name)).toEqual(['person'])
})

describe('the calls of every table', () => {
  const TABLES = {
    dashboard: PERMISSIONS,
    activity: ACTIVITY_PERMISSIONS,
    corrections: CORRECTIONS_PERMISSIONS,
    notices: CORRECTION_NOTICES_PERMISSIONS,
    destinations: DESTINATIONS_PERMISSIONS,
    events: EVENTS_PERMISSIONS,
    exams: EXAMS_PERMISSIONS,
    reconciliation: RECONCILIATION_PERMISSIONS,
    today: TODAY_PERMISSIONS,
    images: IMAGES_PERMISSIONS,
    people: PEOPLE_PERMISSIONS,
    reports: REPORTS_PERMISSIONS,
    security: SECURITY_PERMISSIONS,
    setup: SETUP_PERMISSIONS,
    studies: STUDIES_PERMISSIONS,
    upkeep: UPKEEP_PERMISSIONS,
  }
  const callsFor = (access: string) =>
    Object.entries(TABLES).flatMap(([table, calls]) =>
      Object.entries(calls).flatMap(([name, given]) => (given === access ? [`${table}.${name}`] : [])),
    )

  // A call that is moved from one of these lists to another gives or takes somebody a right.
  it('are open to anybody: public', () => {
    expect(callsFor('public')).toEqual([
      'dashboard.session',
      'dashboard.signIn',
      'dashboard.followLink',
      'dashboard.createOwner',
      'dashboard.signOut',
      'people.invitation',
      'people.acceptInvitation',
      'people.rejectInvitation',
      'security.lock',
      'security.unlock',
      'security.thisWorkstation',
      'security.askForWorkstation',
    ])
  })

  it('are refused to whoever is limited to some customers: every-patient', () => {
    expect(callsFor('every-patient')).toEqual([
      'dashboard.inspections',
      'dashboard.inspection',
      'dashboard.askWorklist',
      'dashboard.closeStep',
      'dashboard.reopenStep',
      'exams.exams',
      'exams.refresh',
      'exams.explain',
      'reconciliation.read',
      'reconciliation.link',
      'reconciliation.keep',
      'reconciliation.notDone',
      'reconciliation.undo',
    ])
  })

  it('take a recent proof of who is there: confirmed', () => {
    expect(callsFor('confirmed')).toEqual(['reports.overrideIdentity'])
  })

  it('take an owner or administrator: manage', () => {
    expect(callsFor('manage')).toEqual([
      'dashboard.echoDevice',
      'dashboard.lintDevice',
      'dashboard.callers',
      'dashboard.dismissCaller',
      'dashboard.partner',
      'dashboard.testPartner',
      'dashboard.certificates',
      'dashboard.settings',
      'dashboard.audit',
      'dashboard.verifyAudit',
      'destinations.echo',
      'events.list',
      'events.read',
      'events.replay',
      'events.drop',
      'events.dryRun',
      'events.test',
      'events.meter',
      'events.endpoints',
      'people.people',
      'people.apiKeys',
      'people.mail',
      'people.testMail',
      'security.lanAccess',
      'setup.state',
      'setup.finish',
      'setup.selfTest',
      'setup.readiness',
      'setup.backups',
      'setup.makeBackup',
      'upkeep.state',
      'upkeep.make',
      'upkeep.rehearse',
      'upkeep.previewRestore',
      'upkeep.restore',
      'upkeep.restoreState',
      'upkeep.diagnostics',
    ])
  })

  it('take an owner or administrator, and a recent proof of who is there: manage-confirmed', () => {
    expect(callsFor('manage-confirmed')).toEqual([
      'dashboard.addDevice',
      'dashboard.updateDevice',
      'dashboard.removeDevice',
      'dashboard.approveCaller',
      'dashboard.setPartner',
      'dashboard.renewCertificate',
      'dashboard.changeSettings',
      'dashboard.acknowledgeAudit',
      'destinations.add',
      'destinations.update',
      'destinations.remove',
      'events.addEndpoint',
      'events.changeEndpoint',
      'events.removeEndpoint',
      'events.rotateSecret',
      'people.invitePerson',
      'people.updatePerson',
      'people.revokePerson',
      'people.reactivatePerson',
      'people.renewInvitation',
      'people.revokeInvitation',
      'people.createApiKey',
      'people.changeApiKey',
      'people.rotateApiKey',
      'people.revokeApiKey',
      'people.setMail',
      'security.resetSecondFactor',
      'security.setLanAccess',
      'security.approveWorkstation',
      'security.removeWorkstation',
      'setup.makeRecoveryKey',
      'setup.confirmRecoveryKey',
      'setup.setBackupFolder',
      'upkeep.remove',
    ])
  })

  it('are for whoever has signed in: all others', () => {
    const known = ['public', 'every-patient', 'confirmed', 'manage', 'manage-confirmed', 'signed-in'].flatMap(callsFor)
    expect(known).toHaveLength(Object.values(TABLES).flatMap((calls) => Object.keys(calls)).length)
  })
})
