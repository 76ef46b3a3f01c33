import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import type { ExamDevice } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import type { Message } from '#shared/messages/message.ts'
import { daOf } from './dates.ts'
import { listServedAnswers, type SentAnswer } from './inspection-queries.ts'
import type { RequestScope } from './item.ts'
import { listAnswersOfDay, readDocument } from './queries.ts'
import type { WorklistRow } from './row.ts'
import { findingsOf, readVerdicts, type VerdictDocument } from './verdicts.ts'
import type { WorklistCache } from './worklist-cache.ts'

/** A row of the partner's answers, with the devices it was sent to or withheld from. */
export interface PlannedRow {
  readonly row: WorklistRow
  readonly devices: readonly ExamDevice[]
  /** When the first answer that no longer lists the row was received; null while it is listed. */
  readonly goneAt: string | null
}

export interface RowsOfDay {
  /** By study and step, see `stepKey`. */
  readonly rows: ReadonlyMap<string, PlannedRow>
  /** When the newest answer that covers the day was received; null if there is none. */
  readonly receivedAt: string | null
  /**
   * For each enabled device, its newest answer is considered: when the oldest of these was
   * received.
   */
  readonly oldestAt: string | null
}

/** A stored answer of the partner that covers the day, for one AE title. */
interface StoredAnswer {
  readonly receivedAt: string
  readonly modality: string | null
  readonly rows: ReadonlyMap<string, WorklistRow>
}

/** A row under construction while answers and lists are read. */
interface RowDraft {
  row: WorklistRow
  rowAt: string
  /** AE titles that had the row in an answer or were sent it. */
  readonly knownTo: Set<string>
  readonly devices: ExamDevice[]
}

/** Maximum number of recorded lists examined per device, newest first. */
const MAX_LISTS = 25
const MAX_CACHED_VERDICTS = 500
/**
 * A query with one of these keys asks for a patient or an order, not for the device's list (PS3.4
 * K.2.2.1).
 */
