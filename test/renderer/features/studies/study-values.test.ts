import { describe, expect, it } from 'vitest'
import {
  changedBody,
  isMeasure,
  newBody,
  uidOf,
  valuesOf,
} from '../../../../renderer/src/features/studies/study-values.ts'
import type { Details } from '../../../../renderer/src/features/studies/use-details.ts'
import { scribe } from '../../../../shared/contract/scribe.ts'
import { viewer } from '../../../../shared/contract/viewer.ts'
import { idFromUuid } from '../../../../shared/ids.ts'

const studyId = idFromUuid('stu', 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee')
const at = '2026-11-22T10:00:00.000Z'
const kept: Details = {
  area: 'scribe',
  study: {
    ...{
      studyId,
      studyInstanceUid: '1.2.3',
      studyDescription: 'CT thorax',
      severity: 'high',
      isCancelled: false,
      cancelledAt: null,
    },
    ...{
      createdAt: at,
      updatedAt: at,
      assignedTo: null,
      metadata: { ward: '3B' },
      studyReportStatus: 'unassigned',
    },
    reportMetadata: { patientName: 'TEST^MAJA', mrn: 'P-1', height: { unit: 'cm', value: 172 } },
    priorReportTexts: ['Impression: none.'],
    technologistNotes: ['calm'],
  },
}

describe('a study in its form', () => {
  it('is made with what was filled in and nothing else', () => {
    const values = {
      ...valuesOf(null),
      studyInstanceUid: ' 1.2.3 ',
      studyDescription: 'CT thorax ',
    }
    const body = newBody('scribe', values)
    expect(body).toEqual({
      studyInstanceUid: '1.2.3',
      studyDescription: 'CT thorax',
      severity: 'normal',
      reportMetadata: {},
    })
    expect(scribe.create.body.safeParse(body).success).toBe(true)
    const forViewing = newBody('viewer', values)
    expect(forViewing).toEqual({
      studyInstanceUid: '1.2.3',
      studyDescription: 'CT thorax',
      severity: 'normal',
    })
    expect(viewer.create.body.safeParse(forViewing).success).toBe(true)
  })

  it('sends measures with their unit, whichever way the number is written', () => {
    const empty = valuesOf(null)
    const values = {
      ...empty,
      reportMetadata: {
        ...empty.reportMetadata,
        ...{ height: { value: '172,5', unit: 'cm' }, weight: { value: ' ', unit: 'lbs' } },
      },
    }
    expect(newBody('scribe', values).reportMetadata).toEqual({
      height: { value: 172.5, unit: 'cm' },
    })
    expect([isMeasure(''), isMeasure('71.5'), isMeasure('-1'), isMeasure('tall')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('changes nothing where nothing was changed', () => {
    const values = valuesOf(kept)
    expect(changedBody('scribe', values, values)).toEqual({})
  })

  it('sends only what was changed, and clears what was emptied', () => {
    const before = valuesOf(kept)
    const values = {
      ...before,
      severity: 'stat' as const,
      reportMetadata: { ...before.reportMetadata, mrn: '', sex: 'female' },
      priorReportTexts: [' '],
      technologistNotes: '',
      metadata: [],
    }
    const body = changedBody('scribe', values, before)
    expect(body).toEqual({
      severity: 'stat',
      reportMetadata: { mrn: null, sex: 'female' },
      priorReportTexts: null,
      technologistNotes: [],
      metadata: null,
    })
    expect(scribe.update.body.safeParse(body).success).toBe(true)
  })

  it('never sends a customer with a change of a study for viewing: the interface has none there', () => {
    const before = valuesOf(null)
    const values = {
      ...before,
      expressCustomerId: {
        id: idFromUuid('cus', 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'),
        name: 'South',
      },
    }
    expect(changedBody('viewer', values, before)).toEqual({})
    expect(changedBody('scribe', values, before)).toHaveProperty('expressCustomerId')
  })

  it('makes a UID of a UUID as PS3.5 B.2 says', () => {
    expect(uidOf('f81d4fae-7dec-11d0-a765-00a0c91e6bf6')).toBe(
      '2.25.329800735698586629295641978511506172918',
    )
  })
})
