import { describe, expect, it } from 'vitest'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { WorklistItem } from '#shared/contract/webhooks.ts'
import { isDa, TM_PATTERN, Uid } from '#shared/dicom-values.ts'

const DAYS = Array.from({ length: 31 }, (_, index) => `202612${String(index + 1).padStart(2, '0')}`)

describe('worklistDay', () => {
  it('gives 24 exams that keep every limit of the interface, on any day', () => {
    for (const day of DAYS) {
      const items = worklistDay(day)
      expect(items).toHaveLength(24)
      for (const item of items) {
        expect(WorklistItem.parse(item)).toEqual(item)
        expect(Uid.parse(item.StudyInstanceUID)).toMatch(/^2\.25\.\d+$/)
        expect(item.AccessionNumber.length).toBeLessThanOrEqual(16)
        expect(item.PatientName.length).toBeLessThanOrEqual(64)
        expect(isDa(item.PatientBirthDate)).toBe(true)
        for (const step of item.ScheduledProcedureStepSequence) {
          expect(step.ScheduledProcedureStepStartDate).toBe(day)
          expect(step.ScheduledProcedureStepStartTime).toMatch(TM_PATTERN)
          expect(
            step.ScheduledProcedureStepStartTime >= '073000' &&
              step.ScheduledProcedureStepStartTime <= '173000',
          ).toBe(true)
          expect(step.ScheduledProcedureStepID.length).toBeLessThanOrEqual(16)
        }
      }
    }
  })

  it('has all five modalities every day, and mammography for women only', () => {
    for (const day of DAYS) {
      const items = worklistDay(day)
      expect(new Set(items.map(({ Modality }) => Modality))).toEqual(
        new Set(['CT', 'MR', 'US', 'DX', 'MG']),
      )
      expect(
        items.filter(({ Modality, PatientSex }) => Modality === 'MG' && PatientSex !== 'F'),
      ).toEqual([])
    }
  })

  it('has one exam of two steps and no identifier twice', () => {
    const items = DAYS.flatMap((day) => worklistDay(day))
    const steps = items.flatMap((item) => item.ScheduledProcedureStepSequence)
    expect(steps).toHaveLength(items.length + DAYS.length)
    for (const ids of [
      items.map(({ StudyInstanceUID }) => StudyInstanceUID),
      items.map(({ AccessionNumber }) => AccessionNumber),
      steps.map(({ ScheduledProcedureStepID }) => ScheduledProcedureStepID),
    ]) {
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it('has names in Latin with marks, Cyrillic, Greek, Arabic and three component groups', () => {
    const names = worklistDay('20261120').map(({ PatientName }) => PatientName)
    for (const script of [
      /[äöüéł]/,
      /\p{Script=Cyrillic}/u,
      /\p{Script=Greek}/u,
      /\p{Script=Arabic}/u,
      /=\p{sc=Han}.*=\p{sc=Hiragana}/u,
      /=\p{sc=Hangul}/u,
    ]) {
      expect(names.some((name) => script.test(name))).toBe(true)
    }
  })

  it('gives the same day twice alike, and another day otherwise', () => {
    expect(worklistDay('20261120')).toEqual(worklistDay('20261120'))
    expect(worklistDay('20261120')).not.toEqual(worklistDay('20261121'))
  })

  it('adds exactly two rows to withhold when asked', () => {
    const items = worklistDay('20261120', { withBadRows: true })
    expect(items.slice(0, 24)).toEqual(worklistDay('20261120'))
    expect(
      items
        .slice(24)
        .map(({ AccessionNumber, StudyInstanceUID }) => [
          AccessionNumber.length > 16,
          !Uid.safeParse(StudyInstanceUID).success,
        ]),
    ).toEqual([
      [true, false],
      [false, true],
    ])
  })
})
