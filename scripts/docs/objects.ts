import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { SECTIONS } from '#shared/report-text.ts'
import type { DataSet, Element } from '../../electron/server/dicom/data-set/coding.ts'
import { formatTag, keywordOf } from '../../electron/server/dicom/data-set/data-set.ts'
import type { Drawing, VersionHeader } from '../../electron/server/dicom/objects/drawing.ts'
import { keyImageSelection } from '../../electron/server/dicom/objects/key-images.ts'
import { measurementReport } from '../../electron/server/dicom/objects/measurement-report.ts'
import { presentationState } from '../../electron/server/dicom/objects/presentation-state.ts'
import { rejectionNote } from '../../electron/server/dicom/objects/rejection-note.ts'
import { reportInstances } from '../../electron/server/modules/reports/report-instances.ts'
import type { ArchivedReport } from '../../electron/server/modules/reports/signed-report.ts'
import {
  buildCaptureObject,
  type CaptureInput,
} from '../../electron/server/modules/viewer/capture-object.ts'
import { table } from './markdown.ts'

/**
 * The objects that the gateway makes, three times over: of two exams that differ in everything, and
 * of one of which next to nothing is known.
 */
export const MADE_KINDS = [
  ...(['pdf', 'sr', 'capture', 'rejection'] as const),
  ...(['measurements', 'presentation', 'keyImages'] as const),
] as const
export type MadeKind = (typeof MADE_KINDS)[number]

interface Fill {
  /** A letter that all text of the exam ends with; '' leaves out what may be left out. */
  readonly mark: string
  readonly day: string
  readonly sex: 'male' | 'female' | undefined
  readonly root: string
}
const FILLS: readonly Fill[] = [
  { mark: 'A', day: '2026-03-10', sex: 'female', root: '1.2.3' },
  { mark: 'B', day: '2025-12-24', sex: 'male', root: '1.2.4' },
  { mark: '', day: '2024-02-29', sex: undefined, root: '1.2.5' },
]

const EMPTY_HEADER: Partial<ImageHeader> = {
  patientBirthDate: '',
  patientSex: '',
  studyDate: '',
  studyTime: '',
}

const known = <T>({ mark }: Fill, value: T): T | undefined => (mark === '' ? undefined : value)
const words = ({ mark }: Fill, text: string): string => (mark === '' ? '' : `${text} ${mark}`)

function reportOf(fill: Fill): ArchivedReport {
  const { mark, day, root, sex } = fill
  const part = (reportId: string, isAddendum: boolean) => ({
    ...{
      reportId,
      isAddendum,
      textHash: '',
      isCritical: mark !== '',
      finding: null,
      communication: null,
      follows: null,
    },
    text: `Words before ${mark}\n${SECTIONS.map((name) => `${name}:\nWords ${mark}`).join('\n')}`,
    signer: {
      userId: '',
      name: `Reader^${mark || 'Rita'}`,
      clinicRole: 'Radiologist',
      npiNumber: null,
    },
    signedAt: `${day}T10:00:0${mark === 'B' ? 1 : 0}.000Z`,
  })
  const parts = [part(`rep_${mark}1`, false), ...(mark === '' ? [] : [part(`rep_${mark}2`, true)])]
  const metadata = {
    patientName: known(fill, `Sample^${mark}`),
    mrn: known(fill, `P ${mark}`),
    dateOfBirth: known(fill, mark === 'B' ? '1970-01-02' : '1980-05-11'),
    sex,
    scanDate: known(fill, day),
    scanTime: known(fill, mark === 'B' ? '09:15' : '08:45'),
    referringPhysicianName: known(fill, `Referrer^${mark}`),
  }
  return {
    ...{
      reportId: `rep_${mark}`,
      studyInstanceUid: root,
      pdf: Buffer.from(`%PDF-1.7 ${(mark || '-').repeat(mark === 'B' ? 2 : 4)} `),
    },
    ...{ studyDescription: words(fill, 'CT'), accessionNumber: words(fill, 'ACC') },
    metadata: Object.fromEntries(
      Object.entries(metadata).filter(([, value]) => value !== undefined),
    ),
    parts,
  }
}

