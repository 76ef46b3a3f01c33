import { describe, expect, it } from 'vitest'
import { keywordOf } from '#server/dicom/data-set/data-set.ts'
import { identifierOf, type PriorKeys } from '#server/dicom/scu/query.ts'

const NOTHING: PriorKeys = {
  patientId: '',
  patientName: '',
  accessionNumber: '',
  startDate: null,
  endDate: null,
}
const asked = (keys: Partial<PriorKeys>): Record<string, string> =>
  Object.fromEntries(
    identifierOf({ ...NOTHING, ...keys }).flatMap(({ tag, value }) =>
      value.length === 0 ? [] : [[keywordOf(tag), String(value)]],
    ),
  )

describe('the keys of a query for earlier studies', () => {
  it('are those that were entered, at STUDY level', () => {
    expect(asked({ patientId: 'P-1', accessionNumber: 'A-1' })).toEqual({
      QueryRetrieveLevel: 'STUDY',
      PatientID: 'P-1',
      AccessionNumber: 'A-1',
    })
  })

  it('match the beginning of a name, unless it has a wild card of its own', () => {
    expect(asked({ patientName: 'Meier' }).PatientName).toBe('Meier*')
    expect(asked({ patientName: '*meier' }).PatientName).toBe('*meier')
  })

  it('leave a range of days open where one end is missing', () => {
    expect(asked({ startDate: '2026-01-02', endDate: '20261231' }).StudyDate).toBe(
      '20260102-20261231',
    )
    expect(asked({ startDate: '2026-01-02' }).StudyDate).toBe('20260102-')
    expect(asked({ endDate: '2026-01-02' }).StudyDate).toBe('-20260102')
    expect(asked({})).toEqual({ QueryRetrieveLevel: 'STUDY' })
  })

  it('are in the order of their tags, and ask for all that is shown', () => {
    const tags = identifierOf(NOTHING).map(({ tag }) => tag)
    expect(tags).toEqual(tags.toSorted((a, b) => a - b))
    expect(tags.map(keywordOf)).toContain('NumberOfStudyRelatedInstances')
  })
})
