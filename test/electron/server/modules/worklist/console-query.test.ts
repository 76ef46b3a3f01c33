import { expect, it } from 'vitest'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { ROOT_ATTRIBUTES, STEP_ATTRIBUTES } from '#server/modules/worklist/attributes.ts'
import {
  buildConsoleQuery,
  DEFAULT_TRANSFER_SYNTAX,
} from '#server/modules/worklist/console-query.ts'
import { WorklistTestQuery } from '#shared/contract/worklist.ts'
import { text } from './worklist-fixture.ts'

const asked = (fields: object) =>
  readDataSet(
    buildConsoleQuery(
      WorklistTestQuery.parse({ deviceId: '3f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c3d', ...fields }),
    ),
    DEFAULT_TRANSFER_SYNTAX,
  )

it('asks for every attribute of the tables', () => {
  const query = asked({})
  expect(query).toHaveLength(ROOT_ATTRIBUTES.size + 1)
  const step = query.find(({ tag }) => tag === 0x00400100)?.value
  expect(step).toHaveLength(1)
  expect((step as unknown[][])[0]).toHaveLength(STEP_ATTRIBUTES.size)
  expect(text(query, 'SpecificCharacterSet')).toBeUndefined()
})

it.each([
  [{ startDate: '2026-11-20', endDate: '2026-11-20' }, '20261120'],
  [{ startDate: '2026-11-20', endDate: '2026-11-22' }, '20261120-20261122'],
  [{ startDate: '2026-11-20' }, '20261120-'],
  [{ endDate: '2026-11-22' }, '-20261122'],
  [{}, ''],
])('writes the days %j as %j', (days, value) =>
  expect(text(asked(days), 'ScheduledProcedureStepStartDate')).toBe(value),
)

it('declares Unicode where a key needs it', () => {
  const query = asked({ patientName: 'Ödman', modality: 'CT', stationAeTitle: 'CT1' })
  expect(text(query, 'SpecificCharacterSet')).toBe('ISO_IR 192')
  expect(query.find(({ tag }) => tag === 0x00100010)?.value).toEqual(Buffer.from('Ödman'))
  expect([text(query, 'Modality'), text(query, 'ScheduledStationAETitle')]).toEqual(['CT', 'CT1'])
})