function captureOf(fill: Fill): CaptureInput {
  const { mark, day, root } = fill
  const text = (value: string) => words(fill, value)
  return {
    shown: {
      study: {
        ...{
          studyInstanceUid: root,
          isPrior: false,
          patientName: mark === '' ? '' : `Sample^${mark}`,
          patientId: text('P'),
          patientBirthDate: known(fill, mark === 'B' ? '19700102' : '19800511') ?? '',
        },
        ...{
          patientSex: known(fill, mark === 'B' ? 'M' : 'F') ?? '',
          studyDate: known(fill, day.replaceAll('-', '')) ?? '',
        },
        ...{
          studyTime: known(fill, mark === 'B' ? '091500' : '084500') ?? '',
          studyDescription: text('CT'),
          accessionNumber: text('ACC'),
        },
      },
      series: {
        ...{
          studyInstanceUid: root,
          seriesInstanceUid: `${root}.1`,
          seriesNumber: 2,
          modality: known(fill, mark === 'B' ? 'MR' : 'CT') ?? '',
        },
        ...{
          seriesDescription: text('Series'),
          bodyPartExamined: known(fill, mark === 'B' ? 'HAND' : 'KNEE') ?? '',
          laterality: known(fill, mark === 'B' ? 'L' : 'R') ?? '',
        },
      },
      instance: {
        sopClassUid: `1.2.840.10008.5.1.4.1.1.${mark === 'B' ? 4 : 2}`,
        sopInstanceUid: `${root}.1.1`,
        frames: mark === '' ? 1 : 9,
      },
    } as unknown as CaptureInput['shown'],
    ...{
      frame: mark === 'B' ? 3 : 2,
      description: text('Window 40/400'),
      sopInstanceUid: `${root}.9.1`,
      seriesInstanceUid: `${root}.9`,
    },
    ...{ image: mark === 'B' ? pixels(2, 4) : pixels(4, 2), instanceNumber: mark === 'B' ? 2 : 1 },
    ...{
      madeAt: `${day}T1${mark === 'B' ? 1 : 2}:00:00.000Z`,
      timeZone: mark === 'B' ? 'Asia/Tokyo' : 'Europe/Berlin',
    },
    archivedHeader:
      mark === ''
        ? undefined
        : ({
            studyId: `ID ${mark}`,
            referringPhysicianName: `Referrer^${mark}`,
            institutionName: `Clinic ${mark}`,
          } as CaptureInput['archivedHeader']),
  }
}

const pixels = (rows: number, columns: number) => ({
  rows,
  columns,
  pixels: Buffer.alloc(rows * columns * 3, rows),
})

/** The images that a report is of, which say some things that reports do not. */
function imagesOf(fill: Fill): Parameters<typeof reportInstances>[1] {
  if (fill.mark === '') return undefined
  const { metadata, studyDescription, accessionNumber } = reportOf(fill)
  const { patientName = '', mrn = '', referringPhysicianName = '' } = metadata
  const header = {
    ...EMPTY_HEADER,
    patientName,
    patientId: mrn,
    referringPhysicianName,
    studyDescription,
    accessionNumber,
    studyId: words(fill, 'ID'),
  }
  return { remoteAddress: '10.0.0.7', header } as unknown as Parameters<typeof reportInstances>[1]
}

/** The rejection note of a correction (IHE RAD IOCM). */
function rejectionOf(fill: Fill): DataSet {
  const { mark, day, root } = fill
  const about = { seriesInstanceUid: `${root}.8`, sopInstanceUid: `${root}.8.1` }
  return rejectionNote(
    { ...headerOf(fill), ...about, seriesNumber: '9999', seriesDescription: 'Rejection note' },
    { date: day.replaceAll('-', ''), time: mark === 'B' ? '110000' : '100000', offset: '+0000' },
    {
      cause: mark === 'B' ? 'patient-safety' : 'wrong-worklist-entry',
      rejected: [
        {
          seriesInstanceUid: `${root}.1`,
          sopClassUid: `1.2.840.10008.5.1.4.1.1.${mark === 'B' ? 4 : 2}`,
          sopInstanceUid: `${root}.1.1`,
          isImage: true,
        },
      ],
    },
  )
}

