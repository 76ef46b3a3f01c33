import type { Context } from '#server/context.ts'
import type { ExamDevice } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { daOf } from './calendar.ts'
import type { HandedOutAnswer } from './inspection-queries.ts'
import type { ItemContext } from './item.ts'
import type { WorklistRow } from './row.ts'
import { type Finding, findingsOf, readVerdicts, type VerdictDocument } from './verdicts.ts'
import type { Worklist } from './worklist.ts'

/** A row of the partner with the devices that know it. */
export interface PlannedRow {
  readonly row: WorklistRow
  readonly devices: readonly ExamDevice[]
  /** When the answer was received that does not list it any more; null while it is listed. */
  readonly goneAt: string | null
}

export interface DayRows {
  /** By study and step. */
  readonly rows: ReadonlyMap<string, PlannedRow>
  /** When the newest answer that holds the day was received; null where none does. */
  readonly receivedAt: string | null
  /**
   * Of the device that is switched on and was answered the longest ago: when its newest answer was
   * received.
   */
  readonly oldestAt: string | null
}

export interface DeviceListsDeps {
  readonly store: Pick<Context, 'answers' | 'documents' | 'inspections'>
  readonly devices: () => readonly Device[]
  readonly keptList: Worklist['keptList']
}

export interface DeviceLists {
  /** The rows of a day, of all devices' answers or of one device's. */
  ofDay(day: string, device: Device | undefined): Promise<DayRows>
}

/** An answer of the partner that holds the day, of one AE title. */
interface KeptAnswer {
  readonly receivedAt: string
  readonly modality: string | null
  readonly rows: ReadonlyMap<string, WorklistRow>
}

/** What is gathered of a row while answers and lists are read. */
interface Draft {
  row: WorklistRow
  rowAt: string
  /** AE titles of which an answer or a list had it. */
  readonly knownTo: Set<string>
  readonly devices: ExamDevice[]
}

/** Lists of one device that are looked at for who was sent what, newest first. */
const MOST_LISTS = 25
const MOST_VERDICTS = 500
/**
 * PS3.4 K.2.2.1: a query for one of these is about a patient or an order, and not the device's
 * list.
 */
const NARROWING = [
  'PatientName',
  'PatientID',
  'AccessionNumber',
  'RequestedProcedureID',
  'StudyInstanceUID',
  'ScheduledProcedureStepID',
]

export const stepKey = (row: WorklistRow): string => {
  const { StudyInstanceUID, ScheduledProcedureStepID, PatientID, AccessionNumber } = row.values
  return StudyInstanceUID === ''
    ? `? ${PatientID} ${AccessionNumber}`
    : `${StudyInstanceUID} ${ScheduledProcedureStepID}`
}

/**
 * What devices have on their lists, from the partner's answers that are kept and the records of
 * their queries.
 */
