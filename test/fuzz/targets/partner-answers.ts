import { encodeText } from '#server/dicom/character-sets/character-set.ts'
import { mergedValues } from '#server/modules/images/study-values.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { checkStepCount, readRows } from '#server/modules/worklist/answer.ts'
import { type AnswerWithNotes, readAnswer, readAnswerWithNotes } from '#server/webhooks/answer.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { Uid } from '#shared/dicom-values.ts'
import { englishText } from '#shared/messages/english.ts'
import { perTier } from '../../support/tier.ts'
import { mutateJsonInput } from '../mutate-json.ts'
import { hold, QUICK, same, type Target } from '../target.ts'

const HEADER: ImageHeader = {
  ...{
    patientName: 'TESTER^NUMBER001',
    patientId: 'P001',
    patientBirthDate: '19700102',
    patientSex: 'F',
    patientSize: '1.70',
    patientWeight: '70',
  },
  ...{
    patientAge: '056Y',
    accessionNumber: 'A001',
    studyDescription: 'CT',
    requestedProcedureDescription: '',
    studyDate: '20261120',
  },
  ...{
    studyTime: '101500',
    referringPhysicianName: 'DOC^TOR',
    institutionName: 'Clinic',
    studyId: '1',
    modality: 'CT',
    requestedProcedureId: '',
  },
  ...{ scheduledProcedureStepId: 'S001', requestStudyInstanceUid: '', characterSetRule: 'default' },
}
const CONTEXT = {
  studyInstanceUid: '1.2.826.0.1.3680043.8.498.1',
  plaintextHosts: ['127.0.0.1:9000'],
}
const DAYS = { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' }

/**
 * What a partner answers: taken, or refused with a sentence, and what is taken can be used. The
 * first byte, a digit, chooses the event.
 */
export const partnerAnswers: Target = {
  name: 'partner-answers',
  ...QUICK,
  mostBytes: 300 << 10,
  testExecutions: perTier(300, 6000),
  open: () => ({
    mutate(input, random, other) {
      const body = mutateJsonInput(
        input.subarray(1),
        random,
        () => other().subarray(1),
        partnerAnswers.mostBytes,
      )
      return Buffer.concat([
        random.isOnce(10)
          ? Buffer.from(String(random.below(EVENT_TYPES.length)))
          : input.subarray(0, 1),
        body,
      ])
    },
    async run(input) {
      const type = EVENT_TYPES[(input[0] ?? 0x30) % EVENT_TYPES.length] as EventType
      const body = input.subarray(1)
      const read = readOf(type, body)
      if (typeof read === 'string') return `${type} ${read}`
      for (const { path, sentence } of read.notes)
        hold(
          typeof path === 'string' && /\.$/.test(englishText(sentence)),
          `A note that is no sentence: ${englishText(sentence)}`,
        )
      hold(read.notes.length <= 101, `There are ${read.notes.length} notes`)
      const used = USES[type] ? await USES[type](read.answer as never) : ''
      return `${type} taken ${Object.keys(read.answer).length} ${read.notes.length === 0 ? '' : 'noted'} ${used}`
    },
  }),
}

/** The answer, or how it was refused; noted or not it is the same. */
function readOf(type: EventType, body: Buffer): AnswerWithNotes<EventType> | string {
  let plain: unknown
  let fault = ''
  try {
    plain = readAnswer(type, body, CONTEXT)
  } catch (error) {
    fault = refusal(error)
  }
  try {
    const read = readAnswerWithNotes(type, body, CONTEXT)
    same('Taking notes changes the answer', read.answer, plain)
    return read
  } catch (error) {
    same('Taking notes changes the refusal', refusal(error), fault)
    return fault
  }
}

function refusal(error: unknown): string {
  if (!(error instanceof WebhookError)) throw error
  const { fault } = error
  const detail = englishText(error.detail)
  hold(
    detail !== '' && detail.length <= 2000,
    () => `It is refused with ${detail.length} characters`,
  )
  hold(['refused', 'invalid', 'oversize'].includes(fault), `It is refused as ${fault}`)
  return fault === 'refused' ? fault : `${fault} ${detail.replace(/: .*/s, '')}`
}

/** What is done with an answer of a type next. */
const USES: {
  readonly [T in EventType]?: (answer: AnswerWithNotes<T>['answer']) => string | Promise<string>
} = {
  async 'modality_worklist.requested'({ items }) {
    try {
      checkStepCount(items)
    } catch (error) {
      return refusal(error)
    }
    const { rows, order } = await readRows(items, DAYS)
    hold(
      new Set(order).size === rows.length && order.length === rows.length,
      'Rows are lost when they are put in order',
    )
    hold(rows.length >= items.length, 'Items are lost')
    const fit = rows.filter(({ withheld }) => withheld === null)
    for (const { values } of fit) {
      hold(Uid.safeParse(values.StudyInstanceUID).success, 'A row without a UID is fit')
      hold(
        /^\d{8}$/.test(values.ScheduledProcedureStepStartDate) &&
          /^\d{6}$/.test(values.ScheduledProcedureStepStartTime),
        'A row without a start is fit',
      )
      hold(
        values.PatientID !== '' && values.PatientName !== '' && values.Modality !== '',
        'A row without a patient is fit',
      )
      for (const [keyword, value] of Object.entries(values))
        hold(
          encodeText(value, ['ISO_IR 192'], keyword === 'PatientName' ? 'PN' : 'LO') !== undefined,
          () => `${keyword} of a fit row cannot be said`,
        )
      for (const keyword of [
        'AccessionNumber',
        'ScheduledProcedureStepID',
        'RequestedProcedureID',
      ] as const)
        hold([...values[keyword]].length <= 16, `${keyword} of a fit row is too long`)
      hold(
        [...values.PatientID].length <= 64 &&
          values.PatientName.split('=').every((group) => [...group].length <= 64),
        'A fit row is too long',
      )
    }
    return fit.length === 0 ? 'none fit' : fit.length === rows.length ? 'all fit' : 'some fit'
  },
  'patient_study.enrichment_requested'(answer) {
    const { values, fromPartner, warnings } = mergedValues(HEADER, 'CT', answer)
    hold(
      values.studyDescription !== '' && values.studyDescription.length <= 1000,
      'A study without a description, or with one that is too long',
    )
    return `${fromPartner.length} ${warnings.length === 0 ? '' : 'warned'}`
  },
  'study.access_requested': ({ urls }) => loadable(urls),
  'ephemeral.access_requested': ({ urls }) => loadable(urls),
  'secondary_capture.access_requested': ({ uploadUrls }) => loadable(uploadUrls),
}

function loadable(urls: readonly string[]): string {
  for (const url of urls) {
    const { protocol, host } = new URL(url)
    hold(
      protocol === 'https:' || host === '127.0.0.1:9000',
      'A URL is taken that may not be called',
    )
  }
  return urls.length === 0 ? 'no URL' : 'URLs'
}
