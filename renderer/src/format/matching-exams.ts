import type { Exam } from '#shared/contract/dashboard-exams.ts'

const foldText = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

/** Those of the exams that have each of the words somewhere; case and accents do not count. */
export function matchingExams(exams: readonly Exam[], typed: string): readonly Exam[] {
  const words = foldText(typed.replace(/[\^,]/g, ' '))
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return exams
  return exams.filter((exam) => {
    const text = foldText(
      [
        exam.patientName.replace(/[\^=]/g, ' '),
        exam.patientId,
        exam.accessionNumber,
        exam.modality,
        exam.description,
      ].join(' '),
    )
    return words.every((word) => text.includes(word))
  })
}

export const examKey = ({
  studyInstanceUid,
  scheduledProcedureStepId,
  patientId,
  accessionNumber,
}: Exam): string =>
  `${studyInstanceUid}/${scheduledProcedureStepId}/${patientId}/${accessionNumber}`
