import type { Structure } from '#server/dicom/data-set/structure.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import type { WrongSteps } from '#server/modules/procedure-steps/wrong-steps.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Tally } from '#server/platform/counts.ts'
import type { Enrichment } from '#shared/contract/images.ts'
import { type InstanceHeader, uidFault } from './header.ts'
import type { ImageHeader, ImageStudyPatch, NewImageStudy } from './image-study-queries.ts'
import type {
  ContentChange,
  InstanceRecord,
  InstanceState,
  NewInstance,
  QuarantineReason,
} from './instance-queries.ts'
import { differencesAmong, withImage, withoutImages } from './mismatch.ts'
import type { IntakeDeps } from './ports.ts'
import type { CompareContent, Comparison } from './same-content.ts'
import { OWN_ADDRESS } from './study-identity.ts'

/** Where an instance comes from. */
export interface Source {
  readonly association: AssociationInfo
  readonly deviceName: string
  /** It comes of a C-MOVE of ours: an earlier exam, which is not to be read. */
  readonly isFetched: boolean
}

/** An instance whose bytes are on the disk, before it has a row. */
export interface Arrival extends Source {
  readonly header: InstanceHeader
  readonly structure: Structure
  /**
   * What differs from the current instance of its UID; undefined where there is none, or they were
   * not compared.
   */
  readonly change?: ContentChange | undefined
  /** SOP Instance UIDs of the images that it is a corrected copy of (`originalsIn`). */
  readonly originals: readonly string[]
  readonly transferSyntaxUid: string
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
}

/** What became of it. */
export interface Kept {
  readonly instance: InstanceRecord
  /** The study is new, or receives again. */
  readonly isOpened: boolean
  /**
   * It names another patient or order than its study does. corrected: it takes the place of an
   * image that is here, so that the device corrected what it said, and the study says it too now;
   * other: it came beside those, and the study stays as it was, with a mismatch.
   */
  readonly identity: 'same' | 'corrected' | 'other'
}

/** Rows of instances as they arrive (dicom-field §5.5, §5.7). */
export interface Arrivals {
  /**
   * Current and quarantined instances of the UID whose data set may be the same: length and CRC-32
   * are.
   */
  twinsOf(sopInstanceUid: string, dataSetBytes: number, crc32: number): InstanceRecord[]
  /**
   * Compares the content of an object with that of the current instance, whose place it would take,
   * or of the original of a corrected one. Undefined where it takes no place: there is none, the
   * object is incomplete, or it belongs elsewhere.
   */
  compare(
    arrival: Omit<Arrival, 'change'>,
  ): Promise<{ readonly current: InstanceRecord; readonly comparison: Comparison } | undefined>
  /**
   * The current instance that is another version of the image by a correction: of the same image,
   * one version is shown. Undefined where there is none.
   */
  rivalOf(sopInstanceUid: string, originals: readonly string[]): InstanceRecord | undefined
  /** Within a transaction: the row, its study's counters, and what waits for it. */
  keep(arrival: Arrival): Kept
  /** Within a transaction: the instance was sent again as it is here. */
  repeat(instance: InstanceRecord, source: Source): void
  /**
   * Within a transaction: a row for the file of what is here already, as a version that counts no
   * more.
   */
  keepTwin(arrival: Arrival): void
  /** The study is settled, or its rows were changed by somebody else. */
  forget(studyInstanceUid: string): void
}

/** What is known of a study that receives, so that an instance need not read it again. */
interface Open {
  readonly identity: string
  readonly isFetched: boolean
  readonly associationIds: ReadonlySet<string>
  /** Of the row handed out. */
  readonly stepId: string
}

