import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { logFilesOf } from '#server/platform/log-file.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { ShellStatus } from '#shared/contract/shell.ts'
import { isthmus, serving } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { signIn, startGateway } from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import { keyCall } from '../support/interface.ts'
import {
  furnishReporting,
  NORMAL,
  newScribeStudy,
  RADIOLOGIST,
  readingWindow,
} from '../support/reporting-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'
import { queryWorklist, rejectionOf } from '../support/worklist-client.ts'

// The gateway as who keeps it running sees it: health, metrics, logs, the state for the tray, safe
// mode, the way to an update.
vi.setConfig({ testTimeout: 180_000 })

const metricsOf = async (http: string) => (await httpCall(`${http}/metrics`)).text

describe('a gateway that is watched', () => {
  it('is healthy and ready, and counts what devices and partners did, without a word about who they are', async () => {
    await using started = await startGateway()
    const { http, dimsePort } = started
    expect((await queryWorklist(dimsePort)).status).toBe('0000')
    expect(await rejectionOf(dimsePort, { callingAeTitle: 'STRANGER' })).toBe('1/1/3')
    await expect(
      signIn(http, { email: 'owner@clinic.example', password: 'not this one' }),
    ).rejects.toThrow(/no session: 401/)

    expect(await httpCall(`${http}/healthz`)).toMatchObject({ status: 200, text: 'ok\n' })
    expect(await httpCall(`${http}/readyz`)).toMatchObject({ status: 200, json: { ready: true } })
    const text = await metricsOf(http)
    for (const line of [
      'isthmus_associations_total{outcome="accepted"} 1',
      'isthmus_associations_rejected_total{reason="calling-ae-title"} 1',
      'isthmus_c_find_total{outcome="success"} 1',
      'isthmus_c_find_seconds_count 1',
      'isthmus_webhook_calls_total{event="modality_worklist.requested",outcome="accepted"} 1',
      'isthmus_sign_ins_failed_total 1',
      'isthmus_safe_mode 0',
    ])
      expect(text).toContain(`${line}\n`)
    expect(text).not.toMatch(/STRANGER|CT1|owner@|127\.0\.0\.1/)
  })

  it('tells the tray how it stands: well, and without its partner', async () => {
    await using started = await startGateway({
      overrides: { 'setup.isDone': true, 'worklist.freshSeconds': 0 },
    })
    const status = async () =>
      ShellStatus.parse(JSON.parse((await isthmus(['status', '--data', started.folder])).stdout))
    expect(await status()).toMatchObject({
      isSafe: false,
      tray: 'ok',
      lines: [],
      openAssociations: 0,
      update: { isAutomatic: false, at: '03:30' },
    })
    started.partner.setScenario('down')
    await queryWorklist(started.dimsePort)
    const away = await status()
    expect(away).toMatchObject({
      tray: 'partner-away',
      attention: [{ kind: 'partner-away', count: 1, since: expect.any(String) }],
    })
    expect(away.lines[0]).toMatch(/^Partner unreachable \(since/)
  })
})

describe('a gateway in safe mode', () => {
  it('serves the window of this PC and no device, sends nothing, and says so', async () => {
    using temp = tempFolder()
    const { folder } = temp
    const key = await furnishReporting(folder)
    {
      using context = openContext({ folder })
      context.settings.change(
        { 'https.isOn': true, 'https.host': '127.0.0.1', 'https.port': await freePort() },
        'command-line',
      )
    }
    await using gateway = await serving(folder, '--safe-mode')
    expect(gateway.ready).toEqual({ ready: true, http: gateway.http, safeMode: true })

    // A report that is signed now waits.
    const { studyId } = await newScribeStudy(keyCall(gateway.http, key).call)
    await readingWindow(await signIn(gateway.http, RADIOLOGIST), studyId).report(NORMAL)
    await vi.waitFor(async () =>
      expect(await metricsOf(gateway.http)).toContain(
        'isthmus_outbox_waiting{kind="report.delivered"} 1',
      ),
    )
    const text = await metricsOf(gateway.http)
    expect(text).toContain('isthmus_outbox_waiting{kind="report.archive"} 1')
    expect(text).toContain('isthmus_safe_mode 1')
    expect(await httpCall(`${gateway.http}/healthz`)).toMatchObject({ status: 200 })
    expect(await httpCall(`${gateway.http}/readyz`)).toMatchObject({
      status: 503,
      json: {
        checks: expect.arrayContaining([
          {
            name: 'listeners',
            ok: false,
            detail: 'The gateway is in safe mode and serves no devices.',
          },
        ]),
      },
    })

    const call = await signIn(gateway.http)
    const { banner, listeners } = await call(dashboard.status, {})
    expect(banner).toEqual({ tone: 'danger', text: expect.stringContaining('safe mode') })
    expect(listeners.map(({ name }) => name)).toEqual(['http'])
    expect((await call(dashboardToday.today, {})).items[0]).toMatchObject({
      kind: 'safe-mode',
      tone: 'danger',
      mayAct: true,
    })
    const { stdout } = await isthmus(['status', '--data', folder])
    expect(ShellStatus.parse(JSON.parse(stdout))).toMatchObject({
      isSafe: true,
      tray: 'listener-down',
    })
    const doctor = await isthmus(['doctor', '--data', folder])
    expect(doctor.stdout).toContain(`ok    Isthmus is running at ${gateway.http}.`)

    // Started as ever, it goes on with what waited.
    expect(await gateway.end('SIGTERM')).toBe(0)
    await using again = await serving(folder)
    await vi.waitFor(
      async () =>
        expect(await metricsOf(again.http)).toContain(
          'isthmus_outbox_waiting{kind="report.archive"} 0',
        ),
      10_000,
    )
  })
})

describe('a gateway that logs to a file', () => {
  it('has its lines there and not on stderr, and doctor says where', async () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'logs', 'gateway.log')
    await using gateway = await serving(temp.folder, '--log-file', file)
    await rejectionOf(gateway.dimsePort, { callingAeTitle: 'STRANGER' })
    const [kept] = logFilesOf(file)
    const lines = () => readFileSync(kept?.path ?? '', 'utf8')
    await vi.waitFor(() => expect(lines()).toContain('association rejected'))
    expect(lines()).toContain('"msg":"ready"')
    expect(gateway.stderr).toEqual([])
    const { stdout } = await isthmus(['doctor', '--data', temp.folder])
    expect(stdout).toContain(`ok    The log is ${kept?.path}, 0.0 MB.`)
    expect(stdout).toContain(
      `ok    Monitoring programs can use ${gateway.http}/healthz, /readyz and /metrics.`,
    )
  })
})

describe('a gateway that is about to be updated', () => {
  it('makes a backup, and puts devices off', async () => {
    using temp = tempFolder()
    const folder = join(temp.folder, 'data')
    const backups = join(temp.folder, 'backups')
    mkdirSync(backups)
    await using gateway = await serving(folder, '--allow-unknown-devices')
    const prepare = () => isthmus(['prepare-update', '--data', folder])
    const refused = await prepare()
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toMatch(/folder/)
    expect(await rejectionOf(gateway.dimsePort, { callingAeTitle: 'CT1' })).toBe('A-ASSOCIATE-AC')

    await isthmus(['config', 'set', '--data', folder, 'backup.folder', backups])
    expect(await prepare()).toEqual({
      exitCode: 0,
      stdout: 'A backup was made, and no device is connected: the gateway can be stopped.\n',
      stderr: '',
    })
    // PS3.8 Table 9-21: transient, temporary congestion.
    expect(await rejectionOf(gateway.dimsePort, { callingAeTitle: 'CT1' })).toBe('2/3/1')
    const text = await metricsOf(gateway.http)
    expect(text).toMatch(/^isthmus_backup_age_seconds \d/m)
    expect(await gateway.end('SIGTERM')).toBe(0)
  })
})
