import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recogniseDevice, recordUnknownCall } from '#server/modules/devices/devices.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device, LintReport } from '#shared/contract/devices.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  openTestDashboard,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

/** What was asked of the other slices, and by whom. */
let asked: unknown[]
let gateway: TestDashboard
let admin: TestWindow
beforeEach(async () => {
  asked = []
  gateway = await openTestDashboard(
    {},
    {
      async echo(device) {
        asked.push(['echo', device.aeTitle])
        return { success: false, message: verbatim('Nobody listens there.'), tookMs: 3 }
      },
      worklist: {
        async lint(device, user) {
          asked.push(['lint', device.aeTitle, user.firstName])
          return LINT
        },
      },
    },
  )
  admin = await gateway.signedIn('admin')
})
afterEach(() => gateway[Symbol.asyncDispose]())

const LINT: LintReport = {
  ...{ profile: 'ge', source: 'GE conformance statement', inspectionId: 7, rows: 2, refused: 1 },
  findings: [
    {
      ...{
        severity: 'refused',
        patientName: 'MEIER^ANNA',
        scheduledProcedureStepId: 'S1',
        tag: '(0040,0009)',
      },
      ...{
        keyword: 'ScheduledProcedureStepID',
        text: verbatim('It has 17 characters; 16 are taken. Shorten it.'),
      },
    },
  ],
}

const list = async () =>
  dashboard.devices.reply.parse((await admin.call('GET', '/dashboard/devices')).json).devices
const add = async (json: unknown) =>
  dashboard.addDevice.reply.parse((await admin.call('POST', '/dashboard/devices', json)).json)
const problem = (answer: { json: unknown }) => Problem.parse(answer.json)

describe('a device', () => {
  it('is added with what the form leaves out, listed, changed and removed', async () => {
    const answer = await admin.call('POST', '/dashboard/devices', {
      aeTitle: ' CT1 ',
      address: '10.0.3.0/24',
      name: 'CT room 1',
      modality: 'ct',
    })
    expect(answer.status).toBe(201)
    const device = answer.json as Device
    expect(device).toEqual({
      deviceId: device.deviceId,
      aeTitle: 'CT1',
      address: '10.0.3.0/24',
      name: 'CT room 1',
      modality: 'CT',
      isEnabled: true,
      characterSet: null,
      stationMode: 'echo',
      alwaysSendCharacterSet: false,
      daysBack: null,
      daysForward: null,
      maxRows: null,
      port: null,
      profile: 'standard',
      hideStarted: false,
      countsBytes: false,
      tls: 'optional',
      certificate: null,
      retrieval: 'none',
      createdAt: '2026-11-20T09:00:00.000Z',
      updatedAt: '2026-11-20T09:00:00.000Z',
      lastSeenAt: null,
      lastAddress: null,
    })
    expect(await list()).toEqual([device])

    gateway.advance(1000)
    const path = `/dashboard/devices/${device.deviceId}`
    const changed = await admin.call('PATCH', path, { characterSet: 'ISO_IR 100', address: null })
    expect(changed.json).toEqual({
      ...device,
      characterSet: 'ISO_IR 100',
      address: null,
      updatedAt: '2026-11-20T09:00:01.000Z',
    })
    expect(recogniseDevice(gateway.store, 'ct1', '192.168.1.1')?.characterSet).toBe('ISO_IR 100')

    expect((await admin.call('DELETE', path)).json).toEqual({ success: true })
    expect(await list()).toEqual([])
    expect((await admin.call('DELETE', path)).status).toBe(404)
    expect((await admin.call('PATCH', path, { name: 'x' })).status).toBe(404)
  })

  it('is refused with its fields named', async () => {
    const answer = await admin.call('POST', '/dashboard/devices', {
      aeTitle: 'WITH\\BACKSLASH',
      daysBack: 40,
      characterSet: 'UTF-8',
    })
    expect(answer.status).toBe(400)
    expect(problem(answer).errors.map(({ path }) => path)).toEqual([
      'body.aeTitle',
      'body.characterSet',
      'body.daysBack',
    ])
    const nowhere = await admin.call('POST', '/dashboard/devices', {
      aeTitle: 'CT1',
      address: '10.0.3.300',
    })
    expect([nowhere.status, problem(nowhere).errors[0]?.path]).toEqual([400, 'body.address'])
  })

  it('is refused where another has its AE title and address', async () => {
    await add({ aeTitle: 'CT1', address: '10.0.3.7' })
    const twin = await admin.call('POST', '/dashboard/devices', {
      aeTitle: 'CT1',
      address: '10.0.3.7',
    })
    expect([twin.status, problem(twin).errors[0]?.path]).toEqual([422, 'body.aeTitle'])
    await add({ aeTitle: 'CT1', address: '10.0.3.8' })
    expect(await list()).toHaveLength(2)
  })

  it('is changed under the name of who did it', async () => {
    const device = await add({ aeTitle: 'CT1' })
    const audit = dashboard.audit.reply.parse(
      (await admin.call('GET', '/dashboard/audit?limit=1')).json,
    )
    expect(audit.entries).toMatchObject([
      {
        action: 'device.add',
        target: device.deviceId,
        actor: expect.stringMatching(/^user:usr_[0-9a-f]{32}$/),
      },
    ])
  })
})

