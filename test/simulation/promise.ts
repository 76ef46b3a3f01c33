import type { Ledger } from './ledger.ts'
import type { Reader } from './reader.ts'

/** What a promise is checked against: what everybody was told, and what is there. */
export interface Evidence {
  readonly ledger: Ledger
  readonly reader: Reader
  /** Whether everything that waits has had the time to be done. */
  readonly isEnd: boolean
}

/** A promise of docs/ARCHITECTURE.md. */
export interface Promised {
  readonly name: string
  /** step: looked at after every step; day: at the end of each day and after each sudden end. */
  readonly when: 'step' | 'day'
  /** Sentences, one for each breach; no patient in them but what was invented. */
  check(evidence: Evidence): readonly string[]
}
