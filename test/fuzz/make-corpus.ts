import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeText } from '#server/dicom/character-sets/character-set.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import type { Pdu } from '#server/dicom/upper-layer/pdu.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { imageDataSet } from '../support/instance-file.ts'
import { associateRq, ECHO_CONTEXT, WORKLIST_CONTEXT } from '../support/requestor.ts'
import { CORPUS } from './corpus.ts'
import { ANSWER_BYTES, CALLS, CURSORS, MANIFESTS, type Made } from './made-documents.ts'
import { nestedBytes } from './mutate-data-set.ts'
import { TERMS } from './targets/person-names.ts'

// node test/fuzz/make-corpus.ts: writes what is made by hand of every target's corpus anew; what
// was found stays.

const { implicitLittleEndian, explicitLittleEndian, explicitBigEndian } = TRANSFER_SYNTAX
const EXPLICIT = { explicit: true, bigEndian: false }

/** Contexts of every service. */
const CONTEXTS = [
  ECHO_CONTEXT,
  WORKLIST_CONTEXT,
  {
    id: 5,
    abstractSyntax: '1.2.840.10008.5.1.4.1.1.2',
    transferSyntaxes: [explicitLittleEndian, '1.2.840.10008.1.2.4.50'],
  },
  {
    id: 7,
    abstractSyntax: SOP_CLASS.modalityPerformedProcedureStep,
    transferSyntaxes: [explicitLittleEndian],
  },
  {
    id: 9,
    abstractSyntax: SOP_CLASS.storageCommitmentPushModel,
    transferSyntaxes: [implicitLittleEndian],
  },
]
const REQUEST = associateRq({
  contexts: CONTEXTS,
  roles: [{ sopClass: SOP_CLASS.verification, scu: true, scp: true }],
  asynchronousOperations: { invoked: 3, performed: 1 },
})
const ACCEPT: Pdu = {
  ...REQUEST,
  type: 'A-ASSOCIATE-AC',
  presentationContexts: CONTEXTS.map(({ id, transferSyntaxes }) => ({
    id,
    result: 0,
    transferSyntax: transferSyntaxes[0] ?? '',
  })),
}
const RELEASE = writePdu({ type: 'A-RELEASE-RQ' })

const command = (name: keyof typeof COMMAND_FIELD, more: Partial<CommandSet>): CommandSet => ({
  commandField: COMMAND_FIELD[name],
  messageId: 7,
  hasDataSet: false,
  ...more,
})
const STEP = {
  ScheduledProcedureStepSequence: [
    { Modality: 'CT', ScheduledProcedureStepStartDate: '20261120', ScheduledStationAETitle: 'CT1' },
  ],
}
const KEYS = {
  PatientName: 'TEST*',
  PatientID: '',
  AccessionNumber: '',
  StudyInstanceUID: '',
  ...STEP,
}
const IDENTIFIER = writeDataSet(namedDataSet(KEYS), explicitLittleEndian)
const IMAGE = writeDataSet(imageDataSet({ size: 4 }), explicitLittleEndian)
const MESSAGES: Made = {
  echo: writeMessage(
    1,
    command('C-ECHO-RQ', { affectedSopClassUid: SOP_CLASS.verification }),
    undefined,
    16_384,
  ),
  find: writeMessage(
    3,
    command('C-FIND-RQ', {
      affectedSopClassUid: SOP_CLASS.modalityWorklistFind,
      hasDataSet: true,
      priority: 0,
    }),
    IDENTIFIER,
    16_384,
  ),
  cancel: writeMessage(
    3,
    { commandField: COMMAND_FIELD['C-CANCEL-RQ'], messageIdBeingRespondedTo: 7, hasDataSet: false },
    undefined,
    16_384,
  ),
  store: writeMessage(
    5,
    command('C-STORE-RQ', {
      ...{
        affectedSopClassUid: '1.2.840.10008.5.1.4.1.1.2',
        affectedSopInstanceUid: '2.25.100.1.1',
        hasDataSet: true,
        priority: 0,
      },
      ...{ moveOriginatorAeTitle: 'ARCHIVE', moveOriginatorMessageId: 3 },
    }),
    IMAGE,
    128,
  ),
  step: writeMessage(
    7,
    command('N-CREATE-RQ', {
      affectedSopClassUid: SOP_CLASS.modalityPerformedProcedureStep,
      affectedSopInstanceUid: '2.25.8',
      hasDataSet: true,
    }),
    writeDataSet(
      namedDataSet({ PerformedProcedureStepStatus: 'IN PROGRESS', Modality: 'CT' }),
      explicitLittleEndian,
    ),
    16_384,
  ),
  commitment: writeMessage(
    9,
    command('N-ACTION-RQ', {
      requestedSopClassUid: SOP_CLASS.storageCommitmentPushModel,
      requestedSopInstanceUid: '1.2.840.10008.1.20.1.1',
      actionTypeId: 1,
      hasDataSet: true,
    }),
    writeDataSet(namedDataSet({ TransactionUID: '2.25.11' }), implicitLittleEndian),
    16_384,
  ),
  move: writeMessage(
    3,
    command('C-MOVE-RQ', {
      affectedSopClassUid: SOP_CLASS.studyRootMove,
      moveDestination: 'THERE',
      hasDataSet: false,
    }),
    undefined,
    0,
  ),
}

