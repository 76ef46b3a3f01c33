import { readFile } from 'node:fs/promises'
import type { Context } from '#server/context.ts'
import { type DataSetLimits, readDataSet } from '#server/dicom/data-set/data-set.ts'
import { NamedReader } from '#server/dicom/data-set/named-reader.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { readKeyImages } from '#server/dicom/objects/key-images.ts'
import {
  MEASUREMENT_REPORT,
  readMeasurementReport,
} from '#server/dicom/objects/measurement-report.ts'
import {
  PRESENTATION_STATE,
  readPresentationState,
} from '#server/dicom/objects/presentation-state.ts'
import { KEY_OBJECT_SELECTION } from '#server/dicom/objects/rejection-note.ts'
import {
  type InstanceRecord,
  listStudyInstancesOfClass,
} from '#server/modules/images/instance-queries.ts'
import { ensureLocalFile } from '#server/modules/images/local-files.ts'
import type { SavedDrawing, SavedDrawings } from '#shared/contract/saved-drawings.ts'

/** The kinds of objects in which drawings are stored; each kind has its own series. */
export type SavedKind = 'measurements' | 'presentation' | 'keyImages'

const KIND_READERS: Readonly<
  Record<SavedKind, { readonly uids: readonly string[]; readonly read: ReadDrawings }>
> = {
  measurements: { uids: [MEASUREMENT_REPORT], read: readMeasurementReport },
  presentation: {
    uids: [PRESENTATION_STATE.grayscale, PRESENTATION_STATE.color],
    read: readPresentationState,
  },
  keyImages: { uids: [KEY_OBJECT_SELECTION], read: readKeyImages },
}
export const SAVED_KINDS = Object.keys(KIND_READERS) as SavedKind[]
type ReadDrawings = (dataSet: NamedReader) => SavedDrawing[]

/**
 * The version is part of Instance Number, which is greater in every later version: version × 1000,
 * and the number of the object within the version from 1.
 */
const NUMBERS_PER_VERSION = 1000
export const instanceNumberOf = (version: number, index: number): string =>
  String(version * NUMBERS_PER_VERSION + index + 1)
const versionOf = ({ instanceNumber }: InstanceRecord): number =>
  Math.floor(Number(instanceNumber) / NUMBERS_PER_VERSION) || 0

/** Larger objects are not read: they are not from this gateway. */
const MAX_BYTES = 32 << 20
const LIMITS: DataSetLimits = { elements: 500_000, depth: 16, bytes: MAX_BYTES }

/** The latest version of the objects of one kind. */
export interface SavedObjects {
  readonly version: number
  readonly instances: readonly InstanceRecord[]
  readonly drawings: readonly SavedDrawing[]
  /** PN; empty if unknown. */
  readonly author: string
}

/** The latest version of everything that is saved of a study. */
export interface SavedVersion {
  readonly version: number
  readonly drawings: readonly SavedDrawing[]
  readonly objects: Readonly<Record<SavedKind, SavedObjects>>
}

/**
 * Reads the drawings from the archived objects that a gateway wrote: this one, or another one from
 * which the study was received.
 */
export async function readSavedVersion(
  context: Context,
  studyInstanceUid: string,
): Promise<SavedVersion> {
  const entries: [SavedKind, SavedObjects][] = []
  for (const kind of SAVED_KINDS)
    entries.push([kind, await readObjects(context, studyInstanceUid, kind)])
  const objects = Object.fromEntries(entries) as Record<SavedKind, SavedObjects>
  const all = Object.values(objects)
  return {
    version: Math.max(...all.map(({ version }) => version)),
    drawings: all.flatMap(({ drawings }) => drawings),
    objects,
  }
}

async function readObjects(
  context: Context,
  studyInstanceUid: string,
  kind: SavedKind,
): Promise<SavedObjects> {
  const { uids, read } = KIND_READERS[kind]
  const rows = listStudyInstancesOfClass(context.database, studyInstanceUid, uids)
    .filter((row) => versionOf(row) > 0 && row.bytes <= MAX_BYTES)
    .sort((a, b) => Number(b.instanceNumber) - Number(a.instanceNumber))
  const found: { readonly row: InstanceRecord; readonly dataSet: NamedReader }[] = []
  for (const row of rows) {
    const [newest] = found
    if (newest && versionOf(row) < versionOf(newest.row)) break
    const dataSet = await readObject(context, row)
    if (dataSet?.text('Manufacturer') === 'Isthmus') found.unshift({ row, dataSet })
  }
  const drawings = new Map(
    found.flatMap(({ dataSet }) => read(dataSet)).map((drawing) => [drawing.uid, drawing]),
  )
  const newest = found.at(-1)
  return {
    version: newest ? versionOf(newest.row) : 0,
    instances: found.map(({ row }) => row),
    drawings: [...drawings.values()],
    author: newest ? authorOf(newest.dataSet) : '',
  }
}

async function readObject(context: Context, row: InstanceRecord): Promise<NamedReader | undefined> {
  try {
    const { path, dataSetOffset, transferSyntaxUid } = await ensureLocalFile(
      context,
      row.instanceId,
    )
    const bytes = await readFile(path)
    return new NamedReader(readDataSet(bytes.subarray(dataSetOffset), transferSyntaxUid, LIMITS))
  } catch (error) {
    // A damaged object of another device, or a file that is missing from the disk: what is drawn
    // must be usable without it.
    if (error instanceof DimseError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined
    throw error
  }
}

const authorOf = (dataSet: NamedReader): string =>
  dataSet.text('ContentCreatorName') ||
  (dataSet
    .items('ContentSequence')
    .find((item) => item.text('ValueType') === 'PNAME')
    ?.text('PersonName') ??
    '')

/** The version in the form of the interface. */
export function savedReply({ version, drawings, objects }: SavedVersion): SavedDrawings {
  const latest = Object.values(objects).find((one) => version > 0 && one.version === version)
  return {
    version,
    savedAt: latest?.instances.at(-1)?.receivedAt ?? null,
    savedBy: latest?.author ?? '',
    drawings: [...drawings],
  }
}