/** Patient and study. */
function headerOf(fill: Fill) {
  const { mark, day, root } = fill
  const text = (value: string) => words(fill, value)
  return {
    ...{ patientName: mark === '' ? '' : `Sample^${mark}`, patientId: text('P') },
    ...{
      patientBirthDate: known(fill, mark === 'B' ? '19700102' : '19800511') ?? '',
      patientSex: known(fill, mark === 'B' ? 'M' : 'F') ?? '',
    },
    ...{ studyInstanceUid: root, studyDate: known(fill, day.replaceAll('-', '')) ?? '' },
    ...{
      studyTime: known(fill, mark === 'B' ? '091500' : '084500') ?? '',
      studyId: text('ID'),
      studyDescription: text('CT'),
    },
    ...{
      accessionNumber: text('ACC'),
      referringPhysicianName: mark === '' ? '' : `Referrer^${mark}`,
      institutionName: text('Clinic'),
    },
  }
}

const SAVED = {
  measurements: { seriesNumber: '9904', seriesDescription: 'Measurements' },
  presentation: { seriesNumber: '9905', seriesDescription: 'Drawings' },
  keyImages: { seriesNumber: '9906', seriesDescription: 'Key images' },
} as const
const ofCount = <T>(values: readonly T[], mark: string): T[] => (mark === '' ? [] : [...values])

/** What a person saves to the study in the viewer. */
function savedOf(fill: Fill, kind: keyof typeof SAVED): DataSet {
  const { mark, day, root } = fill
  const isOther = mark === 'B'
  const header: VersionHeader = {
    ...{ ...headerOf(fill), ...SAVED[kind] },
    seriesInstanceUid: `${root}.9`,
    sopInstanceUid: `${root}.9.1`,
    instanceNumber: isOther ? '2001' : '1001',
    author: mark === '' ? '' : `Reader^${mark}`,
    made: {
      date: day.replaceAll('-', ''),
      time: isOther ? '110000' : '100000',
      offset: isOther ? '+0900' : '+0100',
    },
  }
  const image: Drawing['image'] = {
    ...{ seriesInstanceUid: `${root}.1`, sopInstanceUid: `${root}.1.1` },
    sopClassUid: `1.2.840.10008.5.1.4.1.1.${isOther ? 4 : 2}`,
    ...{ frames: mark === '' ? 1 : 9, rows: isOther ? 256 : 512, columns: isOther ? 256 : 512 },
    ...{ spacing: mark === '' ? null : isOther ? [0.9, 0.9] : [0.5, 0.5], aspect: 1 },
    ...{ isAtDetector: false, isColor: false, isInverted: isOther },
    ...{ slope: mark === '' ? null : isOther ? 2 : 1, intercept: mark === '' ? null : -1024 },
    rescaleType: isOther ? 'US' : 'HU',
    window: mark === '' ? null : { center: isOther ? 300 : 40, width: isOther ? 600 : 400 },
  }
  const drawing = (of: Drawing['kind'], points: Drawing['points'], values: Drawing['values']) => ({
    ...{ kind: of, uid: `${root}.9.9`, sopInstanceUid: image.sopInstanceUid, image },
    ...{ frame: isOther ? 2 : 1, points, text: words(fill, 'Text'), title: null, values },
  })
  const at = isOther ? 20 : 10
  const ellipse = (['area', 'mean', 'deviation', 'minimum', 'maximum'] as const).map(
    (quantity) => ({ quantity, value: at, unit: quantity === 'area' ? 'mm2' : 'HU' }) as const,
  )
  // Every quantity once, for the codes.
  const measured = [
    drawing('length', [[at, 1], [30, 4]], [{ quantity: 'length', value: at, unit: 'mm' }]), // biome-ignore format: points
    ...ofCount(
      [
        drawing('ellipse', [[at, 1], [at, 9], [7, 5], [13, 5]], ellipse), // biome-ignore format: points
        drawing('angle', [[at, 1], [2, 4], [9, 9]], [{ quantity: 'angle', value: at, unit: 'deg' }]), // biome-ignore format: points
        drawing('cobb', [[at, 1], [2, 4], [9, 9], [8, 3]], [{ quantity: 'cobbAngle', value: at, unit: 'deg' }]), // biome-ignore format: points
        drawing('bidirectional', [[at, 1], [2, 4], [9, 9], [8, 3]], [
          { quantity: 'longAxis', value: at, unit: 'px' },
          { quantity: 'shortAxis', value: at, unit: 'px' },
        ]), // biome-ignore format: points
        drawing('freehand', [[at, 1], [2, 4], [9, 9]], [
          { quantity: 'perimeter', value: at, unit: 'mm' },
          { quantity: 'area', value: at, unit: 'px2' },
          { quantity: 'mean', value: at, unit: 'none' },
        ]), // biome-ignore format: points
        drawing('probe', [[at, 1]], [{ quantity: 'value', value: at, unit: 'none' }]),
      ],
      mark,
    ),
  ]
  if (kind === 'measurements') {
    const uids = { seriesInstanceUid: `${root}.9`, sopInstanceUid: `${root}.9.0` }
    const before = { ...uids, sopClassUid: '1.2.840.10008.5.1.4.1.1.88.33' }
    return measurementReport(header, measured, ofCount([before], mark), '2.25.1')
  }
  if (kind === 'presentation') {
    const first = isOther ? 'arrow' : mark === '' ? 'probe' : 'length'
    const shown = drawing(first, [[at, 1], [30, 4]].slice(0, first === 'probe' ? 1 : 2) as Drawing['points'], measured[0]?.values ?? []) // biome-ignore format: points
    return presentationState(header, [image], [shown, ...measured], new Map())
  }
  const keyImage = { ...drawing('keyImage', [], []), title: isOther ? '113002' : '113000' } as const
  return keyImageSelection(header, [keyImage], '2.25.1')
}

