import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { type ByteSource, ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import { tagsByKeyword } from '#server/dicom/data-set/dictionary.ts'
import { readWholeHeader } from '#server/dicom/data-set/whole-header.ts'
import type {
  WaveformAnnotation,
  WaveformChannel,
  WaveformGroup,
  Waveforms,
} from '#shared/contract/viewed-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { codedConcept, objectContext } from './object-context.ts'
import { sampleReader } from './waveform-samples.ts'

const TAG = tagsByKeyword([
  'SOPClassUID',
  'AcquisitionDateTime',
  'ContentDate',
  'ContentTime',
  'WaveformSequence',
  'MultiplexGroupLabel',
  'WaveformOriginality',
  'NumberOfWaveformChannels',
  'NumberOfWaveformSamples',
  'SamplingFrequency',
  'ChannelDefinitionSequence',
  'ChannelLabel',
  'ChannelSourceSequence',
  'ChannelSensitivity',
  'ChannelSensitivityUnitsSequence',
  'ChannelSensitivityCorrectionFactor',
  'ChannelBaseline',
  'FilterLowFrequency',
  'FilterHighFrequency',
  'NotchFilterFrequency',
  'WaveformBitsAllocated',
  'WaveformSampleInterpretation',
  'WaveformPaddingValue',
  'WaveformData',
  'WaveformAnnotationSequence',
  'UnformattedTextValue',
  'ConceptNameCodeSequence',
  'ConceptCodeSequence',
  'NumericValue',
  'MeasurementUnitsCodeSequence',
])

/** Samples of all channels that are sent to the page: 12 leads of 500 Hz for eleven minutes. */
const MAX_SAMPLES = 4_000_000
const MAX_CHANNELS = 128
const MAX_GROUPS = 32
const MAX_ANNOTATIONS = 1000
const MAX_DATA_BYTES = 256 << 20

/** Factors to mV of the UCUM units of a voltage. */
const MILLIVOLTS: Readonly<Record<string, number>> = { V: 1000, mV: 1, uV: 0.001, nV: 0.000001 }

/**
 * Reads the waveforms of an object (PS3.3 C.10.9) in physical units. A recording that is too long
 * is cut, and a fault says so.
 * @throws {ViewedFileFault} if the file cannot be read or none of its waveforms can be shown
 */
export function readWaveforms(source: ByteSource): Waveforms {
  const { values, start } = readWholeHeader(source)
  const found = values.items(TAG.WaveformSequence).slice(0, MAX_GROUPS)
  if (found.length === 0) throw new ViewedFileFault(message('viewed-file.no-waveform'))
  const faults: Message[] = []
  const groups: WaveformGroup[] = []
  let room = MAX_SAMPLES
  for (const [index, item] of found.entries()) {
    const group = waveformGroup(item, room)
    if (typeof group === 'string') faults.push(message(group, { number: index + 1 }))
    else {
      room -= group.samples * group.channels.length
      groups.push(group)
      const declaredSamples = item.number(TAG.NumberOfWaveformSamples) ?? 0
      if (group.samples < declaredSamples)
        faults.push(
          message('viewed-file.waveform-cut', {
            seconds: Math.round(group.samples / group.frequency),
            all: Math.round(declaredSamples / group.frequency),
          }),
        )
    }
  }
  const [fault] = faults
  if (groups.length === 0 && fault) throw new ViewedFileFault(fault)
  return {
    sopClassUid: values.text(TAG.SOPClassUID) || start.sopClassUid,
    context: objectContext(values),
    acquiredAt:
      values.text(TAG.AcquisitionDateTime) ||
      values.text(TAG.ContentDate) + values.text(TAG.ContentTime),
    groups,
    annotations: values
      .items(TAG.WaveformAnnotationSequence)
      .slice(0, MAX_ANNOTATIONS)
      .flatMap(annotationOf),
    faults,
  }
}

/** @returns why the group cannot be shown */
function waveformGroup(
  item: AttributeValues,
  room: number,
): WaveformGroup | 'viewed-file.waveform-broken' | 'viewed-file.waveform-encoding' {
  const frequency = item.number(TAG.SamplingFrequency) ?? 0
  const channels = item.number(TAG.NumberOfWaveformChannels) ?? 0
  const stated = item.number(TAG.NumberOfWaveformSamples) ?? 0
  const reader = sampleReader(
    item.text(TAG.WaveformSampleInterpretation),
    item.number(TAG.WaveformBitsAllocated) ?? 0,
  )
  if (!reader) return 'viewed-file.waveform-encoding'
  const data = item.bytes(TAG.WaveformData, MAX_DATA_BYTES)
  if (!data || frequency <= 0 || channels < 1 || channels > MAX_CHANNELS)
    return 'viewed-file.waveform-broken'
  const availableSamples = Math.floor(data.length / (channels * reader.width))
  const samples = Math.min(stated, availableSamples, Math.floor(room / channels))
  if (samples < 1) return 'viewed-file.waveform-broken'
  const padding = item.bytes(TAG.WaveformPaddingValue, 8)
  const padded = padding && padding.length >= reader.width ? reader.read(padding, 0) : Number.NaN
  const definitions = item.items(TAG.ChannelDefinitionSequence)
  return {
    label: item.text(TAG.MultiplexGroupLabel),
    originality: item.text(TAG.WaveformOriginality),
    frequency,
    samples,
    channels: Array.from({ length: channels }, (_, channel) => {
      const raw = new Float64Array(samples)
      for (let at = 0; at < samples; at++) {
        const value = reader.read(data, (at * channels + channel) * reader.width)
        raw[at] = value === padded ? Number.NaN : value
      }
      return waveformChannel(definitions[channel], channel, raw)
    }),
  }
}

function waveformChannel(
  definition: AttributeValues | undefined,
  index: number,
  raw: Float64Array,
): WaveformChannel {
  const source = definition && codedConcept(definition, TAG.ChannelSourceSequence)
  const code = definition && codedConcept(definition, TAG.ChannelSensitivityUnitsSequence)
  const sensitivity = definition?.number(TAG.ChannelSensitivity) ?? null
  const correction = definition?.number(TAG.ChannelSensitivityCorrectionFactor) ?? 1
  const baseline = definition?.number(TAG.ChannelBaseline) ?? 0
  // PS3.3 C.10.9.1.4.4: without a sensitivity the samples have no unit. The baseline is in the
  // unit of the sensitivity, not in sample values.
  const unit = sensitivity === null ? '' : (code?.value ?? '')
  const toMillivolts = MILLIVOLTS[unit]
  const factor = (sensitivity ?? 1) * correction
  const samples = Buffer.alloc(raw.length * 4)
  for (const [at, value] of raw.entries())
    samples.writeFloatLE((value * factor + baseline) * (toMillivolts ?? 1), at * 4)
  return {
    label: definition?.text(TAG.ChannelLabel) || source?.meaning || String(index + 1),
    unit: toMillivolts === undefined ? unit : 'mV',
    samples: samples.toString('base64'),
    lowPass: definition?.number(TAG.FilterHighFrequency) ?? null,
    highPass: definition?.number(TAG.FilterLowFrequency) ?? null,
    notch: definition?.number(TAG.NotchFilterFrequency) ?? null,
  }
}

function annotationOf(item: AttributeValues): WaveformAnnotation[] {
  const concept = codedConcept(item, TAG.ConceptNameCodeSequence)
  const number = item.text(TAG.NumericValue)
  const code = codedConcept(item, TAG.ConceptCodeSequence)
  const unit = codedConcept(item, TAG.MeasurementUnitsCodeSequence)
  const value = number || item.text(TAG.UnformattedTextValue) || code?.meaning || ''
  return value === '' ? [] : [{ concept, value, unit: number ? (unit?.value ?? '') : '' }]
}
