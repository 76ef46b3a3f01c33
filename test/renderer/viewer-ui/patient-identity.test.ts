import { describe, expect, it } from 'vitest'
import { pageTitle, patientIdentity } from '../../../renderer/src/viewer/patient-identity.ts'
import { instance, series, stacks, study } from '../viewer/viewed.ts'

const images = (more: Parameters<typeof study>[0] = {}, of = [instance(1)]) => ({
  studies: [{ study: study(more), series: stacks(of), nonImageInstances: [] }],
})
const OTHER = {
  patientName: 'OTHER^PERSON',
  patientId: 'P2',
  patientBirthDate: '',
  patientSex: '',
  accessionNumber: '',
}

describe('the patient above the images', () => {
  it('is named with ID, birth date and sex', () => {
    expect(patientIdentity(images({ patientBirthDate: '19710503', patientSex: 'F' }))).toEqual({
      name: 'INVENTED, PERSON',
      details: ['ID P1', 'born 3 May 1971', 'F'],
    })
  })

  it('is not known before an image was read, and is never that of a prior study', () => {
    expect(patientIdentity({ studies: [] })).toBeNull()
    expect(patientIdentity(images({ patientName: '', patientId: '' }))).toBeNull()
    expect(patientIdentity(images({ isPrior: true }))).toBeNull()
  })

  it('is several where images name others, not where only the accession number differs', () => {
    const of = (patient: typeof OTHER) => images({}, [instance(1), instance(2, { patient })])
    expect(patientIdentity(of(OTHER))?.name).toBe('Images of several patients')
    const same = { ...OTHER, patientName: 'INVENTED^PERSON', patientId: 'P1', accessionNumber: '9' }
    expect(patientIdentity(of(same))?.name).toBe('INVENTED, PERSON')
  })
})

describe('the title of the page', () => {
  it('has initials, modality and day, and no name', () => {
    expect(pageTitle(images(), false)).toBe('IP · CT · 20 Nov 2026 · Isthmus')
    expect(pageTitle(images({ patientName: '=王^小东' }), false)).toMatch(/^王小 · /)
    expect(series().modality).toBe('CT')
  })

  it('has nothing of the patient in an anonymous presentation, and before anything is known', () => {
    expect(pageTitle(images(), true)).toBe('Images · Isthmus')
    expect(pageTitle({ studies: [] }, false)).toBe('Images · Isthmus')
  })
})