/** One object of each fill. */
export function made(kind: MadeKind): DataSet[] {
  return FILLS.map((fill) => {
    if (kind === 'rejection') return rejectionOf(fill)
    if (kind === 'measurements' || kind === 'presentation' || kind === 'keyImages')
      return savedOf(fill, kind)
    if (kind === 'capture') return buildCaptureObject(captureOf(fill)).object.dataSet
    const earlier =
      fill.mark === ''
        ? []
        : [{ seriesInstanceUid: `${fill.root}.7`, sopInstanceUid: `${fill.root}.7.1` }]
    const clinic = words(fill, 'Clinic')
    const of = [reportOf(fill), imagesOf(fill), earlier as never, clinic, 'UTC'] as const
    const own = reportInstances(...of).wanted[kind === 'pdf' ? 0 : 1]
    if (!own) throw new RangeError(`no ${kind}`)
    return own.dataSet
  })
}

// ---- As PS3.2 has it: what is there, and where it is from

interface Found {
  /** Keywords down to it. */
  readonly path: readonly string[]
  readonly tag: number
  readonly vr: string
  /** As text; undefined of a sequence. */
  readonly value: string | undefined
  readonly items: number
}

/**
 * Elements of a data set and of the first item of each of its sequences; a tree of content is told
 * in words.
 */
function elementsOf(dataSet: DataSet, above: readonly string[] = []): Found[] {
  return dataSet.flatMap(({ tag, vr, value }: Element) => {
    const path = [...above, keywordOf(tag)]
    if (Buffer.isBuffer(value))
      return [{ path, tag, vr, value: value.toString('latin1'), items: 0 }]
    const [item] = value as readonly DataSet[]
    const own: Found = { path, tag, vr, value: undefined, items: value.length }
    return item && keywordOf(tag) !== 'ContentSequence' ? [own, ...elementsOf(item, path)] : [own]
  })
}

/**
 * Where values come from that are not the same in every object (PS3.2: AUTO made here, COPY of the
 * exam, USER typed by a person, CONFIG set).
 */
