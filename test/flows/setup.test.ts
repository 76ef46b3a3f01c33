import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { restoreDataKey, restoreFolder } from '#server/modules/backups/restore-command.ts'
import { connectAsModality } from '#server/modules/devices/modality-simulation.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { isthmus } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { type StartedGateway, signIn, startGateway } from '../support/gateway.ts'
import { saying } from '../support/saying.ts'
import { tempFolder } from '../support/temp-store.ts'

const NO_KEYS = { modality: '', startDate: '' }
const visit = (gateway: StartedGateway, aeTitle = 'CT1') =>
  connectAsModality(
    { host: '127.0.0.1', port: gateway.dimsePort, aeTitle: 'ISTHMUS' },
    aeTitle,
    NO_KEYS,
  )

/** Makes a recovery key and confirms it, as the wizard does. */
async function recoveryKeyOf({ call }: Pick<StartedGateway, 'call'>): Promise<string> {
  const { recoveryKey, asked } = await call(dashboardSetup.makeRecoveryKey, {})
  const groups = asked.map((at) => recoveryKey.split('-')[at] ?? '')
  expect(await call(dashboardSetup.confirmRecoveryKey, { body: { groups } })).toMatchObject({
    state: 'ready',
  })
  return recoveryKey
}

async function backedUp({ call }: Pick<StartedGateway, 'call'>) {
  await call(dashboardSetup.makeBackup, {})
  for (;;) {
    const state = await call(dashboardSetup.backups, {})
    if (!state.running) return state
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

it('reads off what is really there how far the set-up is, and goes on from there after a restart', async () => {
  using temp = tempFolder()
  {
    await using gateway = await startGateway({ folder: temp.folder, partner: null, devices: [] })
    const { call } = gateway
    expect(await call(dashboardSetup.state, {})).toMatchObject({
      done: ['owner'],
      isDone: false,
      partner: { url: null, events: [] },
      devices: [],
    })
    await call(dashboard.changeSettings, {
      body: { settings: { 'clinic.name': 'North Clinic', 'clinic.timeZone': 'Europe/Berlin' } },
    })
    await recoveryKeyOf(gateway)
  }
  await using gateway = await startGateway({ folder: temp.folder, partner: null })
  const { done, clinic, recovery } = await gateway.call(dashboardSetup.state, {})
  expect(done).toEqual(['clinic', 'owner', 'recovery'])
  expect(clinic).toMatchObject({ name: 'North Clinic', timeZone: 'Europe/Berlin' })
  expect(recovery.state).toBe('ready')
  await gateway.call(dashboardSetup.finish, {})
  expect((await gateway.call(dashboardSetup.state, {})).isDone).toBe(true)
  expect((await gateway.call(dashboard.session, {})).needsSetup).toBe(false)
})

it('hears the first device: refused, let in, then given its worklist', async () => {
  await using gateway = await startGateway({
    devices: [],
    partner: { worklist: (day) => worklistDay(day) },
  })
  const { call } = gateway
  await expect(visit(gateway)).rejects.toThrow(
    /does not recognise the calling AE title CT1.*Approve CT1 under Devices/,
  )
  const [caller] = (await call(dashboard.callers, {})).callers
  expect(caller).toMatchObject({ aeTitle: 'CT1', address: '127.0.0.1' })
  await call(dashboard.approveCaller, { body: { aeTitle: 'CT1', address: '127.0.0.1' } })
  const { exams } = await visit(gateway)
  expect(exams.length).toBeGreaterThan(20)
  expect(exams[0]).toMatchObject({
    patientName: expect.stringContaining('^'),
    modality: expect.stringMatching(/^[A-Z]{2}$/),
    startTime: expect.stringMatching(/^\d{4}/),
  })
  const state = await call(dashboardSetup.state, {})
  expect(state.devices).toMatchObject([
    { aeTitle: 'CT1', asked: { exams: exams.length, status: '0000' } },
  ])
  expect(state.done).toContain('device')
  expect(state.dicom).toMatchObject({ aeTitle: 'ISTHMUS', port: gateway.dimsePort })
})

it('says nothing of a query that somebody made in the window as the device', async () => {
  await using gateway = await startGateway()
  const [device] = (await gateway.call(dashboard.devices, {})).devices
  await gateway.call(dashboard.askWorklist, { body: { deviceId: device?.deviceId ?? '' } })
  expect((await gateway.call(dashboardSetup.state, {})).devices).toMatchObject([{ asked: null }])
})

it('knows of each event how its newest call ended', async () => {
  await using gateway = await startGateway()
  const { call } = gateway
  const before = (await call(dashboardSetup.state, {})).partner
  expect(before.events.map(({ type, outcome }) => [type, outcome])).toEqual(
    EVENT_TYPES.map((type) => [type, 'none']),
  )
  const endpointId = before.endpointId ?? ''
  for (const type of EVENT_TYPES)
    expect(await call(dashboardEvents.test, { body: { type, endpointId } })).toMatchObject({
      success: true,
    })
  const after = await call(dashboardSetup.state, {})
  expect(after.partner.events.map(({ outcome }) => outcome)).toEqual(
    EVENT_TYPES.map(() => 'accepted'),
  )
  expect(after.done).toContain('partner')
  gateway.partner.setScenario('refuse')
  await call(dashboardEvents.test, { body: { type: 'modality_worklist.requested', endpointId } })
  expect((await call(dashboardSetup.state, {})).done).not.toContain('partner')
})

it('makes a recovery key, shown once, which somebody confirms by two groups', async () => {
  await using gateway = await startGateway()
  const { call } = gateway
  await expect(
    call(dashboardSetup.confirmRecoveryKey, { body: { groups: ['AAAA', 'BBBB'] } }),
  ).rejects.toThrow(/create another one/)
  const { recoveryKey, asked } = await call(dashboardSetup.makeRecoveryKey, {})
  expect(asked).toHaveLength(2)
  expect(new Set(asked).size).toBe(2)
  expect(existsSync(join(gateway.folder, 'recovery.key'))).toBe(false)
  await expect(
    call(dashboardSetup.confirmRecoveryKey, { body: { groups: ['UUUU', 'UUUU'] } }),
  ).rejects.toThrow(/not the key that was shown/)
  const groups = asked.map((at) => ` ${recoveryKey.split('-')[at]?.toLowerCase()} `)
  await call(dashboardSetup.confirmRecoveryKey, { body: { groups } })
  await expect(call(dashboardSetup.confirmRecoveryKey, { body: { groups } })).rejects.toThrow(
    /create another one/,
  )
  const { entries } = await call(dashboard.audit, { query: { action: 'recovery-key' } })
  expect(entries).toMatchObject([{ action: 'recovery-key.make', detail: { replaces: null } }])
  expect(JSON.stringify(entries) + gateway.log.join('')).not.toContain(recoveryKey.slice(0, 9))
})

it('brings a clinic back on another PC from its backup and the sheet of paper', async () => {
  using target = tempFolder()
  using elsewhere = tempFolder()
  let recoveryKey = ''
  {
    await using gateway = await startGateway({ devices: [{ aeTitle: 'CT1' }, { aeTitle: 'MR1' }] })
    recoveryKey = await recoveryKeyOf(gateway)
    expect(
      await gateway.call(dashboardSetup.setBackupFolder, { body: { folder: target.folder } }),
    ).toMatchObject({ isUsed: true })
    const { last, backups } = await backedUp(gateway)
    expect(last).toMatchObject({
      success: true,
      sentence: expect.stringMatching(/was made, opened and compared/),
    })
    expect(backups).toMatchObject([{ hasRecoveryKey: true }])
    expect(
      (await gateway.call(dashboard.audit, { query: { action: 'backup.make' } })).entries,
    ).toHaveLength(1)
  }
  const [name = ''] = readdirSync(target.folder)
  const restored = await restoreFolder({
    ...{
      folder: elsewhere.folder,
      from: join(target.folder, name),
      recoveryKey,
      isAgreed: false,
      now: Date.now(),
    },
    onProgress: () => {},
  })
  expect(restored).toMatchObject({
    isDone: true,
    text: expect.stringContaining(`${name} was restored to `),
  })
  expect(restoreDataKey(elsewhere.folder, recoveryKey)).toMatch(/nothing was changed/)
  await using again = await startGateway({ folder: elsewhere.folder, partner: null })
  expect(
    (await again.call(dashboard.devices, {})).devices.map(({ aeTitle }) => aeTitle).sort(),
  ).toEqual(['CT1', 'MR1'])
  expect(await again.call(dashboard.verifyAudit, {})).toMatchObject({ isIntact: true })
})

it('does not recover a folder that a gateway has open', async () => {
  await using gateway = await startGateway()
  expect(() => restoreDataKey(gateway.folder, 'any')).toThrow(/A gateway is running on/)
})

it('refuses a backup folder that will not do, and one backup while another is made', async () => {
  using target = tempFolder()
  await using gateway = await startGateway()
  const { call, folder } = gateway
  await expect(call(dashboardSetup.makeBackup, {})).rejects.toThrow(/Choose a folder/)
  const use = (given: string) => call(dashboardSetup.setBackupFolder, { body: { folder: given } })
  expect(await use('backups')).toMatchObject({
    isUsed: false,
    findings: [{ sentence: 'This is not a full path.' }],
  })
  expect(await use(join(folder, 'backups'))).toMatchObject({
    isUsed: false,
    findings: [{ sentence: saying('inside the data folder') }],
  })
  expect(await use(join(gateway.folder, 'gateway.sqlite', 'x'))).toMatchObject({ isUsed: false })
  const made = await use(join(target.folder, 'new', 'backups'))
  expect(made).toMatchObject({ isUsed: true })
  expect(made.findings).toContainEqual(
    expect.objectContaining({ verdict: 'warn', sentence: saying('same disk') }),
  )
  const [, second] = await Promise.allSettled([
    backedUp(gateway),
    call(dashboardSetup.makeBackup, {}),
  ])
  if (second?.status === 'rejected') expect(String(second.reason)).toMatch(/already being made/)
  rmSync(target.folder, { recursive: true, force: true })
  expect((await call(dashboardSetup.backups, {})).fault).toEqual(saying(/cannot be read/))
})

it('looks at its own network: calls itself, names its addresses, and says what an administrator may run', async () => {
  await using gateway = await startGateway()
  const { findings } = await gateway.call(dashboardSetup.selfTest, {})
  const of = (check: string) => findings.find((one) => one.check === check)
  expect(of('dicom')).toMatchObject({ verdict: 'ok' })
  // The test's listener takes calls of this PC only: that is what a clinic must be told.
  expect(of('addresses')).toMatchObject({
    verdict: 'bad',
    remedy: saying('Set the listen address for devices to 0.0.0.0'),
  })
  expect(of('echo')).toMatchObject({
    verdict: 'ok',
    sentence: `The gateway responds to a DICOM echo (C-ECHO) at 127.0.0.1, port ${gateway.dimsePort}.`,
  })
  expect(of('firewall')).toMatchObject({ verdict: 'warn' })
  expect(of('firewall')?.commands.join()).toContain(String(gateway.dimsePort))
  expect(of('window')).toMatchObject({ verdict: 'ok' })
  expect((await gateway.call(dashboard.callers, {})).callers).toEqual([])
})

it('names the program that holds the port of a listener that is down', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await using gateway = await startGateway({ overrides: { 'dimse.tlsPort': port } })
  const { findings } = await gateway.call(dashboardSetup.selfTest, {})
  await new Promise((resolve) => server.close(resolve))
  expect(findings.find(({ check }) => check === 'dicom-tls')).toMatchObject({
    verdict: 'bad',
    sentence: saying(`(process ${process.pid}) already uses that port`),
  })
})

it('scores what is there, and lets nobody but who manages the gateway see it', async () => {
  await using gateway = await startGateway({
    async prepare(context) {
      const people = openAccounts(context)
      const login = { email: 'm@clinic.example', password: 'a long and quiet evening' }
      await people.createUser(
        { ...login, firstName: 'M', lastName: 'M', level: 'member', clinicRole: 'Other' },
        'command-line',
      )
    },
  })
  const { ready, all, findings } = await gateway.call(dashboardSetup.readiness, {})
  expect(ready).toBe(findings.filter(({ verdict }) => verdict === 'ok').length)
  expect(all).toBe(findings.length)
  const verdicts = Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]))
  expect(verdicts).toMatchObject({
    owner: 'ok',
    partner: 'ok',
    device: 'ok',
    'device-seen': 'warn',
    'recovery-key': 'warn',
    backup: 'warn',
    audit: 'ok',
  })
  const member = await signIn(gateway.http, {
    email: 'm@clinic.example',
    password: 'a long and quiet evening',
  })
  await expect(member(dashboardSetup.readiness, {})).rejects.toThrow('403')
  await expect(member(dashboardSetup.makeRecoveryKey, {})).rejects.toThrow('403')
  await gateway.call(dashboard.addDevice, { body: NewDevice.parse({ aeTitle: 'MR1' }) })
})

