import { type AnswerRows, readRows } from '#server/modules/worklist/answer.ts'

/** Names in the letters of many countries; nobody of them exists. */
const NAMES = [
  ...[
    'TESTER^NUMBER001',
    'Müller^Jörg^^Dr.',
    'Łukasiewicz^Jan',
    'Пробная^Анна',
    'Παπαδόπουλος^Νίκος',
    'Yamada^Tarou=山田^太郎=やまだ^たろう',
  ],
  ...[
    'Hong^Gildong=洪^吉洞=홍^길동',
    'Wang^XiaoDong=王^小东',
    'قباني^لنزار',
    'שרון^דבורה',
    'ÅSTRÖM^ÖRJAN',
    "O'Neil-Smith^Mary Ann",
    'ทดสอบ^คนไข้',
    'X',
  ],
  ...['TESTER', 'tester^number002', '𝕏^Plane One', 'Çelik^İpek'],
]

/**
 * The worklist of a day: 60 exams of 18 people, some of them with several steps, some unfit for a
 * console.
 */
export const ITEMS: readonly unknown[] = Array.from({ length: 60 }, (_, n) => {
  const three = String(n).padStart(3, '0')
  const step = (part: number) => ({
    Modality: ['CT', 'MR', 'US', 'CR'][n % 4],
    ScheduledProcedureStepDescription: n % 7 === 0 ? 'Schädel nativ' : `Step ${part}`,
    ScheduledProcedureStepID: `S${three}${part}`,
    ScheduledProcedureStepStartDate: n % 9 === 0 ? '2026-11-21' : '20261120',
    ScheduledProcedureStepStartTime: `${String(8 + (n % 10)).padStart(2, '0')}${String(n % 60).padStart(2, '0')}00`,
  })
  return {
    AccessionNumber: `A${three}`,
    Modality: 'CT',
    PatientBirthDate: n % 5 === 0 ? '' : '19700102',
    PatientID: `P${String(n % NAMES.length).padStart(3, '0')}`,
    PatientName: NAMES[n % NAMES.length],
    PatientSex: ['M', 'F', 'O', ''][n % 4],
    PatientSize: '1.70',
    PatientWeight: '70',
    ProtocolName: n % 11 === 0 ? '頭部単純' : 'CHEST',
    RequestedProcedureDescription: 'CT of the chest',
    StudyDescription: 'CT Chest',
    // A few that no console may have.
    StudyInstanceUID: n % 19 === 18 ? 'no uid' : `2.25.1000${n}`,
    ScheduledProcedureStepSequence: n % 8 === 0 ? [step(1), step(2)] : [step(1)],
  }
})

export const DAY = '2026-11-20'
export const worklistRows = (): Promise<AnswerRows> =>
  readRows(ITEMS, { dateStart: DAY, dateEnd: '2026-11-21', modality: '' })