const SOURCES: Readonly<Record<string, string>> = {
  InstanceCreationDate: 'AUTO: time of signing, capture or saving, in the clinic’s time zone',
  InstanceCreationTime: 'AUTO: as the date',
  SOPInstanceUID: 'AUTO',
  StudyDate: 'COPY of the exam',
  StudyTime: 'COPY of the exam',
  SeriesDate: 'AUTO',
  SeriesTime: 'AUTO',
  ContentDate: 'AUTO',
  ContentTime: 'AUTO',
  TimezoneOffsetFromUTC: 'AUTO: of the clinic',
  AccessionNumber: 'COPY of the exam',
  InstitutionName: 'CONFIG (`clinic.name`); in objects that the viewer creates, COPY of the exam',
  ReferringPhysicianName: 'COPY of the exam',
  StudyDescription: 'COPY of the exam',
  SeriesDescription: 'AUTO',
  PatientName: 'COPY of the images if they are of the same patient, otherwise of the report',
  PatientID: 'COPY, as Patient’s Name',
  PatientBirthDate: 'COPY, as Patient’s Name',
  PatientSex: 'COPY, as Patient’s Name',
  StudyInstanceUID: 'COPY of the exam',
  SeriesInstanceUID: 'AUTO',
  StudyID: 'COPY of the exam',
  SeriesNumber: 'AUTO: higher than the numbers that devices use',
  InstanceNumber: 'AUTO',
  DocumentTitle: 'AUTO: as Series Description',
  EncapsulatedDocument: 'AUTO: the signed PDF, byte for byte',
  EncapsulatedDocumentLength: 'AUTO',
  VerifyingObserverSequence: 'who signed the report and each addendum',
  VerifyingObserverName: 'COPY of the signer’s account',
  VerifyingOrganization: 'CONFIG (`clinic.name`), otherwise Unknown',
  VerificationDateTime: 'AUTO: when it was signed',
  ReferencedRequestSequence: 'one item, if there is an accession number',
  PredecessorDocumentsSequence: 'the earlier structured reports, if any',
  ReferencedSeriesSequence: 'one item for each',
  ReferencedSOPSequence: 'one item for each referenced object',
  CurrentRequestedProcedureEvidenceSequence: 'the study, with every referenced object',
  ContentTemplateSequence: 'the template of the content',
  CodeValue: 'Annex C',
  CodeMeaning: 'Annex C',
  ReferencedSOPClassUID: 'COPY of the referenced object',
  ReferencedSOPInstanceUID: 'COPY of the referenced object',
  ReferencedFrameNumber: 'COPY: the frame that was shown, for a multi-frame image',
  ContentSequence: 'see below',
  ContentDescription: 'AUTO: as Series Description',
  ContentCreatorName: 'COPY of the account of the user who saved it',
  PresentationCreationDate: 'AUTO',
  PresentationCreationTime: 'AUTO',
  DisplayedAreaSelectionSequence: 'one item for each image size',
  DisplayedAreaTopLeftHandCorner: 'FIXED: 1, 1',
  DisplayedAreaBottomRightHandCorner: 'COPY: columns and rows of the images',
  PresentationPixelSpacing: 'COPY of the images',
  PresentationPixelAspectRatio: 'COPY of the images, if they have no spacing',
  RescaleIntercept: 'COPY of the images',
  RescaleSlope: 'COPY of the images',
  RescaleType: 'COPY of the images',
  SoftcopyVOILUTSequence: 'one item for each window',
  WindowCenter: 'AUTO: as shown, or else COPY of the image',
  WindowWidth: 'AUTO: as shown, or else COPY of the image',
  PresentationLUTShape: 'IDENTITY, or INVERSE for MONOCHROME1',
  GraphicLayerSequence: 'one item for each layer',
  GraphicLayer: 'see below',
  GraphicAnnotationSequence: 'one item for each drawing',
  GraphicObjectSequence: 'one item for each shape of the drawing',
  GraphicData: 'USER: columns and rows of the points',
  GraphicType: 'POINT, POLYLINE, CIRCLE or ELLIPSE',
  NumberOfGraphicPoints: 'AUTO',
  TextObjectSequence: 'one item, if there is text or a value',
  UnformattedTextValue: 'USER, or AUTO: the measured values',
  AnchorPoint: 'AUTO',
  TrackingID: 'AUTO: `Isthmus` and the type of drawing',
  TrackingUID: 'AUTO: the same in each version',
  ReferencedImageSequence: 'one item for each image',
  Modality: 'COPY of the series that was shown, otherwise OT',
  SourceImageSequence: 'the image that was shown',
  DateOfSecondaryCapture: 'AUTO',
  TimeOfSecondaryCapture: 'AUTO',
  DerivationDescription: 'AUTO: how the image was shown, such as its window',
  BodyPartExamined: 'COPY of the series that was shown',
  Laterality: 'COPY of the series that was shown, R or L; absent for body parts that have no side',
  Rows: 'AUTO: as it was shown',
  Columns: 'AUTO: as it was shown',
  PixelData: 'AUTO: what was on the screen, including annotations',
  ConceptNameCodeSequence: 'Annex C',
  PurposeOfReferenceCodeSequence: 'Annex C',
  PerformedProcedureCodeSequence: 'no item',
  ReferencedPerformedProcedureStepSequence: 'no item',
  ReferencedStudySequence: 'no item',
  RequestedProcedureCodeSequence: 'no item',
  VerifyingObserverIdentificationCodeSequence: 'no item',
}

/**
 * PS3.2 N, presence of value: ALWAYS with a value; VNAP, present, with a value where there is one;
 * ANAP, absent where there is none; EMPTY.
 */
