import { isDa, TM_PATTERN, Uid } from '#shared/dicom-values.ts'
import { isObject, type NoteTaker } from './answer-notes.ts'

// What each item becomes on a console is the worklist's to
// say, item by item.

type Rule = readonly [isRight: (value: string) => boolean, fault: string]

const ANY: Rule = [() => true, '']
const EMPTY_OR = ([isRight, fault]: Rule): Rule => [
  (value) => value === '' || isRight(value),
  fault,
]
const within = (most: number): Rule => [
  (value) => value.length <= most,
  `It has more than ${most} characters.`,
]
const oneOf = (...values: string[]): Rule => [
  (value) => values.includes(value),
  `It is not one of ${values.join(', ')}.`,
]
const DAY: Rule = [isDa, 'It is not a day as YYYYMMDD.']
const TIME: Rule = [(value) => TM_PATTERN.test(value), 'It is not a time as HHMMSS.']
const NUMBER: Rule = [(value) => /^\d+(\.\d+)?$/.test(value.trim()), 'It is not a number.']

const STEP = {
  Modality: ANY,
  ScheduledProcedureStepDescription: ANY,
  ScheduledProcedureStepID: within(16),
  ScheduledProcedureStepStartDate: DAY,
  ScheduledProcedureStepStartTime: TIME,
} as const satisfies Record<string, Rule>

const ITEM = {
  AccessionNumber: within(16),
  Modality: ANY,
  PatientBirthDate: EMPTY_OR(DAY),
  PatientID: ANY,
  PatientName: within(64),
  PatientSex: EMPTY_OR(oneOf('M', 'F', 'O')),
  PatientSize: EMPTY_OR(NUMBER),
  PatientWeight: EMPTY_OR(NUMBER),
  ProtocolName: ANY,
  RequestedProcedureDescription: ANY,
  StudyDescription: ANY,
  StudyInstanceUID: [
    (value) => Uid.safeParse(value).success,
    'It is not a DICOM UID; the exam is withheld.',
  ],
} as const satisfies Record<string, Rule>

/** What the interface does not list, and an item may have. */
const EXTRA_ITEM = {
  AdmissionID: within(64),
  ReferringPhysicianName: within(64),
} as const satisfies Record<string, Rule>
const EXTRA_STEP = { ScheduledProcedureStepLocation: within(16) } as const satisfies Record<
  string,
  Rule
>

/** Where items of a worklist are not as the interface has them. */
export function noteItems(items: readonly unknown[], { note }: NoteTaker): void {
  for (const [index, item] of items.entries()) {
    const at = `items.${index}`
    if (!isObject(item)) {
      note(at, 'It is not an object; the exam is withheld.')
      continue
    }
    noteFields(item, ITEM, at, note)
    noteFields(item, EXTRA_ITEM, at, note, true)
    const { OtherPatientIDs: ids = '' } = item
    if (![ids].flat().every((id) => typeof id === 'string'))
      note(`${at}.OtherPatientIDs`, 'It is not a list of texts.')
    const { ScheduledProcedureStepSequence: steps } = item
    if (!Array.isArray(steps)) note(`${at}.ScheduledProcedureStepSequence`, 'It is not a list.')
    else if (steps.length === 0) note(`${at}.ScheduledProcedureStepSequence`, 'It has no step.')
    else
      for (const [step, value] of steps.entries()) {
        const where = `${at}.ScheduledProcedureStepSequence.${step}`
        if (isObject(value)) {
          noteFields(value, STEP, where, note)
          noteFields(value, EXTRA_STEP, where, note, true)
        } else note(where, 'It is not an object.')
      }
  }
}

function noteFields(
  value: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, Rule>>,
  at: string,
  note: NoteTaker['note'],
  isOptional = false,
): void {
  for (const [name, [isRight, fault]] of Object.entries(rules)) {
    const field = value[name]
    if (isOptional && (field === undefined || field === null)) continue
    if (field === undefined) note(`${at}.${name}`, 'It is missing.')
    else if (typeof field !== 'string') note(`${at}.${name}`, 'It is not a text.')
    else if (!isRight(field)) note(`${at}.${name}`, fault)
  }
}
