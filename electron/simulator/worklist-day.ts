import { createHash } from 'node:crypto'
import type { WorklistItem, WorklistStep } from '#shared/contract/webhooks.ts'

export interface WorklistDayOptions {
  /**
   * Adds two rows that the gateway must withhold: one with an accession number too long for SH, and
   * one with an invalid UID.
   */
  readonly withBadRows?: boolean
  /** Number of exams of the day; the plan is repeated as needed. */
  readonly exams?: number
}

interface Person {
  readonly name: string
  readonly birthDate: string
  readonly sex: 'M' | 'F' | 'O'
  /** Meters and kilograms in the format of the interface; '' if not measured. */
  readonly size: string
  readonly weight: string
}

// Invented people. PS3.5 6.2.1: alphabetic=ideographic=phonetic.
const PEOPLE: readonly Person[] = [
  { name: 'Schröder^Anneliese', birthDate: '19480312', sex: 'F', size: '1.62', weight: '68' },
  {
    name: 'Yamada^Tarou=山田^太郎=やまだ^たろう',
    birthDate: '19590704',
    sex: 'M',
    size: '1.71',
    weight: '66.5',
  },
  { name: 'Kovářová^Božena', birthDate: '19710926', sex: 'F', size: '1.68', weight: '59' },
  { name: 'Люксембургова^Анна^Петровна', birthDate: '19820115', sex: 'F', size: '', weight: '' },
  {
    name: 'Lefèvre-Dubois^Jérôme^^Dr.',
    birthDate: '19550530',
    sex: 'M',
    size: '1.80',
    weight: '92',
  },
  { name: 'Παπαδόπουλος^Διονύσιος', birthDate: '19660218', sex: 'M', size: '1.76', weight: '81' },
  {
    name: 'Hong^Gildong=洪^吉洞=홍^길동',
    birthDate: '19900101',
    sex: 'M',
    size: '1.74',
    weight: '70',
  },
  { name: 'Ångström^Åsa', birthDate: '20031121', sex: 'F', size: '1.69', weight: '61' },
  { name: 'قباني^لنزار', birthDate: '19730321', sex: 'M', size: '1.70', weight: '77' },
  { name: "O'Connor^Máire", birthDate: '19390817', sex: 'F', size: '1.55', weight: '52' },
  { name: 'Núñez de la Peña^Iñigo', birthDate: '19881209', sex: 'M', size: '1.83', weight: '88' },
  { name: 'Wąsikiewicz^Łucja', birthDate: '19950606', sex: 'F', size: '', weight: '64' },
  { name: 'Wang^XiaoDong=王^小东', birthDate: '19791014', sex: 'M', size: '1.72', weight: '74' },
  { name: 'Çelik^Gülşen', birthDate: '19841103', sex: 'F', size: '1.64', weight: '58' },
  { name: 'Müller^Großmann^^^jun.', birthDate: '20110228', sex: 'M', size: '1.38', weight: '33' },
  { name: 'Đorđević^Živojin', birthDate: '19520430', sex: 'M', size: '1.78', weight: '85' },
  { name: 'Tremblay^Chloé', birthDate: '20180709', sex: 'F', size: '1.10', weight: '19' },
  { name: 'Őze^Bálint', birthDate: '19610322', sex: 'M', size: '1.75', weight: '79' },
  {
    name: 'Suzuki^Hanako=鈴木^花子=すずき^はなこ',
    birthDate: '19870518',
    sex: 'F',
    size: '1.58',
    weight: '50',
  },
  { name: 'Þórðardóttir^Guðrún', birthDate: '19760925', sex: 'F', size: '1.73', weight: '67' },
  { name: 'Smith^Alex', birthDate: '20000229', sex: 'O', size: '1.70', weight: '70' },
  {
    name: 'Castañeda Lopez^Maria del Carmen',
    birthDate: '19691231',
    sex: 'F',
    size: '1.60',
    weight: '71',
  },
  {
    name: 'Бойко^Тарас^Олександрович',
    birthDate: '19930713',
    sex: 'M',
    size: '1.86',
    weight: '90',
  },
  { name: 'Van den Berg^Jan', birthDate: '19430501', sex: 'M', size: '1.77', weight: '82' },
]

interface Exam {
  readonly modality: string
  readonly protocol: string
  readonly study: string
  readonly procedure: string
}

