import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { AssociationLog } from '#server/modules/devices/association-log.ts'
import { dashboardActivity } from '#shared/contract/dashboard-activity.ts'
import { ask, item, openPartner } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { serving } from '../support/command-line.ts'
import { startGateway, webhookSecret } from '../support/gateway.ts'
import { openModality } from '../support/modality.ts'
import { associated } from '../support/requestor.ts'
import { tempFolder } from '../support/temp-store.ts'
import { queryWorklist } from '../support/worklist-client.ts'

const CANARY = 'CANARIO^ELVIRA'
const CANARY_ID = 'PATIENT-4711'
/** The day of `item`. */
const OF_ITS_DAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })

it('shows a worklist query as a connection, from its beginning to its end, and names no patient to support', async () => {
  await using partner = await openPartner({
    items: [{ ...item(1), PatientName: CANARY, PatientID: CANARY_ID }],
  })
  await using clinic = await startGateway({ partner: partner.url })
  const { rows } = await queryWorklist(clinic.dimsePort, {
    callingAeTitle: 'CT1',
    keys: OF_ITS_DAY,
  })
  expect(rows).toHaveLength(1)
  await expect(associated(clinic.dimsePort, { callingAeTitle: 'STRANGER' })).rejects.toThrow()
  await using open = await associated(clinic.dimsePort, { callingAeTitle: 'CT1' })

  const list = (query: { show?: 'open' | 'rejected'; search?: string }) =>
    clinic.call(dashboardActivity.associations, { query })
  await vi.waitFor(async () => expect((await list({})).associations).toHaveLength(3))
  expect((await list({ show: 'open' })).associations).toMatchObject([
    { aeTitle: 'CT1', how: 'open', endedAt: null },
  ])
  expect((await list({ show: 'rejected' })).associations).toMatchObject([
    { aeTitle: 'STRANGER', deviceId: null },
  ])
  expect((await list({ search: CANARY_ID })).associations).toEqual([])
  const asked = (await list({})).associations.find(({ counts }) => counts.queries > 0)
  expect(asked).toMatchObject({
    aeTitle: 'CT1',
    how: 'released',
    counts: { queries: 1, exams: 1, failures: 0 },
  })

  const record = await clinic.call(dashboardActivity.association, {
    params: { associationId: asked?.associationId ?? '' },
  })
  expect(record.lines.map(({ kind }) => kind)).toEqual(['opened', 'worklist', 'closed'])
  expect(record.lines[1]).toMatchObject({
    inspectionId: expect.any(Number),
    text: expect.stringContaining('the partner returned 1 exam'),
  })
  expect(record.terms?.contexts).toMatchObject([
    { name: 'Verification', result: 0 },
    { name: 'Modality Worklist', result: 0 },
  ])
  expect(record.supportText).toContain('CT1 at 127.0.0.1')
  for (const secret of ['CANARIO', 'ELVIRA', CANARY_ID])
    expect(JSON.stringify(record)).not.toContain(secret)
  await open.release()
})

it('counts images with their bytes, and leads to their study', async () => {
  await using clinic = await startGateway({})
  const study = '1.2.3.4.5.6.7.8.9'
  {
    await using modality = await openModality(clinic.dimsePort)
    for (const at of [1, 2]) {
      await modality.store({
        ...{
          PatientName: CANARY,
          PatientID: CANARY_ID,
          StudyInstanceUID: study,
          SeriesInstanceUID: `${study}.1`,
        },
        ...{
          SOPInstanceUID: `${study}.1.${at}`,
          SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
          Modality: 'CT',
        },
      })
    }
    await modality.release()
  }
  const read = async () =>
    (await clinic.call(dashboardActivity.associations, { query: {} })).associations[0]
  await vi.waitFor(async () =>
    expect(await read()).toMatchObject({ how: 'released', counts: { instances: 2, failures: 0 } }),
  )
  const row = await read()
  expect(row?.counts.bytes).toBeGreaterThan(200)
  await vi.waitFor(async () => {
    const record = await clinic.call(dashboardActivity.association, {
      params: { associationId: row?.associationId ?? '' },
    })
    expect(record.lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'images', studyInstanceUid: study }),
      ]),
    )
    for (const secret of ['CANARIO', CANARY_ID, study])
      expect(record.supportText).not.toContain(secret)
  })
})

it('says after a kill which connections were open, and keeps those that were written', async () => {
  using temp = tempFolder()
  await using partner = await openPartner({ items: [item(1)] })
  const target = ['--partner-url', partner.url, '--partner-secret', webhookSecret()]
  await using gateway = await serving(temp.folder, '--allow-unknown-devices', ...target)
  await queryWorklist(gateway.dimsePort, { callingAeTitle: 'DONE', keys: OF_ITS_DAY })
  const open = await associated(gateway.dimsePort, { callingAeTitle: 'OPEN' })
  await vi.waitFor(
    () => {
      const database = new Sqlite(join(temp.folder, DATABASE_FILE), { readonly: true })
      const rows = database
        .prepare('select aeTitle, how from associations order by seq desc')
        .raw()
        .all()
      database.close()
      expect(rows).toEqual([
        ['OPEN', 'open'],
        ['DONE', 'released'],
      ])
    },
    { timeout: 10_000, interval: 200 },
  )
  await gateway.end('SIGKILL')
  await open[Symbol.asyncDispose]()
  using context = openContext({ folder: temp.folder })
  await using log = new AssociationLog(context)
  expect((await log.list({ show: 'all' }, { limit: 10 })).items).toMatchObject([
    { aeTitle: 'OPEN', how: 'lost' },
    { aeTitle: 'DONE', how: 'released', counts: { queries: 1, exams: 1 } },
  ])
})
