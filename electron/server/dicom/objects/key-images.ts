import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import type { NamedReader } from '#server/dicom/data-set/named-reader.ts'
import {
  KEY_IMAGE_TITLES,
  type KeyImageTitle,
  type SavedDrawing,
} from '#shared/contract/saved-drawings.ts'
import { code, codeItem, contentItem, observerItems, textContent } from './content-items.ts'
import {
  type Drawing,
  imageReference,
  imagesOf,
  type Predecessor,
  referencedSeries,
  type VersionHeader,
} from './drawing.ts'
import { commonAttributes } from './object-header.ts'
import { KEY_OBJECT_SELECTION } from './rejection-note.ts'

/** PS3.16 CID 7010. */
const TITLES: Readonly<Record<KeyImageTitle, string>> = {
  '113000': 'Of Interest',
  '113002': 'For Referring Provider',
  '113003': 'For Surgery',
  '113004': 'For Teaching',
  '113005': 'For Conference',
}
const DEFAULT_TITLE: KeyImageTitle = '113000'
/** PS3.16 CID 7011: the title of a selection that withdraws an earlier one. */
const WITHDRAWN_TITLE = code('113001', 'DCM', 'Rejected for Quality Reasons')
const DESCRIPTION = code('113012', 'DCM', 'Key Object Description')

/** Key images that one document can list: it has one title and one description. */
export const keyImageGroups = (keyImages: readonly Drawing[]): Drawing[][] => [
  ...Map.groupBy(keyImages, ({ title, text }) => JSON.stringify([title, text])).values(),
]

/** A Key Object Selection Document (PS3.3 A.35.4, PS3.16 TID 2010) of one group of key images. */
export function keyImageSelection(
  header: VersionHeader,
  keyImages: readonly Drawing[],
  deviceUid: string,
): DataSet {
  const [first] = keyImages
  const title = first?.title ?? DEFAULT_TITLE
  return selection(
    header,
    code(title, 'DCM', TITLES[title]),
    referencedSeries(imagesOf(keyImages)),
    [
      ...observerItems(header.author, deviceUid),
      ...(first && first.text !== '' ? [textContent('CONTAINS', DESCRIPTION, first.text)] : []),
      ...keyImages.map(({ image, frame }) =>
        contentItem('CONTAINS', 'IMAGE', undefined, {
          ReferencedSOPSequence: [imageReference(image, frame)],
        }),
      ),
    ],
  )
}

/**
 * A selection that rejects the preceding ones, if the new version has no key images: an empty
 * selection is not permitted (TID 2010).
 */
export const withdrawnSelection = (
  header: VersionHeader,
  predecessors: readonly Predecessor[],
  deviceUid: string,
): DataSet =>
  selection(header, WITHDRAWN_TITLE, referencedSeries(predecessors), [
    ...observerItems(header.author, deviceUid),
    ...predecessors.map(({ sopClassUid, sopInstanceUid }) =>
      contentItem('CONTAINS', 'COMPOSITE', undefined, {
        ReferencedSOPSequence: [
          { ReferencedSOPClassUID: sopClassUid, ReferencedSOPInstanceUID: sopInstanceUid },
        ],
      }),
    ),
  ])

const selection = (
  header: VersionHeader,
  title: ReturnType<typeof code>,
  evidence: readonly NamedValues[],
  content: readonly NamedValues[],
): DataSet =>
  namedDataSet({
    ...commonAttributes(header, KEY_OBJECT_SELECTION, header.made),
    TimezoneOffsetFromUTC: header.made.offset,
    Modality: 'KO',
    SeriesDate: header.made.date,
    SeriesTime: header.made.time,
    ReferencedPerformedProcedureStepSequence: [],
    InstanceNumber: header.instanceNumber,
    ContentDate: header.made.date,
    ContentTime: header.made.time,
    CurrentRequestedProcedureEvidenceSequence: [
      { StudyInstanceUID: header.studyInstanceUid, ReferencedSeriesSequence: evidence },
    ],
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: [codeItem(title)],
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: '2010' }],
    ContentSequence: content,
  })

/** `uid` of a key image. */
export const keyImageUid = (sopInstanceUid: string, frame: number): string =>
  `${sopInstanceUid}/${frame}`

/** The key images of a selection that the gateway wrote; none if it withdraws an earlier one. */
export function readKeyImages(document: NamedReader): SavedDrawing[] {
  const titleCode = document.items('ConceptNameCodeSequence')[0]?.text('CodeValue')
  const title = KEY_IMAGE_TITLES.find((one) => one === titleCode)
  if (!title) return []
  const content = document.items('ContentSequence')
  const text =
    content
      .find(
        (item) => item.items('ConceptNameCodeSequence')[0]?.text('CodeValue') === DESCRIPTION.value,
      )
      ?.text('TextValue')
      .replaceAll('\r\n', '\n') ?? ''
  return content
    .filter((item) => item.text('ValueType') === 'IMAGE')
    .flatMap((item) => item.items('ReferencedSOPSequence'))
    .map((image) => {
      const sopInstanceUid = image.text('ReferencedSOPInstanceUID')
      const frame = image.number('ReferencedFrameNumber') ?? 1
      return {
        uid: keyImageUid(sopInstanceUid, frame),
        kind: 'keyImage' as const,
        ...{ sopInstanceUid, frame, points: [], text, title, values: [] },
      }
    })
}
