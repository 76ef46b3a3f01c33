import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'

/** A coded concept (PS3.3 Table 8.8-1); its parts are empty if they are missing. */
export const CodedConcept = z.object({
  value: z.string(),
  scheme: z.string(),
  meaning: z.string(),
})
export type CodedConcept = z.infer<typeof CodedConcept>

/** Patient and study of an object, as in its file. DICOM text; empty if missing. */
export const ObjectContext = z.object({
  patientName: z.string(),
  patientId: z.string(),
  patientBirthDate: z.string(),
  patientSex: z.string(),
  studyDescription: z.string(),
  studyDate: z.string(),
  accessionNumber: z.string(),
  referringPhysician: z.string(),
  seriesDescription: z.string(),
  institution: z.string(),
  manufacturer: z.string(),
  model: z.string(),
})
export type ObjectContext = z.infer<typeof ObjectContext>

/** An object that a content item refers to (PS3.3 C.18.3 to C.18.5). */
export const ObjectReference = z.object({
  sopClassUid: z.string(),
  sopInstanceUid: z.string(),
  /** Frames from 1; empty if it refers to all of them. */
  frames: z.array(z.int()),
  /** Pairs of multiplex group and channel of a waveform, from 1; empty if it refers to all. */
  channels: z.array(z.int()),
})
export type ObjectReference = z.infer<typeof ObjectReference>

/** A content item of a structured report (PS3.3 C.17.3). */
export const ContentItem = z.object({
  /** 0 for the root; items follow their parent in document order. */
  depth: z.int().nonnegative(),
  /** Such as `1.2.3`, as by-reference relationships use it (PS3.3 C.17.3.2.5). */
  position: z.string(),
  /** Such as CONTAINS; empty for the root. */
  relationship: z.string(),
  /** Such as CONTAINER, TEXT or NUM; empty for an item by reference. */
  valueType: z.string(),
  concept: CodedConcept.nullable(),
  /** Value of a text, date, time, person name, UID or number, as in the file. */
  value: z.string(),
  /** Value of a CODE item; unit of a NUM item. */
  code: CodedConcept.nullable(),
  /** Why a number is missing or not exact (PS3.3 C.18.1). */
  qualifier: CodedConcept.nullable(),
  references: z.array(ObjectReference),
  /** Type and values of spatial or temporal coordinates. */
  coordinates: z.object({ type: z.string(), values: z.array(z.string()) }).nullable(),
  /** Position of the item that this one refers to; empty if it is an item itself. */
  target: z.string(),
  /** Date and time of the observation (DT); empty if not stated. */
  observedAt: z.string(),
})
export type ContentItem = z.infer<typeof ContentItem>

/** A structured report or key object selection. */
export const StructuredReport = z.object({
  sopClassUid: z.string(),
  title: CodedConcept.nullable(),
  context: ObjectContext,
  /** A DA and a TM. */
  contentDate: z.string(),
  contentTime: z.string(),
  /** COMPLETE or PARTIAL; VERIFIED or UNVERIFIED; FINAL or PRELIMINARY. Empty if missing. */
  completionFlag: z.string(),
  completionDescription: z.string(),
  verificationFlag: z.string(),
  preliminaryFlag: z.string(),
  /** Verifying observers, authors and participants. */
  people: z.array(
    z.object({
      role: z.enum(['verifier', 'author', 'participant']),
      name: z.string(),
      organization: z.string(),
      code: CodedConcept.nullable(),
      /** A DT; empty if not stated. */
      at: z.string(),
    }),
  ),
  /** Number of documents that this one replaces or amends. */
  predecessors: z.int(),
  items: z.array(ContentItem),
  /** What is wrong with the report although it can be shown. */
  faults: z.array(Message),
})
export type StructuredReport = z.infer<typeof StructuredReport>

/** A channel of a waveform (PS3.3 C.10.9.1.4). */
export const WaveformChannel = z.object({
  /** Channel Label, or the meaning of its source. */
  label: z.string(),
  /** UCUM code of the unit of the samples; mV for every voltage. Empty if they have no scale. */
  unit: z.string(),
  /** Base64 of 32-bit floats in little endian, in that unit; NaN where there is no sample. */
  samples: z.base64(),
  /** Cut-off frequencies of the filters in Hz; null if not stated. */
  lowPass: z.number().nullable(),
  highPass: z.number().nullable(),
  notch: z.number().nullable(),
})
export type WaveformChannel = z.infer<typeof WaveformChannel>

/** Channels that were sampled together (PS3.3 C.10.9.1). */
export const WaveformGroup = z.object({
  label: z.string(),
  /** ORIGINAL or DERIVED, such as a median beat; empty if not stated. */
  originality: z.string(),
  /** Samples per second of each channel. */
  frequency: z.number().positive(),
  /** Number of samples of each channel. */
  samples: z.int().positive(),
  channels: z.array(WaveformChannel),
})
export type WaveformGroup = z.infer<typeof WaveformGroup>

/** An annotation of a waveform (PS3.3 C.10.10), such as an interpretation or a measurement. */
export const WaveformAnnotation = z.object({
  concept: CodedConcept.nullable(),
  /** A text, the meaning of a code, or a number. */
  value: z.string(),
  /** Unit of a number; empty otherwise. */
  unit: z.string(),
})
export type WaveformAnnotation = z.infer<typeof WaveformAnnotation>

export const Waveforms = z.object({
  sopClassUid: z.string(),
  context: ObjectContext,
  /** A DT; empty if not stated. */
  acquiredAt: z.string(),
  groups: z.array(WaveformGroup),
  annotations: z.array(WaveformAnnotation),
  /** What is wrong with the waveforms although they can be shown. */
  faults: z.array(Message),
})
export type Waveforms = z.infer<typeof Waveforms>

/** An element of a data set, or an item of a sequence. */
export const ListedElement = z.object({
  /** 0 for an element of the data set itself; nested ones follow their parent. */
  depth: z.int().nonnegative(),
  /** Such as `(0010,0010)`; empty for an item of a sequence. */
  tag: z.string(),
  /** PS3.6 keyword; the private creator of a private element; empty if unknown and for an item. */
  keyword: z.string(),
  vr: z.string(),
  /** Length of the value in bytes; null for pixel data in fragments. */
  length: z.int().nullable(),
  /** The value as text, several values separated by backslashes. Empty for binary values. */
  value: z.string(),
  /** text: `value` is complete; cut: its start; binary: only the length is given. */
  kind: z.enum(['text', 'cut', 'binary', 'sequence', 'item']),
  /** Number of items of a sequence; number of an item, from 1; 0 otherwise. */
  items: z.int().nonnegative(),
})
export type ListedElement = z.infer<typeof ListedElement>

export const ElementList = z.object({
  elements: z.array(ListedElement),
  /** Whether elements were left out because there are too many. */
  isCut: z.boolean(),
})
export type ElementList = z.infer<typeof ElementList>
