import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { CFindScp } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import { IDENTIFIER_SYNTAXES } from './basic-worklist.ts'
import { find } from './find.ts'

/** The options of C-FIND by their position (PS3.4 Table C.5-1). */
const OPTION_INDEX = { relational: 0, dateTime: 1 } as const
/** Supported options; fuzzy matching of names and adjustment of time zones are not. */
const SUPPORTED_OPTIONS: ReadonlySet<number> = new Set(Object.values(OPTION_INDEX))

const NO_OPTIONS = Buffer.alloc(0)

/** The options of C-FIND that a requestor and the gateway agreed on. */
export interface QueryOptions {
  /** Keys above the level may be missing or have several values (PS3.4 C.4.1.3.2.1). */
  readonly isRelational: boolean
  /** Ranges of dates and times are one interval (PS3.4 C.2.2.2.5). */
  readonly combinesDateTime: boolean
}

export const queryOptions = (options: Buffer = NO_OPTIONS): QueryOptions => ({
  isRelational: options[OPTION_INDEX.relational] === 1,
  combinesDateTime: options[OPTION_INDEX.dateTime] === 1,
})

/** Patient Root and Study Root C-FIND as SCP (PS3.4 Annex C). */
export function query(scp: CFindScp): ServiceClass {
  return {
    sopClasses: [SOP_CLASS.studyRootFind, SOP_CLASS.patientRootFind],
    transferSyntaxes: IDENTIFIER_SYNTAXES,
    acceptsScpRole: false,
    negotiateOptions: (proposed) =>
      Buffer.from(proposed.map((value, at) => (value === 1 && SUPPORTED_OPTIONS.has(at) ? 1 : 0))),
    commands: { [COMMAND_FIELD['C-FIND-RQ']]: (operation) => find(scp, operation) },
  }
}