it('recovers by the command line, and prints a link to sign in by', async () => {
  using temp = tempFolder()
  let recoveryKey = ''
  {
    await using gateway = await startGateway({ folder: temp.folder, partner: null })
    recoveryKey = await recoveryKeyOf(gateway)
  }
  rmSync(join(temp.folder, 'data.key'))
  const run = (key: string) =>
    isthmus(['recover', '--data', temp.folder, '--recovery-key-stdin'], key)
  expect(await run('0000-0000')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('This is not the recovery key'),
  })
  const recovered = await run(`${recoveryKey}\n`)
  expect(recovered).toMatchObject({ exitCode: 0, stderr: '' })
  expect(recovered.stdout).toMatch(
    /^data\.key was restored.*\nStart the gateway, then sign in with http:\S+sign-in\?token=\S+\n$/,
  )
}, 60_000)

it('says how the commands of the set-up are used', async () => {
  const uses: readonly (readonly [args: string[], words: string])[] = [
    [['recover', '--recovery-key-stdin'], 'recover needs --data DIR'],
    [['recover', '--data', 'x'], 'add --recovery-key-stdin'],
    [['simulator', 'modality', '--to', '127.0.0.1:104'], 'needs --ae-title'],
    [['simulator', 'modality', '--ae-title', 'CT1'], 'needs --to HOST:PORT'],
    [
      ['simulator', 'modality', '--ae-title', 'CT1', '--to', '127.0.0.1:104', '--date', 'today'],
      '--date takes a day',
    ],
  ]
  for (const [args, words] of uses)
    expect(await isthmus(args)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(words),
    })
  expect(
    await isthmus(['simulator', 'modality', '--ae-title', 'CT1', '--to', '127.0.0.1:1']),
  ).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('nothing is listening at 127.0.0.1:1'),
  })
}, 60_000)