function presenceOf(found: readonly (Found | undefined)[]): string {
  if (found.some((one) => one === undefined)) return 'ANAP'
  const filled = found.map((one) =>
    one?.value === undefined ? (one?.items ?? 0) > 0 : one.value.trim() !== '',
  )
  return filled.every(Boolean) ? 'ALWAYS' : filled.some(Boolean) ? 'VNAP' : 'EMPTY'
}

function shownOf(found: readonly (Found | undefined)[]): string {
  const first = found.find((one) => one !== undefined)
  const keyword = first?.path.at(-1) ?? ''
  const isFixed =
    first?.vr !== 'FL' &&
    first?.vr !== 'SL' &&
    first?.value !== undefined &&
    first.value !== '' &&
    found.every((one) => one?.value === first.value)
  const text = first?.value?.replace(/\0$/, '').trim() ?? ''
  if (isFixed && ['US', 'UL'].includes(first.vr))
    return `FIXED: \`${Buffer.from(first.value ?? '', 'latin1').readUInt16LE()}\``
  if (isFixed) return `FIXED: \`${text}\``
  if (presenceOf(found) === 'EMPTY' && first?.value !== undefined) return ''
  // Within another object that is named, all of it is of that one.
  const source =
    (first?.path.length ?? 0) > 1 && keyword === 'SeriesInstanceUID'
      ? SOURCES.ReferencedSOPInstanceUID
      : SOURCES[keyword]
  if (source === undefined) throw new RangeError(`nobody says where ${keyword} comes from`)
  return source
}

export function objectTable(kind: MadeKind): string {
  const all = made(kind).map((dataSet) => elementsOf(dataSet))
  const paths = new Map<string, Found>()
  for (const found of all)
    for (const one of found) if (!paths.has(one.path.join('>'))) paths.set(one.path.join('>'), one)
  const rows = [...paths.entries()]
    .sort(([, a], [, b]) => compare(a, b, paths))
    .map(([path, { tag, vr, path: parts }]) => {
      const found = all.map((elements) => elements.find((one) => one.path.join('>') === path))
      // Within an item that is not there nothing is absent.
      const above = parts.slice(0, -1).join('>')
      const meant = found.filter(
        (one, at) =>
          one !== undefined ||
          above === '' ||
          all[at]?.some((other) => other.path.join('>') === above && other.items > 0),
      )
      return [
        `${'&gt;'.repeat(parts.length - 1)}${parts.at(-1)}`,
        formatTag(tag),
        vr,
        presenceOf(meant),
        shownOf(meant),
      ]
    })
  return table(['attribute', 'tag', 'VR', 'presence', 'source and value'], rows)
}

/** In the order of the tags, items below their sequence. */
function compare(a: Found, b: Found, paths: ReadonlyMap<string, Found>): number {
  const tags = ({ path }: Found) =>
    path.map((_, at) => paths.get(path.slice(0, at + 1).join('>'))?.tag ?? 0)
  const [one, other] = [tags(a), tags(b)]
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** Codes of all that is made (PS3.16, LOINC), with where they are used. */
export function codeTable(): string {
  const seen = new Map<string, { readonly row: string[]; readonly where: Set<string> }>()
  const look = (dataSet: DataSet, where: string): void => {
    const text = (keyword: string) => {
      const value = dataSet.find(({ tag }) => keywordOf(tag) === keyword)?.value
      return Buffer.isBuffer(value) ? value.toString('latin1').trim() : ''
    }
    const [value, scheme, meaning] = ['CodeValue', 'CodingSchemeDesignator', 'CodeMeaning'].map(
      text,
    )
    if (value) {
      const key = `${value} ${scheme}`
      const known = seen.get(key) ?? { row: [value, scheme ?? '', meaning ?? ''], where: new Set() }
      known.where.add(where)
      seen.set(key, known)
    }
    for (const { tag, value: items } of dataSet)
      if (!Buffer.isBuffer(items))
        for (const item of items as readonly DataSet[]) look(item, keywordOf(tag))
  }
  for (const kind of MADE_KINDS) for (const dataSet of made(kind)) look(dataSet, '')
  const rows = [...seen.values()].map(({ row, where }) => [...row, [...where].join(', ')])
  return table(
    ['code value', 'scheme', 'meaning', 'used in'],
    rows.sort((a, b) => (a.slice(0, 2).reverse().join() < b.slice(0, 2).reverse().join() ? -1 : 1)),
  )
}