const PATIENT_OR_ORDER_KEYS = [
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

/** The state of a row on the lists of one device. */
interface ListEntry {
  row: WorklistRow
  sentAt: string | null
  isOnList: boolean
  withheld: Message | null
}

/**
 * What devices have on their worklists, derived from the partner's stored answers and the records
 * of the devices' queries.
 */
export class DeviceLists {
  readonly #context: Context
  readonly #answers: WorklistCache
  readonly #verdicts = new LRUCache<string, VerdictDocument>({ max: MAX_CACHED_VERDICTS })

  constructor(context: Context, answers: WorklistCache) {
    this.#context = context
    this.#answers = answers
  }

  /** The rows of a day from the answers to all devices, or to one device. */
  async ofDay(day: string, only: Device | undefined): Promise<RowsOfDay> {
    const devices = listDevices(this.#context.database)
    const deviceOf = (aeTitle: string) =>
      devices.find((device) => device.aeTitle.toUpperCase() === aeTitle.toUpperCase())
    const stored = await this.#storedAnswers(day, deviceOf)
    const isWanted = (aeTitle: string) =>
      only === undefined || aeTitle.toUpperCase() === only.aeTitle.toUpperCase()
    const wanted = [...stored].filter(([aeTitle]) => isWanted(aeTitle))
    const drafts = new Map<string, RowDraft>()
    for (const [aeTitle, answers] of wanted)
      for (const { rows, receivedAt } of answers)
        for (const [key, row] of rows) addRow(drafts, key, row, receivedAt, aeTitle)
    const aeTitles = [...stored.keys(), ...devices.map(({ aeTitle }) => aeTitle)]
    for (const aeTitle of new Set(aeTitles.filter(isWanted)))
      await this.#addLists(day, aeTitle, deviceOf(aeTitle), drafts)
    // The answers of an AE title are sorted, newest first.
    const newest = wanted.flatMap(([aeTitle, [answer]]) =>
      answer ? [{ aeTitle, receivedAt: answer.receivedAt }] : [],
    )
    const asked = newest.filter(({ aeTitle }) => deviceOf(aeTitle)?.isEnabled === true)
    return {
      rows: new Map(
        [...drafts].map(([key, { row, knownTo, devices }]) => [
          key,
          { row, devices, goneAt: goneAt(key, row, knownTo, stored) },
        ]),
      ),
      receivedAt: instants(newest).at(-1) ?? null,
      oldestAt: instants(asked)[0] ?? null,
    }
  }

  async #storedAnswers(
    day: string,
    deviceOf: (aeTitle: string) => Device | undefined,
  ): Promise<Map<string, StoredAnswer[]>> {
    const stored = new Map<string, StoredAnswer[]>()
    for (const answer of listAnswersOfDay(this.#context.database, day)) {
      const { callingAe, dateStart, dateEnd, modality, documentHash, receivedAt } = answer
      const requestScope = {
        dateStart,
        dateEnd,
        modality: modality ?? deviceOf(callingAe)?.modality ?? '',
      }
      const rows = new Map(
        [...(await this.#rowsOn(day, documentHash, requestScope))].map(([key, [row]]) => [
          key,
          row,
        ]),
      )
      stored.set(callingAe, [...(stored.get(callingAe) ?? []), { receivedAt, modality, rows }])
    }
    return stored
  }

  /** The rows of a day, each with its index in the answer. */
  async #rowsOn(
    day: string,
    hash: string,
    askedFor: RequestScope,
  ): Promise<Map<string, readonly [WorklistRow, number]>> {
    const list = await this.#answers.rowsOf(hash, askedFor)
    const date = daOf(day)
    const rows = new Map<string, readonly [WorklistRow, number]>()
    const isOneDay = askedFor.dateStart === day && askedFor.dateEnd === day
    for (const [index, row] of (list?.rows ?? []).entries()) {
      const start = row.values.ScheduledProcedureStepStartDate
      // A row without a date belongs to the requested day, if only one day was requested.
      if (start !== date && !(start === '' && isOneDay)) continue
      const key = stepKey(row)
      if (!rows.has(key)) rows.set(key, [row, index])
    }
    return rows
  }

  /** Adds what was sent to and withheld from the device to the drafts. */
  async #addLists(
    day: string,
    aeTitle: string,
    device: Device | undefined,
    drafts: Map<string, RowDraft>,
  ): Promise<void> {
    const found = await this.#listEntries(day, aeTitle)
    for (const [key, { row, sentAt, isOnList, withheld }] of found) {
      if (sentAt !== null) addRow(drafts, key, row, '', aeTitle)
      if (sentAt === null && withheld === null) continue
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

  async #listEntries(day: string, aeTitle: string): Promise<Map<string, ListEntry>> {
    const found = new Map<string, ListEntry>()
    let hasList = false
    for (const sentAnswer of listServedAnswers(this.#context.database, aeTitle, MAX_LISTS)) {
      const verdicts = this.#verdictsOf(sentAnswer)
      const requestScope = verdicts?.context
      if (!verdicts || !requestScope || requestScope.dateStart > day || requestScope.dateEnd < day)
        continue
      const isGeneralList: boolean = !hasList && !asksForPatientOrOrder(verdicts.keys)
      const findings = [...findingsOf(verdicts)]
      for (const [key, [row, index]] of await this.#rowsOn(
        day,
        sentAnswer.answerHash,
        requestScope,
      )) {
        const { verdict, reason } = findings[index] ?? {}
        if (verdict !== 'sent' && verdict !== 'withheld') continue
        const entry = found.get(key) ?? { row, sentAt: null, isOnList: false, withheld: null }
        found.set(key, entry)
        if (verdict === 'sent') {
          if (entry.sentAt === null) Object.assign(entry, { row, sentAt: sentAnswer.at })
          if (isGeneralList) entry.isOnList = true
        }
        // If the row is withheld from all devices, that is recorded once, with the row.
        else if (isGeneralList && row.withheld === null) entry.withheld = reason ?? null
      }
      hasList ||= isGeneralList
    }
    return found
  }

  #verdictsOf({ verdictHash }: SentAnswer): VerdictDocument | undefined {
    const entry = this.#verdicts.get(verdictHash)
    if (entry) return entry
    const bytes = readDocument(this.#context, verdictHash)
    const read = bytes && readVerdicts(bytes)
    if (read) this.#verdicts.set(verdictHash, read)
    return read
  }
}

const instants = (answers: readonly { readonly receivedAt: string }[]): string[] =>
  answers.map(({ receivedAt }) => receivedAt).sort()

/** Adds a row to the drafts; the version of the newest answer wins. */
function addRow(
  drafts: Map<string, RowDraft>,
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
 * Returns when a row was removed by the partner, or null while it is listed. A row counts as
 * removed if, for every AE title that had it, the newest answer that would include it no longer
 * does. If no answer would include it, the row is assumed to be listed.
 */
function goneAt(
  key: string,
  row: WorklistRow,
  knownTo: ReadonlySet<string>,
  stored: ReadonlyMap<string, readonly StoredAnswer[]>,
): string | null {
  let at: string | null = null
  for (const aeTitle of knownTo) {
    const newest = stored
      .get(aeTitle)
      ?.find(({ modality }) => modality === null || modality === row.values.Modality)
    if (!newest || newest.rows.has(key)) return null
    if (at === null || newest.receivedAt > at) at = newest.receivedAt
  }
  return at
}

const asksForPatientOrOrder = (keys: readonly ReceivedKey[]): boolean =>
  keys.some(
    ({ keyword, matching }) =>
      PATIENT_OR_ORDER_KEYS.includes(keyword) && matching !== 'universal' && matching !== 'ignored',
  )