export function openArrivals(
  deps: IntakeDeps,
  wrongSteps: WrongSteps,
  tally: Pick<Tally, 'beganAfter'>,
  compareContent: CompareContent,
): Arrivals {
  const { store, clock, setting, onKept } = deps
  const { corrections, database, instances, imageStudies } = store
  const open = new Map<string, Open>()

  /** The study's row as this instance finds and leaves it. */
  function join(arrival: Arrival, isReplacing: boolean, now: string): Joined {
    const { header, association } = arrival
    const { associationId } = association
    const { studyInstanceUid } = header
    const own = identityOf(header.study)
    const known = open.get(studyInstanceUid)
    if (
      known?.identity === own &&
      known.associationIds.has(associationId) &&
      known.isFetched === arrival.isFetched
    )
      return { isOpened: false, identity: 'same', stepId: known.stepId }

    const study = imageStudies.get(studyInstanceUid)
    const stepId = study?.handedOut?.scheduledProcedureStepId ?? ''
    // Reports alone are here, of which the gateway made objects: what the device says is the first
    // word on the images.
    const isOurs = study?.remoteAddress === OWN_ADDRESS
    // Where all that came before was set aside, this is the first that counts.
    const isFirst = study?.instances === 0 || isOurs
    const differences = study && !isOurs ? differencesAmong(study.header, header.study) : []
    const isCorrected =
      study !== undefined && !isOurs && identityOf(study.header) !== own && (isReplacing || isFirst)
    const identity = isCorrected ? 'corrected' : differences.length > 0 ? 'other' : 'same'
    // A device sends what was only known as an earlier exam: it is one to be read.
    const isFresh = (study?.isFetched === true || isOurs) && !arrival.isFetched
    // What is rolled back must not be remembered.
    open.delete(studyInstanceUid)
    const associationIds = new Set([...(known?.associationIds ?? []), associationId])
    if (identity !== 'other')
      database.afterCommit(() =>
        open.set(studyInstanceUid, {
          identity: own,
          isFetched: arrival.isFetched,
          associationIds,
          stepId,
        }),
      )
    if (!study) {
      imageStudies.insert(newStudy(arrival, now))
      return { isOpened: true, identity, stepId }
    }
    const isOpened = study.state !== 'receiving'
    const patch: ImageStudyPatch = {
      // What broke off is not mended by an association that was open already.
      ...((study.transfer.how !== 'aborted' ||
        tally.beganAfter(associationId, study.transfer.at)) && {
        transfer: { how: 'open', detail: '', at: now },
      }),
      ...(isOpened && { state: 'receiving', dueAt: latest() }),
      // The newest word of the device counts, and the partner is asked about it (dicom-field §5.7).
      ...((identity === 'corrected' || isOurs) && { header: header.study }),
      ...(identity === 'other' && { mismatch: withImage(study.mismatch, differences, now) }),
      // What was found of images that count no more is found no more.
      ...(isFirst && { mismatch: withoutImages(study.mismatch, now) }),
      ...(isFresh && directlyFrom(arrival)),
      ...(isOurs &&
        arrival.isFetched && {
          ...directlyFrom(arrival),
          isFetched: true,
          settledAt: study.settledAt,
          enrichment: NOT_READ,
        }),
      ...((isCorrected || isFirst) && !study.isFetched && !isOurs && { settledAt: null }),
    }
    imageStudies.update(studyInstanceUid, patch)
    return { isOpened, identity, stepId }
  }

  /** When a study that begins to receive now is settled at the latest. */
  const latest = () => instantOf(clock() + setting('intake.capMinutes') * 60_000)

  /** What is set aside says nothing about its study; it is counted there, so that it is seen. */
  function besides(arrival: Arrival, now: string): Joined {
    const isOpened = imageStudies.get(arrival.header.studyInstanceUid) === undefined
    if (isOpened) imageStudies.insert(newStudy(arrival, now))
    return { isOpened, identity: 'same', stepId: '' }
  }

  function newStudy(
    { header, association, deviceName, isFetched }: Arrival,
    now: string,
  ): NewImageStudy {
    const { callingAeTitle, remoteAddress } = association
    return {
      studyInstanceUid: header.studyInstanceUid,
      createdAt: now,
      lastInstanceAt: now,
      state: 'receiving',
      // A study that was settled before is never seeded.
      settledAt: isFetched ? now : null,
      dueAt: latest(),
      callingAeTitle,
      remoteAddress,
      deviceName,
      transfer: { how: 'open', detail: '', at: now },
      header: header.study,
      handedOut: null,
      mismatch: null,
      isFetched,
      enrichment: isFetched ? NOT_READ : NOT_ASKED,
      enrichmentAttempts: 0,
    }
  }

  /** Where the instance belongs, and which one it takes the place of. */
  function placeOf({ header, structure, association, originals }: Arrival): Place {
    const fault = uidFault(header)
    if (!structure.isComplete)
      return {
        state: 'quarantined',
        reason: 'incomplete',
        detail: structure.detail,
        replaces: undefined,
      }
    if (fault)
      return { state: 'quarantined', reason: 'invalid-uid', detail: fault, replaces: undefined }
    if (header.isCut)
      return { state: 'quarantined', reason: 'long-header', detail: CUT, replaces: undefined }
    const wrong = wrongSteps.faultOf(
      header.studyInstanceUid,
      header.study.scheduledProcedureStepId,
      header.performedStepUid,
    )
    if (wrong)
      return { state: 'quarantined', reason: 'wrong-step', detail: wrong, replaces: undefined }
    const current = instances.current(header.sopInstanceUid)
    if (!current && instances.withdrawn(header.sopInstanceUid))
      return {
        state: 'quarantined',
        reason: 'different-content',
        detail: CORRECTED,
        replaces: undefined,
      }
    if (!current && rivalOf(header.sopInstanceUid, originals))
      return {
        state: 'quarantined',
        reason: 'different-content',
        detail: IN_DOUBT,
        replaces: undefined,
      }
    if (!current)
      return { state: 'current', reason: null, detail: structure.detail, replaces: undefined }
    const other = otherSource(current, header, association)
    if (other)
      return {
        state: 'quarantined',
        reason: 'different-content',
        detail: other,
        replaces: undefined,
      }
    return { state: 'current', reason: null, detail: structure.detail, replaces: current }
  }

  /**
   * Within a transaction: of which images it is another version, so that a person can decide
   * between them.
   */
  function noteVersions(
    { header, originals }: Arrival,
    { instanceId, sopInstanceUid }: InstanceRecord,
  ): void {
    if (
      originals.length > 0 &&
      instances.versions(sopInstanceUid).some((version) => corrections.isCopy(version.instanceId))
    )
      return
    const rival = rivalOf(sopInstanceUid, originals)
    const others = new Set([...originals, ...(rival ? [rival.sopInstanceUid] : [])])
    if (others.size === 0) return
    corrections.noteFound({ instanceId, header: header.study }, [...others])
    if (rival) imageStudies.compareAnew(rival.studyInstanceUid)
  }

  function rivalOf(
    sopInstanceUid: string,
    originals: readonly string[],
  ): InstanceRecord | undefined {
    if (originals.length === 0 && !corrections.isOfFound(sopInstanceUid)) return undefined
    for (const uid of [
      ...originals,
      ...corrections.otherVersions([sopInstanceUid, ...originals]),
    ]) {
      const rival = instances.current(uid)
      if (rival) return rival
    }
    return undefined
  }

  return {
    rivalOf,
    twinsOf(sopInstanceUid, dataSetBytes, crc32) {
      const versions = instances.versions(sopInstanceUid)
      if (versions.length === 0) return []
      const withdrawn = instances.withdrawn(sopInstanceUid)?.instanceId
      return versions.filter(
        (version) =>
          (version.state !== 'superseded' || version.instanceId === withdrawn) &&
          version.bytes - version.dataSetOffset === dataSetBytes &&
          version.crc32 === crc32,
      )
    },

    async compare({ header, structure, file, dataSetOffset, transferSyntaxUid }) {
      const current =
        instances.current(header.sopInstanceUid) ?? instances.withdrawn(header.sopInstanceUid)
      if (!current || !structure.isComplete || isElsewhere(current, header)) return undefined
      const stored = ({
        file,
        dataSetOffset,
        transferSyntaxUid,
      }: Pick<Arrival, 'file' | 'dataSetOffset' | 'transferSyntaxUid'>) => ({
        path: store.imageFiles.pathOf(file),
        ...{ dataSetOffset, transferSyntaxUid },
      })
      return {
        current,
        comparison: await compareContent(
          stored(current),
          stored({ file, dataSetOffset, transferSyntaxUid }),
        ),
      }
    },

    keep(arrival) {
      const now = instantOf(clock())
      const { header } = arrival
      const { studyInstanceUid, seriesInstanceUid } = header
      const { state, reason, detail, replaces } = placeOf(arrival)
      const { stepId: ofRow, ...joined } =
        state === 'current' ? join(arrival, replaces !== undefined, now) : besides(arrival, now)
      const stepId =
        header.study.scheduledProcedureStepId ||
        wrongSteps.stepOf(studyInstanceUid, header.performedStepUid) ||
        ofRow
      if (replaces) instances.setState(replaces.instanceId, 'superseded')
      const change = replaces ? (arrival.change ?? 'unknown') : null
      const instance = instances.insert({
        ...rowOf(arrival, now, stepId),
        state,
        reason,
        detail,
        change,
      })
      if (arrival.originals.length > 0 || state === 'quarantined') noteVersions(arrival, instance)
      const { modality } = header.study
      const { seriesNumber, seriesDescription } = header
      const series = { seriesInstanceUid, modality, seriesNumber, seriesDescription }
      imageStudies.count(
        studyInstanceUid,
        series,
        arrival.bytes,
        now,
        state === 'current' ? 'current' : 'quarantined',
      )
      // It is of the same series (`otherSource`).
      if (replaces) imageStudies.uncount(studyInstanceUid, seriesInstanceUid, replaces.bytes)
      // What came from an archive is there: it is not sent on by itself.
      if (state === 'current' && !arrival.isFetched) onKept(instance)
      return { instance, ...joined }
    },

    repeat({ instanceId, studyInstanceUid, state }, source) {
      const now = instantOf(clock())
      instances.seen(instanceId, now)
      if (source.isFetched || state !== 'current' || !imageStudies.isFetched(studyInstanceUid))
        return
      const transfer = { how: 'open', detail: '', at: now } as const
      imageStudies.update(studyInstanceUid, {
        ...directlyFrom(source),
        state: 'receiving',
        dueAt: latest(),
        lastInstanceAt: now,
        transfer,
      })
      open.delete(studyInstanceUid)
    },
    keepTwin(arrival) {
      const stepId = arrival.header.study.scheduledProcedureStepId
      instances.insert({
        ...rowOf(arrival, instantOf(clock()), stepId),
        state: 'superseded',
        reason: null,
        detail: '',
      })
    },
    forget: (studyInstanceUid) => void open.delete(studyInstanceUid),
  }
}