it('takes a new gateway to its first exam with the simulated partner and the simulated CT', async () => {
  using temp = tempFolder()
  const port = await freePort()
  await using gateway = await startGateway({
    ...{ folder: temp.folder, partner: null, devices: [] },
    overrides: { 'setup.simulatorPort': port },
  })
  const { call } = gateway
  expect(await call(dashboardSetup.simulators, {})).toEqual({
    ...{ partnerUrl: null, hasPartner: false, deviceAeTitle: 'SIMULATOR', visit: null },
  })
  const withImages = () => call(dashboardSetup.visitAsDevice, { body: { withImages: true } })
  await expect(withImages()).rejects.toThrow('only for exams of the simulated partner')
  const early = await call(dashboardSetup.visitAsDevice, { body: { withImages: false } })
  expect(early.visit).toMatchObject({ exams: 0, images: 0 })
  expect(early.visit?.fault).not.toBeNull()

  const { partnerUrl } = await call(dashboardSetup.startPartnerSimulator, {})
  expect(partnerUrl).toBe(`http://127.0.0.1:${port}/webhooks`)
  expect(await call(dashboard.partner, {})).toMatchObject({ url: partnerUrl, hasSecret: true })
  const { visit } = await withImages()
  expect(visit).toMatchObject({ images: 12, fault: null })
  expect(visit?.exams).toBeGreaterThan(0)
  const { studies } = await call(dashboardImages.list, { query: {} })
  expect(studies).toMatchObject([
    { instances: 12, callingAeTitle: 'SIMULATOR', deviceName: 'Simulated CT' },
  ])
  // The images are of the exam that the device was sent, so the gateway finds its worklist row.
  expect(studies[0]?.accessionNumber).not.toBe('')

  expect(await call(dashboardSetup.stopPartnerSimulator, {})).toMatchObject({
    ...{ partnerUrl: null, hasPartner: false },
  })
  await call(dashboard.setPartner, {
    body: { url: 'http://127.0.0.1:9/webhooks', allowPlaintext: true },
  })
  await expect(call(dashboardSetup.startPartnerSimulator, {})).rejects.toThrow(
    'A partner is already configured.',
  )
  expect(await call(dashboardSetup.simulators, {})).toMatchObject({ hasPartner: true })
  // Its worklist is of real patients, who must not get invented images.
  await expect(withImages()).rejects.toThrow('only for exams of the simulated partner')
  expect((await call(dashboardImages.list, { query: {} })).studies).toHaveLength(1)
})