const EXAMS: readonly Exam[] = [
  {
    modality: 'CT',
    protocol: 'THORAX_NATIV',
    study: 'CT Thorax',
    procedure: 'CT of the chest without contrast',
  },
  {
    modality: 'MR',
    protocol: 'KNEE_ROUTINE',
    study: 'MR Knee right',
    procedure: 'MR of the right knee',
  },
  {
    modality: 'US',
    protocol: 'ABDOMEN',
    study: 'US Abdomen',
    procedure: 'Ultrasound of the abdomen',
  },
  {
    modality: 'DX',
    protocol: 'CHEST_PA_LAT',
    study: 'Chest PA and lateral',
    procedure: 'Radiograph of the chest, two views',
  },
  {
    modality: 'CT',
    protocol: 'HEAD_NATIV',
    study: 'CT Head',
    procedure: 'CT of the head without contrast',
  },
  {
    modality: 'DX',
    protocol: 'HAND_2V',
    study: 'Hand left',
    procedure: 'Radiograph of the left hand, two views',
  },
  {
    modality: 'MR',
    protocol: 'BRAIN_CE',
    study: 'MR Brain',
    procedure: 'MR of the brain with contrast',
  },
]

const SCREENING_EXAM: Exam = {
  modality: 'MG',
  protocol: 'SCREENING_4V',
  study: 'Mammography screening',
  procedure: 'Mammography of both breasts',
}

/**
 * Indices of `PEOPLE` whose age is invited to screening; two of the three are scheduled on a day.
 */
const INVITED_INDEXES = [2, 19, 21]

/** Index of the exam with a second step an hour later. */
const TWO_STEP_EXAM_INDEX = 5
const OPENING_MINUTE = 7 * 60 + 30
const CLOSING_MINUTE = 17 * 60 + 30

/**
 * The worklist of one day of a clinic: 24 invented exams of CT, MR, US, DX and MG from 07:30 to
 * 17:30, with names in several scripts and one exam with two steps. The same day always has the
 * same items, including identifiers; other days differ.
 * @param day `YYYYMMDD`
 */
export function worklistDay(
  day: string,
  { withBadRows = false, exams = PEOPLE.length }: WorklistDayOptions = {},
): WorklistItem[] {
  const items = Array.from({ length: exams }, (_, index) => itemOf(day, index, exams))
  return withBadRows ? [...items, ...badRows(day)] : items
}

function itemOf(day: string, index: number, exams: number): WorklistItem {
  const dayOfMonth = Number(day.slice(-2))
  // People and exams are shifted against each other by the day, so that no one has the same exam
  // every day.
  const personIndex = (index + dayOfMonth) % PEOPLE.length
  const person = PEOPLE[personIndex] as Person
  const isScreened =
    INVITED_INDEXES.includes(personIndex) &&
    personIndex !== INVITED_INDEXES[dayOfMonth % INVITED_INDEXES.length]
  const exam = isScreened ? SCREENING_EXAM : (EXAMS[index % EXAMS.length] as Exam)
  const minute =
    OPENING_MINUTE +
    Math.floor(((CLOSING_MINUTE - OPENING_MINUTE) * index) / Math.max(1, exams - 1) / 5) * 5
  const number = String(index + 1).padStart(3, '0')
  const steps: WorklistStep[] = [
    stepOf(day, exam, `S${day.slice(2)}-${number}`, minute, exam.study),
  ]
  if (index === TWO_STEP_EXAM_INDEX) {
    steps.push(
      stepOf(day, exam, `S${day.slice(2)}-${number}B`, minute + 60, `${exam.study}, control`),
    )
  }
  return {
    AccessionNumber: `A${day}${number}`,
    Modality: exam.modality,
    PatientBirthDate: person.birthDate,
    PatientID: `P${100_000 + personIndex * 37}`,
    PatientName: person.name,
    PatientSex: person.sex,
    PatientSize: person.size,
    PatientWeight: person.weight,
    ProtocolName: exam.protocol,
    RequestedProcedureDescription: exam.procedure,
    ScheduledProcedureStepSequence: steps,
    StudyDescription: exam.study,
    StudyInstanceUID: uid(`${day}/${index}`),
  }
}

const stepOf = (
  day: string,
  exam: Exam,
  id: string,
  minute: number,
  description: string,
): WorklistStep => ({
  Modality: exam.modality,
  ScheduledProcedureStepDescription: description,
  ScheduledProcedureStepID: id,
  ScheduledProcedureStepStartDate: day,
  ScheduledProcedureStepStartTime: `${twoDigits(Math.floor(minute / 60))}${twoDigits(minute % 60)}00`,
})

function badRows(day: string): WorklistItem[] {
  const [first, second] = [itemOf(day, 24, 48), itemOf(day, 25, 48)]
  return [
    { ...first, AccessionNumber: `TOO-LONG-FOR-SH-${day}` },
    { ...second, StudyInstanceUID: `1.2.826.0.01.${day}` },
  ]
}

/** PS3.5 B.2: a UID derived from a UUID, which is derived from the text. */
function uid(text: string): string {
  const bytes = createHash('sha256').update(`isthmus simulator ${text}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return `2.25.${BigInt(`0x${bytes.toString('hex')}`)}`
}

const twoDigits = (number: number) => String(number).padStart(2, '0')