interface Joined extends Pick<Kept, 'isOpened' | 'identity'> {
  readonly stepId: string
}

interface Place {
  readonly state: InstanceState
  readonly reason: QuarantineReason | null
  readonly detail: string
  readonly replaces: InstanceRecord | undefined
}

const CUT = 'Its header is too long to be read whole: what is known of it may be incomplete.'
const CORRECTED =
  'The identity of the image of this UID was corrected here; this one has other content than its original.'
const IN_DOUBT =
  'It is a corrected copy of an image that is here, or its original, and the correction is not recorded here. Release it to show it in place of the other, which is kept; discard it if the correction was undone.'
const FETCHED = 'Fetched from another archive as an earlier exam: it is not put up for reading.'
const NOT_ASKED: Enrichment = {
  state: 'not-asked',
  askedAt: null,
  nextAt: null,
  detail: '',
  warnings: [],
}
const NOT_READ: Enrichment = { ...NOT_ASKED, detail: FETCHED }

/**
 * What was known as an earlier exam only is one to be read: it is settled, and so seeded, like any
 * other that a device sends.
 */
const directlyFrom = ({ association, deviceName }: Source): ImageStudyPatch => ({
  isFetched: false,
  settledAt: null,
  enrichment: NOT_ASKED,
  callingAeTitle: association.callingAeTitle,
  remoteAddress: association.remoteAddress,
  deviceName,
})