describe('an unknown caller', () => {
  const caller = { aeTitle: 'MR1', address: '10.0.4.9' }
  beforeEach(() =>
    recordUnknownCall(gateway.store, {
      ...caller,
      calledAeTitle: 'ISTHMUS',
      services: ['Modality Worklist'],
    }),
  )

  it('waits in the inbox', async () => {
    const answer = await admin.call('GET', '/dashboard/callers')
    expect(answer.json).toEqual({
      callers: [
        {
          ...caller,
          calledAeTitle: 'ISTHMUS',
          attempts: 1,
          firstAt: '2026-11-20T09:00:00.000Z',
          lastAt: '2026-11-20T09:00:00.000Z',
          services: ['Modality Worklist'],
        },
      ],
    })
  })

  it('becomes a device at its address, or at any', async () => {
    const approved = await admin.call('POST', '/dashboard/callers/approve', {
      ...caller,
      name: 'MR',
      modality: 'MR',
    })
    expect([approved.status, approved.json]).toMatchObject([
      201,
      { ...caller, name: 'MR', modality: 'MR', isEnabled: true },
    ])
    expect((await admin.call('GET', '/dashboard/callers')).json).toEqual({ callers: [] })
    expect(
      (await admin.call('POST', '/dashboard/callers/approve', { ...caller, modality: null }))
        .status,
    ).toBe(404)

    await recordUnknownCall(gateway.store, {
      ...caller,
      aeTitle: 'US1',
      calledAeTitle: 'ISTHMUS',
      services: [],
    })
    const anywhere = await admin.call('POST', '/dashboard/callers/approve', {
      ...caller,
      aeTitle: 'US1',
      modality: null,
      anyAddress: true,
    })
    expect(anywhere.json).toMatchObject({ aeTitle: 'US1', address: null })
  })

  it('is dismissed until it calls again', async () => {
    expect((await admin.call('POST', '/dashboard/callers/dismiss', caller)).json).toEqual({
      success: true,
    })
    expect((await admin.call('GET', '/dashboard/callers')).json).toEqual({ callers: [] })
    expect(
      (
        await admin.call('POST', '/dashboard/callers/dismiss', {
          aeTitle: 'MR1',
          address: randomUUID(),
        })
      ).status,
    ).toBe(404)
  })
})

describe('a device that is tested', () => {
  it('is called, and has its rows checked, as who asked', async () => {
    const device = await add({ aeTitle: 'CT1', port: 104, profile: 'ge' })
    const path = `/dashboard/devices/${device.deviceId}`
    const echo = { success: false, message: verbatim('Nobody listens there.'), tookMs: 3 }
    expect(
      dashboard.echoDevice.reply.parse((await admin.call('POST', `${path}/echo`)).json),
    ).toEqual(echo)
    expect(
      dashboard.lintDevice.reply.parse((await admin.call('POST', `${path}/lint`)).json),
    ).toEqual(LINT)
    expect(asked).toEqual([
      ['echo', 'CT1'],
      ['lint', 'CT1', 'Vera'],
    ])
  })

  it('is one that is in the list', async () => {
    for (const test of ['echo', 'lint']) {
      const answer = await admin.call('POST', `/dashboard/devices/${randomUUID()}/${test}`)
      expect(problem(answer)).toMatchObject({ status: 404, message: 'There is no such device.' })
    }
    expect(asked).toEqual([])
  })
})
