import { TRANSFER_SYNTAX } from './uids.ts'

/** Elements in ascending order of their tags, without duplicates. */
export type DataSet = readonly Element[]

export interface Element {
  /** Group and element as one number: 0x00100010. */
  readonly tag: number
  readonly vr: string
  /**
   * The value as encoded, padding included, but with numbers always in little endian; for a
   * sequence its items.
   */
  readonly value: Buffer | readonly DataSet[]
}

export interface Coding {
  readonly explicit: boolean
  readonly bigEndian: boolean
  readonly deflated: boolean
}

export const IMPLICIT: Coding = { explicit: false, bigEndian: false, deflated: false }

/** PS3.5 Annex A: the transfer syntaxes in which data sets are read and written. */
export const CODINGS: Readonly<Record<string, Coding>> = {
  [TRANSFER_SYNTAX.implicitLittleEndian]: IMPLICIT,
  [TRANSFER_SYNTAX.explicitLittleEndian]: { explicit: true, bigEndian: false, deflated: false },
  [TRANSFER_SYNTAX.explicitBigEndian]: { explicit: true, bigEndian: true, deflated: false },
  [TRANSFER_SYNTAX.deflatedExplicitLittleEndian]: {
    explicit: true,
    bigEndian: false,
    deflated: true,
  },
}

// PS3.5 §7.5
export const ITEM = 0xfffee000
export const ITEM_DELIMITATION = 0xfffee00d
export const SEQUENCE_DELIMITATION = 0xfffee0dd
export const UNDEFINED_LENGTH = 0xffffffff
