import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import type { ExamDevice } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import type { Message } from '#shared/messages/message.ts'
import { daOf } from './dates.ts'
import { listGivenAnswers, type SentAnswer } from './inspection-queries.ts'
import type { AskedFor } from './item.ts'
import { listAnswersOfDay, readDocument } from './queries.ts'
import type { WorklistRow } from './row.ts'
import { findingsOf, readVerdicts, type VerdictDocument } from './verdicts.ts'
import type { WorklistCache } from './worklist-cache.ts'

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

/** What is known of a row on the lists of one device. */
interface OnList {
  row: WorklistRow
  sentAt: string | null
  isOnList: boolean
  withheld: Message | null
}

/**
 * What devices have on their lists, from the partner's answers that are kept and the records of
 * their queries.
 */
export class DeviceLists {
  readonly #context: Context
  readonly #answers: WorklistCache
  readonly #verdicts = new LRUCache<string, VerdictDocument>({ max: MOST_VERDICTS })

  constructor(context: Context, answers: WorklistCache) {
    this.#context = context
    this.#answers = answers
  }

  /** The rows of a day, of all devices' answers or of one device's. */
  async ofDay(day: string, only: Device | undefined): Promise<DayRows> {
    const devices = listDevices(this.#context.database)
    const deviceOf = (aeTitle: string) =>
      devices.find((device) => device.aeTitle.toUpperCase() === aeTitle.toUpperCase())
    const kept = await this.#keptAnswers(day, deviceOf)
    const isWanted = (aeTitle: string) =>
      only === undefined || aeTitle.toUpperCase() === only.aeTitle.toUpperCase()
    const wanted = [...kept].filter(([aeTitle]) => isWanted(aeTitle))
    const drafts = new Map<string, Draft>()
    for (const [aeTitle, answers] of wanted)
      for (const { rows, receivedAt } of answers)
        for (const [key, row] of rows) noteRow(drafts, key, row, receivedAt, aeTitle)
    const aeTitles = [...kept.keys(), ...devices.map(({ aeTitle }) => aeTitle)]
    for (const aeTitle of new Set(aeTitles.filter(isWanted)))
      await this.#addLists(day, aeTitle, deviceOf(aeTitle), drafts)
    // The newest answer of an AE title is its first.
    const newest = wanted.flatMap(([aeTitle, [answer]]) =>
      answer ? [{ aeTitle, receivedAt: answer.receivedAt }] : [],
    )
    const asked = newest.filter(({ aeTitle }) => deviceOf(aeTitle)?.isEnabled === true)
    return {
      rows: new Map(
        [...drafts].map(([key, { row, knownTo, devices }]) => [
          key,
          { row, devices, goneAt: goneAt(key, row, knownTo, kept) },
        ]),
      ),
      receivedAt: instants(newest).at(-1) ?? null,
      oldestAt: instants(asked)[0] ?? null,
    }
  }

  async #keptAnswers(
    day: string,
    deviceOf: (aeTitle: string) => Device | undefined,
  ): Promise<Map<string, KeptAnswer[]>> {
    const kept = new Map<string, KeptAnswer[]>()
    for (const answer of listAnswersOfDay(this.#context.database, day)) {
      const { callingAe, dateStart, dateEnd, modality, documentHash, receivedAt } = answer
      const askedFor = {
        dateStart,
        dateEnd,
        modality: modality ?? deviceOf(callingAe)?.modality ?? '',
      }
      const rows = new Map(
        [...(await this.#rowsOn(day, documentHash, askedFor))].map(([key, [row]]) => [key, row]),
      )
      kept.set(callingAe, [...(kept.get(callingAe) ?? []), { receivedAt, modality, rows }])
    }
    return kept
  }

  /** Each with its place in the answer. */
  async #rowsOn(
    day: string,
    hash: string,
    askedFor: AskedFor,
  ): Promise<Map<string, readonly [WorklistRow, number]>> {
    const list = await this.#answers.rowsOf(hash, askedFor)
    const date = daOf(day)
    const rows = new Map<string, readonly [WorklistRow, number]>()
    const isOneDay = askedFor.dateStart === day && askedFor.dateEnd === day
    for (const [index, row] of (list?.rows ?? []).entries()) {
      const start = row.values.ScheduledProcedureStepStartDate
      // Without a date it is of the day that was asked for, where that is one.
      if (start !== date && !(start === '' && isOneDay)) continue
      const key = stepKey(row)
      if (!rows.has(key)) rows.set(key, [row, index])
    }
    return rows
  }

  /** Adds to the drafts what the device was sent. */
  async #addLists(
    day: string,
    aeTitle: string,
    device: Device | undefined,
    drafts: Map<string, Draft>,
  ): Promise<void> {
    const found = await this.#listedOn(day, aeTitle)
    for (const [key, { row, sentAt, isOnList, withheld }] of found) {
      if (sentAt !== null) noteRow(drafts, key, row, '', aeTitle)
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

  async #listedOn(day: string, aeTitle: string): Promise<Map<string, OnList>> {
    const found = new Map<string, OnList>()
    let hasList = false
    for (const given of listGivenAnswers(this.#context.database, aeTitle, MOST_LISTS)) {
      const verdicts = this.#verdictsOf(given)
      const askedFor = verdicts?.context
      if (!verdicts || !askedFor || askedFor.dateStart > day || askedFor.dateEnd < day) continue
      const isList: boolean = !hasList && !isNarrow(verdicts.keys)
      const findings = [...findingsOf(verdicts)]
      for (const [key, [row, index]] of await this.#rowsOn(day, given.answerHash, askedFor)) {
        const { verdict, reason } = findings[index] ?? {}
        if (verdict !== 'sent' && verdict !== 'withheld') continue
        const known = found.get(key) ?? { row, sentAt: null, isOnList: false, withheld: null }
        found.set(key, known)
        if (verdict === 'sent') {
          if (known.sentAt === null) Object.assign(known, { row, sentAt: given.at })
          if (isList) known.isOnList = true
        }
        // What no device may have is said once, of the row.
        else if (isList && row.withheld === null) known.withheld = reason ?? null
      }
      hasList ||= isList
    }
    return found
  }

  #verdictsOf({ verdictHash }: SentAnswer): VerdictDocument | undefined {
    const known = this.#verdicts.get(verdictHash)
    if (known) return known
    const bytes = readDocument(this.#context, verdictHash)
    const read = bytes && readVerdicts(bytes)
    if (read) this.#verdicts.set(verdictHash, read)
    return read
  }
}

const instants = (answers: readonly { readonly receivedAt: string }[]): string[] =>
  answers.map(({ receivedAt }) => receivedAt).sort()

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
