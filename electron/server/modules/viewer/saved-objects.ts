import type { Context } from '#server/context.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { derivedUid } from '#server/dicom/data-set/uids.ts'
import type { Drawing, DrawnImage, VersionHeader } from '#server/dicom/objects/drawing.ts'
import { imagesOf } from '#server/dicom/objects/drawing.ts'
import {
  keyImageGroups,
  keyImageSelection,
  withdrawnSelection,
} from '#server/dicom/objects/key-images.ts'
import {
  isMeasurement,
  MEASUREMENT_REPORT,
  measurementReport,
} from '#server/dicom/objects/measurement-report.ts'
import {
  presentationClass,
  presentationGroups,
  presentationState,
  type ShownWindows,
} from '#server/dicom/objects/presentation-state.ts'
import { KEY_OBJECT_SELECTION } from '#server/dicom/objects/rejection-note.ts'
import type { OwnInstance } from '#server/modules/images/own-instances.ts'
import { dicomTime, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { uidOfUuid } from '#shared/ids.ts'
import {
  instanceNumberOf,
  SAVED_KINDS,
  type SavedKind,
  type SavedVersion,
} from './saved-version.ts'
import type { patientAndStudyOf } from './shown-patient.ts'

const SERIES_BY_KIND: Readonly<
  Record<SavedKind, Pick<OwnInstance, 'seriesNumber' | 'seriesDescription' | 'modality'>>
> = {
  measurements: { seriesNumber: '9904', seriesDescription: 'Measurements', modality: 'SR' },
  presentation: { seriesNumber: '9905', seriesDescription: 'Drawings', modality: 'PR' },
  keyImages: { seriesNumber: '9906', seriesDescription: 'Key images', modality: 'KO' },
}

export interface NextVersion {
  readonly studyInstanceUid: string
  readonly before: SavedVersion
  /** All drawings of the next version. */
  readonly drawings: readonly Drawing[]
  /** The images of `before` that are still there. */
  readonly imagesBefore: readonly DrawnImage[]
  readonly patientAndStudy: ReturnType<typeof patientAndStudyOf>
  readonly windows: ShownWindows
  /** Who saves it: PN, empty if unknown. */
  readonly author: string
}

/** The objects of the next version: only of the kinds that differ from the version before. */
export function buildSavedObjects(context: Context, next: NextVersion): OwnInstance[] {
  return SAVED_KINDS.filter((kind) => isChanged(next, kind)).flatMap((kind) =>
    objectsOfKind(context, next, kind),
  )
}

const isOfKind: Readonly<Record<SavedKind, (drawing: Pick<Drawing, 'kind'>) => boolean>> = {
  measurements: ({ kind }) => isMeasurement(kind),
  presentation: ({ kind }) => kind !== 'keyImage',
  keyImages: ({ kind }) => kind === 'keyImage',
}

function isChanged({ before, drawings }: NextVersion, kind: SavedKind): boolean {
  const now = drawings.filter(isOfKind[kind]).map(({ image: _, ...drawing }) => drawing)
  return !areSameDrawings(before.drawings.filter(isOfKind[kind]), now)
}

/** Whether both lists have the same drawings in any order. */
export const areSameDrawings = (
  one: readonly Omit<Drawing, 'image'>[],
  other: readonly Omit<Drawing, 'image'>[],
): boolean => textOf(one) === textOf(other)
const textOf = (drawings: readonly Omit<Drawing, 'image'>[]): string =>
  drawings
    .map(({ uid, kind, sopInstanceUid, frame, points, text, title, values }) =>
      JSON.stringify([uid, kind, sopInstanceUid, frame, points, text, title, values]),
    )
    .sort()
    .join('\n')

interface Content {
  readonly sopClassUid: string
  readonly build: (header: VersionHeader) => DataSet
}

function objectsOfKind(context: Context, next: NextVersion, kind: SavedKind): OwnInstance[] {
  const { uuid, clock, settings } = context
  const { studyInstanceUid, before, patientAndStudy, author } = next
  const version = before.version + 1
  const seriesInstanceUid =
    before.objects[kind].instances.at(-1)?.seriesInstanceUid ?? uidOfUuid(uuid())
  const madeAt = dicomTime(instantOf(clock()), timeZoneOf(settings.get('clinic.timeZone')))
  return contentsOf(context, next, kind).map(({ sopClassUid, build }, index) => {
    const attributes = {
      ...{ studyInstanceUid, seriesInstanceUid, sopInstanceUid: uidOfUuid(uuid()), sopClassUid },
      ...SERIES_BY_KIND[kind],
      instanceNumber: instanceNumberOf(version, index),
    }
    return {
      ...attributes,
      dataSet: build({ ...patientAndStudy, ...attributes, made: madeAt, author }),
    }
  })
}

function contentsOf(context: Context, next: NextVersion, kind: SavedKind): Content[] {
  const drawings = next.drawings.filter(isOfKind[kind])
  const predecessors = next.before.objects[kind].instances
  const deviceUid = derivedUid(`isthmus device of ${context.settings.get('clinic.id') ?? ''}`)
  if (kind === 'measurements')
    return [
      {
        sopClassUid: MEASUREMENT_REPORT,
        build: (header) => measurementReport(header, drawings, predecessors, deviceUid),
      },
    ]
  if (kind === 'presentation') return presentations(next, drawings)
  const groups = keyImageGroups(drawings)
  const builders =
    groups.length === 0
      ? [(header: VersionHeader) => withdrawnSelection(header, predecessors, deviceUid)]
      : groups.map(
          (group) => (header: VersionHeader) => keyImageSelection(header, group, deviceUid),
        )
  return builders.map((build) => ({ sopClassUid: KEY_OBJECT_SELECTION, build }))
}

/** Without any drawing, an empty presentation state replaces that of the images before. */
function presentations({ imagesBefore, windows }: NextVersion, drawings: readonly Drawing[]) {
  const images = drawings.length > 0 ? imagesOf(drawings) : imagesBefore
  return presentationGroups(images.map((image) => ({ image }))).map((group): Content => {
    const groupImages = group.map(({ image }) => image)
    const own = drawings.filter(({ image }) =>
      groupImages.some(({ sopInstanceUid }) => sopInstanceUid === image.sopInstanceUid),
    )
    return {
      sopClassUid: presentationClass(groupImages),
      build: (header) => presentationState(header, groupImages, own, windows),
    }
  })
}