export function openDeviceLists({ store, devices, keptList }: DeviceListsDeps): DeviceLists {
  const verdictsRead = new Map<string, VerdictDocument>()

  function verdictsOf({ verdictHash }: HandedOutAnswer): VerdictDocument | undefined {
    const known = verdictsRead.get(verdictHash)
    if (known) return known
    const bytes = store.documents.read(verdictHash)
    if (!bytes) return undefined
    const read = readVerdicts(bytes)
    if (verdictsRead.size >= MOST_VERDICTS)
      verdictsRead.delete(verdictsRead.keys().next().value ?? '')
    verdictsRead.set(verdictHash, read)
    return read
  }

  async function rowsOn(
    day: string,
    hash: string,
    context: ItemContext,
  ): Promise<Map<string, readonly [WorklistRow, number]>> {
    const list = await keptList(hash, context)
    const date = daOf(day)
    const rows = new Map<string, readonly [WorklistRow, number]>()
    const isOneDay = context.dateStart === day && context.dateEnd === day
    for (const [index, row] of (list?.rows ?? []).entries()) {
      const start = row.values.ScheduledProcedureStepStartDate
      // Without a date it is of the day that was asked for, where that is one.
      if (start !== date && !(start === '' && isOneDay)) continue
      const key = stepKey(row)
      if (!rows.has(key)) rows.set(key, [row, index])
    }
    return rows
  }

  async function keptAnswers(
    day: string,
    deviceOf: (aeTitle: string) => Device | undefined,
  ): Promise<Map<string, KeptAnswer[]>> {
    const kept = new Map<string, KeptAnswer[]>()
    for (const {
      callingAe,
      dateStart,
      dateEnd,
      modality,
      documentHash,
      receivedAt,
    } of store.answers.holding(day)) {
      const context = {
        dateStart,
        dateEnd,
        modality: modality ?? deviceOf(callingAe)?.modality ?? '',
      }
      const rows = new Map(
        [...(await rowsOn(day, documentHash, context))].map(([key, [row]]) => [key, row]),
      )
      kept.set(callingAe, [...(kept.get(callingAe) ?? []), { receivedAt, modality, rows }])
    }
    return kept
  }

  /** Adds to the drafts what the device was given. */
  async function readLists(
    day: string,
    aeTitle: string,
    device: Device | undefined,
    drafts: Map<string, Draft>,
  ): Promise<void> {
    const found = new Map<string, { sentAt: string | null; isOnList: boolean; withheld: string }>()
    let hasList = false
    for (const given of store.inspections.answered(aeTitle, MOST_LISTS)) {
      const verdicts = verdictsOf(given)
      const context = verdicts?.context
      if (!verdicts || !context || context.dateStart > day || context.dateEnd < day) continue
      const isList: boolean = !hasList && !isNarrow(verdicts.keys)
      const findings: Finding[] = [...findingsOf(verdicts)]
      for (const [key, [row, index]] of await rowsOn(day, given.answerHash, context)) {
        const finding = findings[index]
        if (finding?.verdict !== 'sent' && finding?.verdict !== 'withheld') continue
        const isSent = finding.verdict === 'sent'
        const known = found.get(key) ?? { sentAt: null, isOnList: false, withheld: '' }
        found.set(key, known)
        if (isSent) known.sentAt ??= given.at
        if (isSent && isList) known.isOnList = true
        // What no device may have is said once, of the row.
        if (!isSent && isList && row.withheld === '') known.withheld = finding.reason
        if (isSent) noteRow(drafts, key, row, '', aeTitle)
      }
      hasList ||= isList
    }
    for (const [key, { sentAt, isOnList, withheld }] of found) {
      if (sentAt === null && withheld === '') continue
      drafts.get(key)?.devices.push({
        deviceId: device?.deviceId ?? null,
        aeTitle,
        name: device?.name ?? '',
        isOnList,
        sentAt,
        withheld,
      })
    }
  }

  return {
    async ofDay(day, only) {
      const known = devices()
      const deviceOf = (aeTitle: string) =>
        known.find((device) => device.aeTitle.toUpperCase() === aeTitle.toUpperCase())
      const kept = await keptAnswers(day, deviceOf)
      const isWanted = (aeTitle: string) =>
        only === undefined || aeTitle.toUpperCase() === only.aeTitle.toUpperCase()
      const drafts = new Map<string, Draft>()
      let receivedAt: string | null = null
      let oldestAt: string | null = null
      for (const [aeTitle, answers] of kept) {
        if (!isWanted(aeTitle)) continue
        // The newest is the first.
        const [newest] = answers
        const isAsked = deviceOf(aeTitle)?.isEnabled === true
        if (isAsked && newest && (oldestAt === null || newest.receivedAt < oldestAt))
          oldestAt = newest.receivedAt
        for (const answer of answers) {
          if (receivedAt === null || answer.receivedAt > receivedAt) receivedAt = answer.receivedAt
          for (const [key, row] of answer.rows)
            noteRow(drafts, key, row, answer.receivedAt, aeTitle)
        }
      }
      const aeTitles = new Set(
        [...kept.keys(), ...known.map(({ aeTitle }) => aeTitle)].filter(isWanted),
      )
      for (const aeTitle of aeTitles) await readLists(day, aeTitle, deviceOf(aeTitle), drafts)
      const rows = new Map(
        [...drafts].map(
          ([key, { row, knownTo, devices: of }]) =>
            [key, { row, devices: of, goneAt: goneAt(key, row, knownTo, kept) }] as const,
        ),
      )
      return { rows, receivedAt, oldestAt }
    },
  }
}

/** The newest answer says how a row is. */
function noteRow(
  drafts: Map<string, Draft>,
  key: string,
  row: WorklistRow,
  at: string,
  aeTitle: string,
): void {
  const draft = drafts.get(key)
  if (!draft)
    return void drafts.set(key, { row, rowAt: at, knownTo: new Set([aeTitle]), devices: [] })
  draft.knownTo.add(aeTitle)
  if (at > draft.rowAt) Object.assign(draft, { row, rowAt: at })
}

/**
 * A row is gone where, for every AE title that knew it, the newest answer that would hold it does
 * not. Where no answer would, nobody knows: it is taken as listed.
 */
function goneAt(
  key: string,
  row: WorklistRow,
  knownTo: ReadonlySet<string>,
  kept: ReadonlyMap<string, readonly KeptAnswer[]>,
): string | null {
  let at: string | null = null
  for (const aeTitle of knownTo) {
    const newest = kept
      .get(aeTitle)
      ?.find(({ modality }) => modality === null || modality === row.values.Modality)
    if (!newest || newest.rows.has(key)) return null
    if (at === null || newest.receivedAt > at) at = newest.receivedAt
  }
  return at
}

const isNarrow = (keys: readonly ReceivedKey[]): boolean =>
  keys.some(
    ({ keyword, matching }) =>
      NARROWING.includes(keyword) && matching !== 'universal' && matching !== 'ignored',
  )
