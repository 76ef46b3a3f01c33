import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardRescue } from '#shared/contract/dashboard-backups.ts'
import { windowOperations } from '#shared/contract/operations.ts'
import { LEVELS, type Level } from '#shared/contract/people.ts'
import type { Operation } from '#shared/operation.ts'
import { openTestDashboard, type TestDashboard, type TestWindow } from './dashboard-fixture.ts'

let gateway: TestDashboard
const windows = {} as Record<Level, TestWindow>
beforeAll(async () => {
  gateway = await openTestDashboard()
  for (const level of LEVELS) windows[level] = await gateway.signedIn(level)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const names = (Object.keys(dashboard) as (keyof typeof dashboard)[]).filter(
  (name) => dashboard[name].access !== 'public',
)
const ask = (
  window: TestWindow,
  name: keyof typeof dashboard,
  headers?: Record<string, string>,
) => {
  const { method, path } = dashboard[name]
  const filled = path
    .replace(':deviceId', randomUUID())
    .replace(':inspectionId', '1')
    .replace(':use', 'https')
  return window.call(
    method,
    filled,
    method === 'GET' || method === 'DELETE' ? undefined : { nonsense: true },
    headers,
  )
}

describe.each(names)('%s', (name) => {
  it('is for nobody without a session', async () => {
    const answer = await ask(gateway.openWindow(), name)
    expect([answer.status, Problem.parse(answer.json).code]).toEqual([401, 'not-signed-in'])
  })

  it.each(LEVELS)('keeps to the level of an %s', async (level) => {
    const answer = await ask(windows[level], name)
    if (level === 'member' && dashboard[name].access.startsWith('manage'))
      expect(Problem.parse(answer.json)).toMatchObject({ status: 403, code: 'not-permitted' })
    else expect([401, 403]).not.toContain(answer.status)
  })

  it('is refused to a page of another origin', async () => {
    const answer = await ask(windows.owner, name, {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    })
    expect([answer.status, Problem.parse(answer.json).code]).toEqual([403, 'not-permitted'])
  })
})

it('leaves to members what a technologist does, and to owner and admin what changes the gateway', () => {
  const managed = names.filter((name) => dashboard[name].access.startsWith('manage'))
  expect(managed).toEqual([
    'lintDevice',
    'addDevice',
    'updateDevice',
    'removeDevice',
    'echoDevice',
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
  for (const name of ['session', 'status', 'feed'] as const)
    expect(await looksOf(name)).toEqual(['background'])
  for (const name of ['devices', 'inspections', 'addDevice'] as const)
    expect(await looksOf(name)).toEqual(['person'])
})

describe('the operations of the window', () => {
  const callsFor = (given: string) =>
    windowOperations().flatMap(({ name, operation: { access } }) =>
      access === given ? [name] : [],
    )

  // A call that is moved from one of these lists to another gives or takes somebody a right.
  it('are open to anybody: public', () => {
    expect(callsFor('public')).toEqual([
      'window.session',
      'window.signIn',
      'window.followLink',
      'window.createOwner',
      'window.signOut',
      'security.lock',
      'security.unlock',
      'security.thisWorkstation',
      'security.askForWorkstation',
      'people.invitation',
      'people.acceptInvitation',
      'people.rejectInvitation',
      'identityProvider.begin',
      'identityProvider.finish',
    ])
  })

  it('are refused to whoever is limited to some customers: every-patient', () => {
    expect(callsFor('every-patient')).toEqual([
      'window.inspections',
      'window.inspection',
      'window.askWorklist',
      'window.closeStep',
      'window.reopenStep',
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
      'window.lintDevice',
      'window.echoDevice',
      'window.callers',
      'window.dismissCaller',
      'window.partner',
      'window.testPartner',
      'window.certificates',
      'window.settings',
      'window.audit',
      'window.verifyAudit',
      'security.lanAccess',
      'people.people',
      'people.apiKeys',
      'people.mail',
      'people.testMail',
      'setup.state',
      'setup.finish',
      'setup.simulators',
      'setup.stopPartnerSimulator',
      'setup.visitAsDevice',
      'setup.selfTest',
      'setup.readiness',
      'setup.backups',
      'setup.makeBackup',
      'backups.state',
      'backups.make',
      'backups.rehearse',
      'backups.previewRestore',
      'backups.restore',
      'backups.restoreState',
      'backups.diagnostics',
      'update.state',
      'events.list',
      'events.read',
      'events.replay',
      'events.drop',
      'events.dryRun',
      'events.test',
      'events.meter',
      'events.endpoints',
      'destinations.echo',
      'tiers.list',
      'tiers.test',
      'tiers.changeMigration',
      'tiers.verify',
      'tiers.stopVerification',
      'lifecycle.overview',
      'lifecycle.preview',
      'erasures.preview',
      'erasures.list',
      'erasures.read',
      'serviceVisit.read',
      'serviceVisit.log',
      'dictation.test',
      'identityProvider.provider',
      'identityProvider.test',
      'otlpExport.state',
      'sandbox.read',
    ])
  })

  it('take an owner or administrator, and a recent proof of who is there: manage-confirmed', () => {
    expect(callsFor('manage-confirmed')).toEqual([
      'window.addDevice',
      'window.updateDevice',
      'window.removeDevice',
      'window.approveCaller',
      'window.setPartner',
      'window.renewCertificate',
      'window.changeSettings',
      'window.acknowledgeAudit',
      'security.resetSecondFactor',
      'security.setLanAccess',
      'security.approveWorkstation',
      'security.removeWorkstation',
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
      'setup.makeRecoveryKey',
      'setup.confirmRecoveryKey',
      'setup.startPartnerSimulator',
      'setup.setBackupFolder',
      'backups.remove',
      'update.goBack',
      'events.addEndpoint',
      'events.changeEndpoint',
      'events.removeEndpoint',
      'events.rotateSecret',
      'destinations.add',
      'destinations.update',
      'destinations.remove',
      'tiers.add',
      'tiers.update',
      'tiers.remove',
      'tiers.migrate',
      'lifecycle.add',
      'lifecycle.update',
      'lifecycle.remove',
      'lifecycle.switch',
      'lifecycle.run',
      'lifecycle.placeHold',
      'lifecycle.liftHold',
      'erasures.erase',
      'serviceVisit.values',
      'dictation.setSecret',
      'identityProvider.setSecret',
      'otlpExport.setSecret',
      'sandbox.switch',
      'sandbox.createKey',
      'sandbox.revokeKey',
      'sandbox.setWebhook',
      'sandbox.empty',
    ])
  })

  it('are for whoever has signed in: all others', () => {
    const known = [
      'public',
      'every-patient',
      'confirmed',
      'manage',
      'manage-confirmed',
      'signed-in',
    ].flatMap(callsFor)
    expect(known).toHaveLength(windowOperations().length)
  })

  it('can be called from a PC that nobody has approved only to ask for it, and with the link of an invitation', () => {
    const open = windowOperations().filter(
      ({ operation: { fromAnyWorkstation = false } }) => fromAnyWorkstation,
    )
    expect(open.map(({ name }) => name)).toEqual([
      ...['security.thisWorkstation', 'security.askForWorkstation'],
      ...['people.invitation', 'people.acceptInvitation', 'people.rejectInvitation'],
    ])
  })

  it('that a window repeats by itself change nothing, but for its lock and the hold of a draft', () => {
    const changes = windowOperations().filter(
      ({ operation: { method, background = false } }) => background && method !== 'GET',
    )
    expect(changes.map(({ name }) => name)).toEqual([
      'security.lock',
      'security.unlock',
      'reports.hold',
    ])
  })

  it('are all of the contract', async () => {
    const folder = new URL('../../../../../shared/contract/', import.meta.url)
    const files = await Promise.all(
      readdirSync(folder).map((file) => import(`${folder.href}${file}`) as Promise<object>),
    )
    const isOperation = (value: unknown): value is Operation =>
      typeof value === 'object' && value !== null && 'access' in value && 'path' in value
    const declared = files
      .flatMap((exported): unknown[] => Object.values(exported))
      .flatMap((group) =>
        typeof group === 'object' && group !== null ? Object.values(group).filter(isOperation) : [],
      )
      .filter(
        ({ path }) =>
          path.startsWith('/dashboard/') && !path.startsWith(dashboardRescue.state.path),
      )
    const callOf = ({ method, path }: Operation) => `${method} ${path}`
    expect(
      windowOperations()
        .map(({ operation }) => callOf(operation))
        .sort(),
    ).toEqual([...new Set(declared.map(callOf))].sort())
  })
})
