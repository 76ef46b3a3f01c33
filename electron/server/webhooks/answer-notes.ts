import type { AnswerNote } from '#shared/contract/events.ts'
import { isDa, TM_PATTERN, Uid } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** Further notes would not help, and an answer may contain a million values. */
const MAX_NOTES = 100

/** Collects notes about parts of an answer that were ignored. */
export interface NoteTaker {
  /**
   * `sentence`: what is wrong with the value and what was done, without the value, which may
   * contain patient data.
   */
  note(path: string, sentence: Message): void
  /** The first hundred notes, followed by the number of further ones. */
  readonly notes: readonly AnswerNote[]
}

export function noteTaker(): NoteTaker {
  const kept: AnswerNote[] = []
  let omittedCount = 0
  return {
    note(path, sentence) {
      if (kept.length < MAX_NOTES) kept.push({ path, sentence })
      else omittedCount++
    },
    get notes() {
      return omittedCount === 0
        ? kept
        : [...kept, { path: '', sentence: message('webhooks.more-notes', { more: omittedCount }) }]
    },
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The note for an ignored part. @param fault a sentence without its full stop */
export const ignoredPart = (fault: Message): Message => message('webhooks.left-out', { fault })

type Rule = readonly [isRight: (value: string) => boolean, fault: Message]

const ANY_TEXT: Rule = [() => true, message('webhooks.note-not-text')]
const emptyOr = ([isRight, fault]: Rule): Rule => [(value) => value === '' || isRight(value), fault]
/**
 * In characters, as DICOM and JSON Schema count them. A character has at most two UTF-16 units, so
 * that a very long text is refused without being split.
 */
const within = (most: number): Rule => [
  (value) => value.length <= most || (value.length <= 2 * most && [...value].length <= most),
  message('webhooks.note-too-long', { most }),
]
const oneOf = (...values: string[]): Rule => [
  (value) => values.includes(value),
  message('webhooks.note-not-one-of', { values: values.join(', ') }),
]
const DAY_RULE: Rule = [isDa, message('webhooks.note-not-da')]
const TIME_RULE: Rule = [(value) => TM_PATTERN.test(value), message('webhooks.note-not-tm')]
const NUMBER_RULE: Rule = [
  (value) => /^\d+(\.\d+)?$/.test(value.trim()),
  message('webhooks.note-not-number'),
]

const STEP_FIELDS = {
  Modality: ANY_TEXT,
  ScheduledProcedureStepDescription: ANY_TEXT,
  ScheduledProcedureStepID: within(16),
  ScheduledProcedureStepStartDate: DAY_RULE,
  ScheduledProcedureStepStartTime: TIME_RULE,
} as const satisfies Record<string, Rule>

const ITEM_FIELDS = {
  AccessionNumber: within(16),
  Modality: ANY_TEXT,
  PatientBirthDate: emptyOr(DAY_RULE),
  PatientID: ANY_TEXT,
  PatientName: within(64),
  PatientSex: emptyOr(oneOf('M', 'F', 'O')),
  PatientSize: emptyOr(NUMBER_RULE),
  PatientWeight: emptyOr(NUMBER_RULE),
  ProtocolName: ANY_TEXT,
  RequestedProcedureDescription: ANY_TEXT,
  StudyDescription: ANY_TEXT,
  StudyInstanceUID: [(value) => Uid.safeParse(value).success, message('webhooks.note-not-uid')],
} as const satisfies Record<string, Rule>

/** Item fields that the interface does not define but that are commonly sent. */
const EXTRA_ITEM_FIELDS = {
  AdmissionID: within(64),
  ReferringPhysicianName: within(64),
} as const satisfies Record<string, Rule>
const EXTRA_STEP_FIELDS = { ScheduledProcedureStepLocation: within(16) } as const satisfies Record<
  string,
  Rule
>

/** Adds notes for worklist items that differ from the interface. */
export function noteItems(items: readonly unknown[], { note }: NoteTaker): void {
  for (const [index, item] of items.entries()) {
    const at = `items.${index}`
    if (!isObject(item)) {
      note(at, message('webhooks.item-not-object'))
      continue
    }
    noteFields(item, ITEM_FIELDS, at, note)
    noteFields(item, EXTRA_ITEM_FIELDS, at, note, true)
    const { OtherPatientIDs: ids = '' } = item
    if (![ids].flat().every((id) => typeof id === 'string'))
      note(`${at}.OtherPatientIDs`, message('webhooks.note-not-texts'))
    const { ScheduledProcedureStepSequence: steps } = item
    if (!Array.isArray(steps))
      note(`${at}.ScheduledProcedureStepSequence`, message('webhooks.note-not-list'))
    else if (steps.length === 0)
      note(`${at}.ScheduledProcedureStepSequence`, message('webhooks.note-no-step'))
    else
      for (const [step, value] of steps.entries()) {
        const where = `${at}.ScheduledProcedureStepSequence.${step}`
        if (isObject(value)) {
          noteFields(value, STEP_FIELDS, where, note)
          noteFields(value, EXTRA_STEP_FIELDS, where, note, true)
        } else note(where, message('webhooks.note-not-object'))
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
    if (field === undefined) note(`${at}.${name}`, message('webhooks.note-missing'))
    else if (typeof field !== 'string') note(`${at}.${name}`, message('webhooks.note-not-text'))
    else if (!isRight(field)) note(`${at}.${name}`, fault)
  }
}