const PDUS: Made = {
  request: writePdu(REQUEST),
  accept: writePdu(ACCEPT),
  reject: writePdu({ type: 'A-ASSOCIATE-RJ', result: 1, source: 1, reason: 7 }),
  release: RELEASE,
  released: writePdu({ type: 'A-RELEASE-RP' }),
  abort: writePdu({ type: 'A-ABORT', source: 2, reason: 6 }),
  // Once took the square of its length.
  'long-title': writeMessage(
    3,
    command('C-MOVE-RQ', { moveDestination: `A${' '.repeat(60_000)}B` }),
    undefined,
    0,
  ),
  data: writePdu({
    type: 'P-DATA-TF',
    pdvs: [{ contextId: 1, isCommand: true, isLast: false, data: Buffer.alloc(6000, 7) }],
  }),
  ...MESSAGES,
}

const ASSOCIATIONS: Made = {
  ...Object.fromEntries(
    Object.entries(MESSAGES).map(([name, bytes]) => [
      name,
      Buffer.concat([writePdu(REQUEST), bytes, RELEASE]),
    ]),
  ),
  'find-cancelled': Buffer.concat([
    writePdu(REQUEST),
    MESSAGES.find ?? RELEASE,
    MESSAGES.cancel ?? RELEASE,
    RELEASE,
  ]),
  everything: Buffer.concat([writePdu(REQUEST), ...Object.values(MESSAGES), RELEASE]),
  request: writePdu(REQUEST),
  http: Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  tls: Buffer.from('16030100c8010000c40303', 'hex'),
  nothing: Buffer.alloc(0),
}

/**
 * A sequence within a sequence, private elements, a value for each VR that is written by itself,
 * pixels.
 */
const RICH = namedDataSet({
  SpecificCharacterSet: 'ISO_IR 192',
  SOPClassUID: '1.2.840.10008.5.1.4.1.1.4',
  SOPInstanceUID: '2.25.3',
  StudyInstanceUID: '2.25.1',
  SeriesInstanceUID: '2.25.2',
  PatientName: 'Yamada^Tarou=山田^太郎',
  PatientID: 'P001',
  AccessionNumber: 'A001',
  ReferencedPerformedProcedureStepSequence: [{ ReferencedSOPInstanceUID: '2.25.8' }],
  RequestAttributesSequence: [
    { StudyInstanceUID: '2.25.1', ScheduledProcedureStepID: 'S1' },
    { ScheduledProcedureStepID: 'S2' },
  ],
  SharedFunctionalGroupsSequence: [
    { PixelMeasuresSequence: [{ PixelSpacing: '0.5\\0.5', SliceThickness: '1' }] },
  ],
  PixelSpacing: '0.5\\0.5',
  WindowCenter: '40',
  WindowWidth: '400',
  Rows: Buffer.from([4, 0]),
  Columns: Buffer.from([6, 0]),
  SamplesPerPixel: Buffer.from([1, 0]),
  BitsAllocated: Buffer.from([8, 0]),
  BitsStored: Buffer.from([8, 0]),
  HighBit: Buffer.from([7, 0]),
  PixelRepresentation: Buffer.from([0, 0]),
  PhotometricInterpretation: 'MONOCHROME2',
  NumberOfFrames: '2',
  PixelData: Buffer.alloc(48, 9),
})
const SYNTAXES = [
  explicitLittleEndian,
  implicitLittleEndian,
  explicitBigEndian,
  explicitLittleEndian,
]

