import { SOP_CLASS } from '../../electron/server/dicom/data-set/uids.ts'
import type { ServiceClass } from '../../electron/server/dicom/dimse/service-class.ts'
import { basicWorklist } from '../../electron/server/dicom/scp/basic-worklist.ts'
import { query } from '../../electron/server/dicom/scp/query.ts'
import { getService, moveService } from '../../electron/server/dicom/scp/retrieval.ts'
import {
  mpps,
  storage,
  storageCommitment,
  verification,
} from '../../electron/server/dicom/scp/service-classes.ts'
import { RIGHT_BY_SOP_CLASS } from '../../electron/server/modules/devices/retrieval-rights.ts'
import { table, yesNo } from './markdown.ts'
import { STORAGE_CLASSES, TRANSFER_SYNTAXES } from './registry.ts'
import { sopClassKeysIn } from './source.ts'

const never = () => Promise.reject(new Error('not asked'))

/** The service classes of the gateway as SCP, as `dicom.ts` opens them; nothing behind them. */
export const SERVICES = {
  verification: verification(),
  worklist: basicWorklist({ find: never as never }),
  storage: storage({ store: never }, () => false),
  steps: mpps({ create: never, set: never }),
  commitment: storageCommitment({ action: never }, () => true),
  query: query({ find: never as never }),
  move: moveService({ retrieve: never }),
  get: getService({ retrieve: never }),
} as const satisfies Record<string, ServiceClass>

const SWITCHED_OFF = storageCommitment({ action: never }, () => false)

/** Names of PS3.6 for the classes of `SOP_CLASS`. */
const NAMES: Readonly<Record<keyof typeof SOP_CLASS, string>> = {
  verification: 'Verification SOP Class',
  modalityWorklistFind: 'Modality Worklist Information Model - FIND',
  modalityPerformedProcedureStep: 'Modality Performed Procedure Step SOP Class',
  storageCommitmentPushModel: 'Storage Commitment Push Model SOP Class',
  patientRootFind: 'Patient Root Query/Retrieve Information Model - FIND',
  patientRootMove: 'Patient Root Query/Retrieve Information Model - MOVE',
  patientRootGet: 'Patient Root Query/Retrieve Information Model - GET',
  studyRootFind: 'Study Root Query/Retrieve Information Model - FIND',
  studyRootMove: 'Study Root Query/Retrieve Information Model - MOVE',
  studyRootGet: 'Study Root Query/Retrieve Information Model - GET',
}

/** What a class is asked for as SCU where that is not plain. */
const SCU_NOTES: Partial<Record<keyof typeof SOP_CLASS, string>> = {
  verification: 'a user tests a device or a destination',
  modalityWorklistFind: 'only by the command `simulator modality`, to try a gateway',
  storageCommitmentPushModel: 'to destinations that are set to confirm what they store',
  studyRootFind: 'a user searches for prior studies',
  studyRootMove: 'a user retrieves a prior study',
}

const offers = (service: ServiceClass, uid: string): boolean =>
  service.sopClasses.includes(uid) || service.offers?.(uid) === true

/** SOP classes of which we are the user: what `scu/` names. */
export function calledClasses(): ReadonlySet<string> {
  const keys = sopClassKeysIn('dicom/scu')
  return new Set([...keys].map((key) => SOP_CLASS[key as keyof typeof SOP_CLASS]))
}

/** By name in PS3.6; the UID itself where it has none there. */
export const syntaxName = (uid: string): string => {
  const known = TRANSFER_SYNTAXES.find((one) => one.uid === uid)
  return known ? `${known.name}${known.isRetired ? ' (retired)' : ''}` : uid
}
export const className = (uid: string): string => {
  const key = (Object.keys(SOP_CLASS) as (keyof typeof SOP_CLASS)[]).find(
    (name) => SOP_CLASS[name] === uid,
  )
  return key ? NAMES[key] : (STORAGE_CLASSES.find((one) => one.uid === uid)?.name ?? uid)
}

function scpOf(uid: string): string {
  if (!Object.values(SERVICES).some((service) => offers(service, uid))) return 'No'
  const right = RIGHT_BY_SOP_CLASS[uid]
  if (right)
    return `Yes, to devices with permission (\`retrieval\`: ${right === 'query' ? '`query` or ' : ''}\`retrieve\`)`
  const isOption = offers(SERVICES.commitment, uid) && !offers(SWITCHED_OFF, uid)
  return isOption ? 'Option, off by default (`commitment.isOn`)' : 'Yes'
}

/** Table N.1-1 of PS3.2: what is offered and used. */
export function sopClassTable(): string {
  const called = calledClasses()
  const rows = (Object.keys(SOP_CLASS) as (keyof typeof SOP_CLASS)[]).flatMap((key) => {
    const uid = SOP_CLASS[key]
    const [scu, scp] = [called.has(uid), scpOf(uid)]
    const note = SCU_NOTES[key]
    return scu || scp !== 'No'
      ? [[NAMES[key], uid, scu && note ? `Yes: ${note}` : yesNo(scu), scp]]
      : []
  })
  const all = [
    'All SOP classes of the Storage Service Class',
    'listed in section 5.2.3',
    'Yes: to destinations',
    'Yes',
  ]
  return table(['SOP class', 'UID', 'user (SCU)', 'provider (SCP)'], [...rows, all])
}

const NAMED = [
  ['Verification', SERVICES.verification],
  ['Modality Worklist', SERVICES.worklist],
  ['Modality Performed Procedure Step', SERVICES.steps],
  ['Storage Commitment Push Model', SERVICES.commitment],
  ['Query/Retrieve: C-FIND', SERVICES.query],
  ['Query/Retrieve: C-MOVE', SERVICES.move],
  ['Query/Retrieve: C-GET', SERVICES.get],
] as const

/** Transfer syntaxes of all services but storage, in their order of preference. */
export const acceptedContextTable = (): string =>
  table(
    [
      'service',
      'transfer syntaxes, the preferred one first',
      'role of the requestor',
      'extended negotiation',
    ],
    NAMED.map(([name, { transferSyntaxes, acceptsScpRole, negotiateOptions }]) => [
      name,
      transferSyntaxes.map((uid) => `${syntaxName(uid)} ${uid}`).join('; '),
      acceptsScpRole ? 'SCU, SCP' : 'SCU',
      negotiateOptions ? 'relational queries; combined date and time' : 'none',
    ]),
  )

/** Every class that PS3.6 names and that is taken. */
export const storageClassTable = (): string =>
  table(
    ['SOP class', 'UID'],
    STORAGE_CLASSES.filter(({ uid }) => offers(SERVICES.storage, uid)).map(
      ({ uid, name, isRetired }) => [`${name}${isRetired ? ' (retired)' : ''}`, uid],
    ),
  )

export const storageSyntaxTable = (): string =>
  table(
    ['', 'transfer syntax', 'UID'],
    SERVICES.storage.transferSyntaxes.map((uid, at) => [String(at + 1), syntaxName(uid), uid]),
  )
