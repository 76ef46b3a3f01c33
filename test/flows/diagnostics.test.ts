import { strFromU8, unzipSync } from 'fflate'
import { expect, it, vi } from 'vitest'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { connectAsModality } from '#server/modules/devices/modality-simulation.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardActivity } from '#shared/contract/dashboard-activity.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { OWNER, sessionHeaders, startGateway } from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { newScribeStudy, OF_THE_PATIENT } from '../support/reporting-clinic.ts'

const ZIP = '/dashboard/backups/diagnostics.zip'
const MEMBER = { email: 'member@clinic.example', password: OWNER.password }

it('gives who manages the gateway a bundle without a patient of the day in it, and keeps who saved it', async () => {
  await using gateway = await startGateway({
    partner: { worklist: (day) => worklistDay(day) },
    overrides: { 'clinic.name': 'Ravenmoor Imaging' },
    prepare: async (context) => {
      const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
      await people.createUser(
        { ...MEMBER, firstName: 'Maja', lastName: 'Novak', level: 'member', clinicRole: 'Other' },
        'command-line',
      )
    },
  })
  const { call, http, dimsePort } = gateway
  await newScribeStudy(call)
  const { exams } = await connectAsModality(
    { host: '127.0.0.1', port: dimsePort, aeTitle: 'ISTHMUS' },
    'CT1',
    {
      modality: '',
      startDate: '',
    },
  )
  expect(exams.length).toBeGreaterThan(5)
  // Connections are written a moment later, and when somebody looks.
  await vi.waitFor(async () => {
    const { associations } = await call(dashboardActivity.associations, { query: {} })
    expect(associations.map(({ how }) => how)).not.toContain('open')
  })

  const { files } = await call(dashboardBackups.diagnostics, {})
  expect(files.map(({ name }) => name)).toContain('associations.txt')

  const answer = await fetch(http + ZIP, { headers: await sessionHeaders(http, OWNER) })
  expect([
    answer.status,
    answer.headers.get('content-type'),
    answer.headers.get('cache-control'),
  ]).toEqual([200, 'application/zip', 'no-store'])
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="isthmus-diagnostics-\d{8}-\d{4}Z\.zip"$/,
  )
  const texts = Object.values(unzipSync(new Uint8Array(await answer.arrayBuffer()))).map((bytes) =>
    strFromU8(bytes),
  )
  const all = texts.join('\n')
  expect(all).toMatch(/released, \d+ ms {2}device 1 at address 1/)
  expect(all).not.toMatch(OF_THE_PATIENT)
  expect(all).not.toContain('This page could not be made')
  const names = exams
    .flatMap(({ patientName, patientId }) => [...patientName.split(/[\^=]/), patientId])
    .filter((name) => name.length > 3)
  expect(names.filter((name) => all.includes(name))).toEqual([])
  for (const canary of ['Ravenmoor', OWNER.email, MEMBER.email, 'whsec_', gateway.folder])
    expect(all).not.toContain(canary)

  const { entries } = await call(dashboard.audit, { query: {} })
  expect(entries.some(({ action }) => action === 'diagnostics.save')).toBe(true)
})

it('gives it to nobody else', async () => {
  await using gateway = await startGateway({
    partner: null,
    prepare: async (context) => {
      const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
      await people.createUser(
        { ...MEMBER, firstName: 'Maja', lastName: 'Novak', level: 'member', clinicRole: 'Other' },
        'command-line',
      )
    },
  })
  const { http } = gateway
  expect((await httpCall(http + ZIP, { headers: OWN_PAGE })).status).toBe(401)
  expect((await httpCall(http + ZIP, { headers: await sessionHeaders(http, MEMBER) })).status).toBe(
    403,
  )
})