const DATA_SETS: Made = {
  ...Object.fromEntries(
    SYNTAXES.flatMap((syntax, index) => [
      [`rich-${index}`, Buffer.concat([Buffer.from([index]), writeDataSet(RICH, syntax)])],
      [
        `query-${index}`,
        Buffer.concat([Buffer.from([index]), writeDataSet(namedDataSet(KEYS), syntax)]),
      ],
    ]),
  ),
  deflated: Buffer.concat([
    Buffer.from([4]),
    writeDataSet(RICH, TRANSFER_SYNTAX.deflatedExplicitLittleEndian),
  ]),
  'nested-8': Buffer.concat([Buffer.from([0]), nestedBytes(IDENTIFIER, 8, EXPLICIT, true)]),
  'nested-9': Buffer.concat([Buffer.from([0]), nestedBytes(IDENTIFIER, 9, EXPLICIT, true)]),
  'nested-1000': Buffer.concat([
    Buffer.from([0]),
    nestedBytes(Buffer.alloc(0), 1000, EXPLICIT, false),
  ]),
  'private-un': Buffer.from(
    `00090010004c4f080041434d4520312e3009000110554e0000fffffffffeff00e000000000`,
    'hex',
  ),
  empty: Buffer.from([0]),
}

const meta = (transferSyntaxUid: string) =>
  fileMeta({
    sopClassUid: '1.2.840.10008.5.1.4.1.1.4',
    sopInstanceUid: '2.25.3',
    transferSyntaxUid,
    sourceAeTitle: 'CT1',
  })
const item = (value: Buffer): Buffer => {
  const header = Buffer.from('feff00e000000000', 'hex')
  header.writeUInt32LE(value.length, 4)
  return Buffer.concat([header, value])
}
const WITHOUT_PIXELS = RICH.filter(({ tag }) => tag !== 0x7fe00010)
const pieces = (...values: readonly Buffer[]) =>
  Buffer.concat([
    writeDataSet(WITHOUT_PIXELS, explicitLittleEndian),
    Buffer.from('e07f10004f420000ffffffff', 'hex'),
    ...values.map(item),
    Buffer.from('feffdde000000000', 'hex'),
  ])
const PICTURE = Buffer.from('ffd8ffe000104a46ffd9', 'hex')

const FILES: Made = {
  ...Object.fromEntries(
    [...new Set(SYNTAXES), TRANSFER_SYNTAX.deflatedExplicitLittleEndian].map((syntax, index) => [
      `native-${index}`,
      Buffer.concat([meta(syntax), writeDataSet(RICH, syntax)]),
    ]),
  ),
  'one-fragment-each': Buffer.concat([
    meta('1.2.840.10008.1.2.4.50'),
    pieces(Buffer.alloc(0), PICTURE, PICTURE),
  ]),
  'offset-table': Buffer.concat([
    meta('1.2.840.10008.1.2.4.50'),
    pieces(Buffer.from('0000000012000000', 'hex'), PICTURE, PICTURE),
  ]),
  rle: Buffer.concat([
    meta('1.2.840.10008.1.2.5'),
    pieces(Buffer.alloc(0), Buffer.alloc(66, 1), Buffer.alloc(66, 2)),
  ]),
  // Was once a file of no kind: its last element goes on behind its end.
  'ends-within-an-element': Buffer.concat([
    meta(explicitLittleEndian),
    writeDataSet(RICH, explicitLittleEndian).subarray(0, 250),
  ]),
  'no-meta': writeDataSet(RICH, explicitLittleEndian),
  'no-meta-implicit': writeDataSet(RICH, implicitLittleEndian),
  html: Buffer.from('<!doctype html><html><body>Please sign in.</body></html>'),
  empty: Buffer.alloc(0),
}

