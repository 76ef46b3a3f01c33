import { z } from 'zod'
import {
  type ReceivedKey,
  ReceivedKey as ReceivedKeySchema,
  RowVerdict,
} from '#shared/contract/worklist.ts'
import { verbatim } from '#shared/messages/message.ts'
import { Message } from '#shared/messages/message-schema.ts'
import type { RequestScope } from './item.ts'

export type Verdict = RowVerdict['verdict']

/**
 * A verdict with its reason. Each distinct finding is stored once, and rows refer to it by index.
 */
export interface Finding {
  readonly verdict: Verdict
  readonly reason: Message | null
  /**
   * Remarks of this query. The remarks of the row itself are not stored; they are derived from the
   * row.
   */
  readonly remarks: readonly Message[]
}

/**
 * The findings on the rows of an answer, in its order, as run-length encoding: thousands of rows
 * take a few numbers.
 */
export interface VerdictRuns {
  readonly findings: readonly Finding[]
  /** Alternating counts and indices into `findings`. */
  readonly runs: readonly number[]
}

/** Collects distinct findings; `place` returns the index of one. */
export function findingTable() {
  const findings: Finding[] = []
  const places = new Map<string, number>()
  return {
    findings,
    place(
      verdict: Verdict,
      reason: Message | null = null,
      remarks: readonly Message[] = [],
    ): number {
      const key = JSON.stringify([verdict, reason, remarks])
      let findingIndex = places.get(key)
      if (findingIndex === undefined) {
        findingIndex = findings.push({ verdict, reason, remarks }) - 1
        places.set(key, findingIndex)
      }
      return findingIndex
    },
  }
}

/** Run-length encodes the finding index of each row. */
export function runsOf(places: Uint16Array): number[] {
  const runs: number[] = []
  for (let at = 0; at < places.length; ) {
    let end = at + 1
    while (end < places.length && places[end] === places[at]) end++
    runs.push(end - at, places[at] ?? 0)
    at = end
  }
  return runs
}

/** Yields the finding on each row. */
export function* findingsOf({ findings, runs }: VerdictRuns): Generator<Finding, void, void> {
  for (let at = 0; at + 1 < runs.length; at += 2) {
    const finding = findings[runs[at + 1] ?? -1]
    for (let count = runs[at] ?? 0; finding && count > 0; count--) yield finding
  }
}

/**
 * What all queries with the same identifier on the same answer share; stored once under its hash.
 * `context` is the scope with which the rows were read; null if there are no rows.
 */
export interface VerdictDocument extends VerdictRuns {
  readonly keys: readonly ReceivedKey[]
  readonly remarks: readonly Message[]
  readonly context: RequestScope | null
}

const StoredRemark = z.union([Message, z.string().transform(verbatim)])
/** Version 0.1 stored English text, with '' for none. */
export const StoredMessage = z.union([
  Message.nullable(),
  z.string().transform((text) => (text === '' ? null : verbatim(text))),
])
const StoredVerdicts = z.object({
  findings: z.array(
    z.object({
      verdict: RowVerdict.shape.verdict,
      reason: StoredMessage,
      remarks: z.array(StoredRemark),
    }),
  ),
  runs: z.array(z.int().min(0)),
  keys: z.array(ReceivedKeySchema),
  remarks: z.array(StoredRemark),
  context: z
    .object({ dateStart: z.string(), dateEnd: z.string(), modality: z.string() })
    .nullable(),
})

export const readVerdicts = (bytes: Buffer): VerdictDocument =>
  StoredVerdicts.parse(JSON.parse(bytes.toString()))

/** A document that many records refer to. */
export interface SharedDocument {
  readonly bytes: Buffer
  /** Its hash; '' until it has been stored. */
  hash: string
  /** When it was stored, in milliseconds since 1970. */
  keptAt: number
}

export const sharedDocument = (document: VerdictDocument): SharedDocument => ({
  bytes: Buffer.from(JSON.stringify(document)),
  hash: '',
  keptAt: 0,
})
