import { expect, it } from 'vitest'
import type { LintFinding } from '#shared/contract/devices.ts'
import { verbatim } from '#shared/messages/message.ts'
import { verdictOf } from '../../../../renderer/src/features/devices/lint-verdict.ts'

const finding: LintFinding = {
  ...{ severity: 'altered', patientName: 'TEST^ANNA', scheduledProcedureStepId: 'S1' },
  ...{ tag: '(0010,0010)', keyword: 'PatientName', text: verbatim('It is cut after 16 bytes.') },
}

it('names the gravest outcome of a check first', () => {
  expect(verdictOf({ rows: 14, refused: 2, findings: [finding] })).toMatchObject({
    tone: 'danger',
    title: 'The console would refuse 2 exams',
  })
  expect(verdictOf({ rows: 14, refused: 0, findings: [finding] })).toMatchObject({
    tone: 'warning',
    text: '14 exams checked.',
  })
  expect(verdictOf({ rows: 1, refused: 0, findings: [] })).toEqual({
    tone: 'good',
    title: 'All exams are valid',
    text: '1 exam checked.',
  })
})

it('does not call an empty list good', () => {
  expect(verdictOf({ rows: 0, refused: 0, findings: [] })).toMatchObject({
    tone: 'plain',
    title: 'The list is empty',
  })
})