function rowOf(
  { header, structure, association, ...arrival }: Arrival,
  now: string,
  stepId: string,
): Omit<NewInstance, 'state' | 'reason' | 'detail'> {
  const {
    sopInstanceUid,
    sopClassUid,
    studyInstanceUid,
    seriesInstanceUid,
    instanceNumber,
    image,
    study,
  } = header
  const { transferSyntaxUid, file, dataSetOffset, bytes, crc32, deviceName } = arrival
  const { callingAeTitle, remoteAddress, associationId } = association
  return {
    ...{ sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, transferSyntaxUid },
    ...{ file, dataSetOffset, bytes, crc32 },
    ...{ callingAeTitle, remoteAddress, associationId, deviceName },
    receivedAt: now,
    lastSeenAt: now,
    modality: study.modality,
    instanceNumber,
    scheduledProcedureStepId: stepId,
    image,
    patientName: study.patientName,
    structure: structure.isComplete ? 'complete' : 'incomplete',
  }
}

const isElsewhere = (current: InstanceRecord, header: InstanceHeader) =>
  current.studyInstanceUid !== header.studyInstanceUid ||
  current.seriesInstanceUid !== header.seriesInstanceUid

/**
 * Why another content cannot take the place of the current one: it comes from elsewhere, or belongs
 * elsewhere (dicom-field §5.5).
 */
function otherSource(
  current: InstanceRecord,
  header: InstanceHeader,
  { callingAeTitle }: AssociationInfo,
): string {
  if (current.studyInstanceUid !== header.studyInstanceUid)
    return 'Another object of the same UID is here in another study.'
  if (current.seriesInstanceUid !== header.seriesInstanceUid)
    return 'Another object of the same UID is here in another series.'
  if (current.callingAeTitle.toUpperCase() === callingAeTitle.toUpperCase()) return ''
  return `Another object of the same UID is here from ${current.callingAeTitle}, with other content.`
}

/** Who and what order the images are of. */
export const identityOf = ({
  patientName,
  patientId,
  patientBirthDate,
  patientSex,
  accessionNumber,
}: ImageHeader): string =>
  JSON.stringify([patientName, patientId, patientBirthDate, patientSex, accessionNumber])
