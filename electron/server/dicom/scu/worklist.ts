import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, tagOf, vrOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { withoutPadding } from '#server/dicom/data-set/padding.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { categoryOf } from '#server/dicom/dimse/status.ts'
import { refused } from './query.ts'
import { openAssociation, type Peer, RequestorError, type RequestorLimits } from './requestor.ts'

/** An exam as a console shows it; text as DICOM has it, '' where it is missing. */
export interface WorklistExam {
  readonly patientName: string
  readonly patientId: string
  readonly accessionNumber: string
  readonly modality: string
  readonly startDate: string
  readonly startTime: string
  readonly description: string
}

export interface WorklistKeys {
  /** '' asks for every modality. */
  readonly modality: string
  /** YYYYMMDD; '' leaves the day to the other side. */
  readonly startDate: string
}

const tag = (keyword: string): number => tagOf(keyword) as number
const SPECIFIC_CHARACTER_SET = 0x00080005
const STEPS = tag('ScheduledProcedureStepSequence')

const OF_EXAM = {
  patientName: tag('PatientName'),
  patientId: tag('PatientID'),
  accessionNumber: tag('AccessionNumber'),
} as const
const OF_STEP = {
  modality: tag('Modality'),
  startDate: tag('ScheduledProcedureStepStartDate'),
  startTime: tag('ScheduledProcedureStepStartTime'),
  description: tag('ScheduledProcedureStepDescription'),
} as const

/**
 * Asks for a worklist as a modality does: one C-FIND (PS3.4 Annex K).
 * @throws {RequestorError} where the association fails or the other side cannot answer: never an
 *   empty list instead.
 */
export async function findWorklist(
  peer: Peer,
  callingAeTitle: string,
  keys: WorklistKeys,
  limits: Partial<RequestorLimits> = {},
): Promise<WorklistExam[]> {
  const abstractSyntax = SOP_CLASS.modalityWorklistFind
  await using association = await openAssociation({
    ...{ peer, callingAeTitle, limits },
    contexts: [
      {
        abstractSyntax,
        transferSyntaxes: [
          TRANSFER_SYNTAX.explicitLittleEndian,
          TRANSFER_SYNTAX.implicitLittleEndian,
        ],
      },
    ],
  })
  const [context] = association.accepted
  if (!context)
    throw new RequestorError(
      'not-accepted',
      `${peer.aeTitle} has no worklist (C-FIND, Modality Worklist)`,
    )
  const exams: WorklistExam[] = []
  const command = {
    commandField: COMMAND_FIELD['C-FIND-RQ'],
    affectedSopClassUid: abstractSyntax,
    priority: 0,
  }
  const identifier = writeDataSet(identifierOf(keys), context.transferSyntax)
  for await (const { command: response, dataSet } of association.request(
    context.id,
    command,
    identifier,
  )) {
    const category = categoryOf(response.status ?? 0x0110)
    if (category === 'pending' && Buffer.isBuffer(dataSet))
      exams.push(examOf(readDataSet(dataSet, context.transferSyntax)))
    else if (category === 'failure') throw refused(peer, response.status)
  }
  return exams
}

// PS3.4 C.2.2.2.3: a key without a value matches everything, and asks for it back.
function identifierOf({ modality, startDate }: WorklistKeys): DataSet {
  const values: Readonly<Record<number, string>> = {
    [OF_STEP.modality]: modality,
    [OF_STEP.startDate]: startDate,
  }
  const elements = (tags: Readonly<Record<string, number>>): DataSet =>
    Object.values(tags)
      .sort((a, b) => a - b)
      .map((each) => ({ tag: each, vr: vrOf(each), value: Buffer.from(values[each] ?? '') }))
  return [...elements(OF_EXAM), { tag: STEPS, vr: 'SQ', value: [elements(OF_STEP)] }].sort(
    (a, b) => a.tag - b.tag,
  )
}

function examOf(row: DataSet): WorklistExam {
  const steps = row.find((element) => element.tag === STEPS)?.value
  const step = Array.isArray(steps) ? (steps[0] as DataSet | undefined) : undefined
  const bytesOf = (set: DataSet | undefined, wanted: number) => {
    const value = set?.find((element) => element.tag === wanted)?.value
    return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
  }
  const terms = withoutPadding(bytesOf(row, SPECIFIC_CHARACTER_SET).toString('latin1')).split('\\')
  const textsOf = <K extends string>(set: DataSet | undefined, tags: Readonly<Record<K, number>>) =>
    Object.fromEntries(
      Object.entries<number>(tags).map(([name, each]) => [
        name,
        withoutPadding(decodeText(bytesOf(set, each), terms, vrOf(each)).text),
      ]),
    ) as Record<K, string>
  return { ...textsOf(row, OF_EXAM), ...textsOf(step, OF_STEP) }
}