/** Queries as consoles write them; two bytes before them choose syntax and device. */
const QUERIES: Readonly<Record<string, Parameters<typeof namedDataSet>[0]>> = {
  all: {
    PatientName: '',
    PatientID: '',
    AccessionNumber: '',
    StudyInstanceUID: '',
    ScheduledProcedureStepSequence: [],
  },
  today: KEYS,
  'by-id': { ...KEYS, PatientName: '', PatientID: 'P001' },
  wild: { ...KEYS, PatientName: '*a*e*', PatientID: 'P0??' },
  range: {
    PatientName: '',
    ScheduledProcedureStepSequence: [
      {
        ScheduledProcedureStepStartDate: '20261119-20261121',
        ScheduledProcedureStepStartTime: '0800-1000',
      },
    ],
  },
  uids: { StudyInstanceUID: '2.25.10001\\2.25.10002\\2.25.10003', PatientName: '' },
  everything: {
    ...{
      ReferringPhysicianName: '',
      PatientBirthDate: '',
      PatientSex: '',
      PatientAge: '',
      PatientWeight: '',
      PatientSize: '',
      ProtocolName: '',
    },
    ...{
      InstitutionName: '',
      StudyDescription: '',
      RequestedProcedureDescription: '',
      RequestedProcedureID: '',
      PatientName: '',
      PatientID: '',
    },
    ScheduledProcedureStepSequence: [
      {
        ...{
          Modality: '',
          ScheduledStationAETitle: '',
          ScheduledProcedureStepStartDate: '',
          ScheduledProcedureStepStartTime: '',
        },
        ...{
          ScheduledProcedureStepDescription: '',
          ScheduledProcedureStepID: '',
          ScheduledProcedureStepStatus: '',
        },
      },
    ],
  },
  japanese: {
    SpecificCharacterSet: '\\ISO 2022 IR 87',
    PatientName: encodeText('Yamada*=山*', ['', 'ISO 2022 IR 87'], 'PN') ?? Buffer.alloc(0),
    PatientID: '',
  },
  unicode: { SpecificCharacterSet: 'ISO_IR 192', PatientName: 'müller*', PatientID: '' },
}
const IDENTIFIERS: Made = Object.fromEntries(
  Object.entries(QUERIES).flatMap(([name, keys], n) =>
    [explicitLittleEndian, implicitLittleEndian, explicitBigEndian].map((syntax, index) => [
      `${name}-${index}`,
      Buffer.concat([
        Buffer.from([index, n === 0 ? 0 : n * 27]),
        writeDataSet(namedDataSet(keys), syntax),
      ]),
    ]),
  ),
)

const NAMES = [
  ...[
    '',
    'TESTER^NUMBER001',
    '^^^^',
    '===',
    'A^B^C^D^E^F^G=H=I=J',
    ' x ^ y ',
    'Müller^Jörg^^Dr.',
    'Yamada^Tarou=山田^太郎=やまだ^たろう',
    'ﺎﻠﺴﻳﺩ^أحمد',
  ],
  ...[
    'Hong^Gildong=洪^吉洞=홍^길동',
    'Пробная^Анна',
    'Παπαδόπουλος',
    'שרון^דבורה',
    'İSTANBUL^ÇELİK',
    'ﬃ^ß',
    'e\u0301\u200b\u0301^x',
    'A=\u0338B',
    '*^?',
    'ทดสอบ',
  ],
]
const NAME_BYTES: Made = {
  ...Object.fromEntries(
    NAMES.flatMap((name, n) =>
      TERMS.flatMap((terms, set) => {
        const bytes = encodeText(name, terms, 'PN')
        // Each name in a few of the sets that can say it.
        return bytes && (set + n) % 7 === 0
          ? [[`${String(n).padStart(2, '0')}-${set}`, Buffer.concat([Buffer.from([set]), bytes])]]
          : []
      }),
    ),
  ),
  // Once took the square of their length.
  carets: Buffer.from(`\0A${'^'.repeat(60_000)}x`),
  groups: Buffer.from(`\0${Array.from({ length: 10_000 }, (_, n) => `a${n}`).join('=')}`),
  invalid: Buffer.concat([Buffer.from([2]), Buffer.from('ff1b2442fffe5e3d1b', 'hex')]),
}

const MADE: Readonly<Record<string, Made>> = {
  pdu: PDUS,
  association: ASSOCIATIONS,
  'data-set': DATA_SETS,
  part10: FILES,
  matching: IDENTIFIERS,
  'person-names': NAME_BYTES,
  manifests: MANIFESTS,
  'partner-answers': ANSWER_BYTES,
  cursors: CURSORS,
  json: CALLS,
}

for (const [target, made] of Object.entries(MADE)) {
  const folder = join(CORPUS, target)
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (name.startsWith('made-')) rmSync(join(folder, name))
  for (const [name, bytes] of Object.entries(made))
    writeFileSync(join(folder, `made-${name}.bin`), bytes)
}
