import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'

const TWELVE_LEAD = '1.2.840.10008.5.1.4.1.1.9.1.1'

/** A multiplex group of 16-bit samples. @param channels the samples of each channel */
export function waveformGroup(
  channels: readonly (readonly number[])[],
  channel: NamedValues = {},
  more: NamedValues = {},
): NamedValues {
  const samples = channels[0]?.length ?? 0
  const data = Buffer.alloc(channels.length * samples * 2)
  for (const [index, values] of channels.entries())
    for (const [at, value] of values.entries())
      data.writeInt16LE(value, (at * channels.length + index) * 2)
  return {
    WaveformOriginality: 'ORIGINAL',
    NumberOfWaveformChannels: channels.length,
    NumberOfWaveformSamples: samples,
    SamplingFrequency: '500',
    ChannelDefinitionSequence: channels.map((_, index) => ({
      ChannelLabel: `Channel ${index + 1}`,
      ChannelSensitivity: '2.5',
      ChannelSensitivityUnitsSequence: [
        { CodeValue: 'uV', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'microvolt' },
      ],
      ChannelSensitivityCorrectionFactor: '1',
      ChannelBaseline: '0',
      ...channel,
    })),
    WaveformBitsAllocated: 16,
    WaveformSampleInterpretation: 'SS',
    WaveformData: data,
    ...more,
  }
}

/** An ECG of an invented patient as a DICOM file. */
export function waveformFile(
  groups: readonly NamedValues[],
  more: NamedValues = {},
  transferSyntaxUid: string = TRANSFER_SYNTAX.explicitLittleEndian,
): Buffer {
  const sopInstanceUid = '2.25.100.8.1'
  const dataSet = namedDataSet({
    SpecificCharacterSet: 'ISO_IR 192',
    SOPClassUID: TWELVE_LEAD,
    SOPInstanceUID: sopInstanceUid,
    AcquisitionDateTime: '20260310101500',
    Modality: 'ECG',
    PatientName: 'Müller^Jörg',
    PatientID: 'P-0815',
    StudyInstanceUID: '2.25.100',
    SeriesInstanceUID: '2.25.100.8',
    ...(groups.length > 0 && { WaveformSequence: groups }),
    ...more,
  })
  return Buffer.concat([
    fileMeta({
      ...{ sopClassUid: TWELVE_LEAD, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'ECG1' },
    }),
    writeDataSet(dataSet, transferSyntaxUid),
  ])
}
