import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { sampleReader } from '#server/dicom/objects/waveform-samples.ts'
import { readWaveforms } from '#server/dicom/objects/waveforms.ts'
import { Waveforms } from '#shared/contract/viewed-objects.ts'
import { englishText } from '#shared/messages/english.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import { waveformFile, waveformGroup } from '../../../../support/waveform-objects.ts'
import { TestSource } from '../pixel-data/viewed-file-fixture.ts'

const read = (bytes: Buffer): Waveforms => Waveforms.parse(readWaveforms(new TestSource(bytes)))
function valuesOf({ samples }: Waveforms['groups'][number]['channels'][number]): number[] {
  const bytes = Buffer.from(samples, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}
const channelsOf = (bytes: Buffer) => read(bytes).groups[0]?.channels.map(valuesOf)
const closeTo = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 5))

describe('samples', () => {
  it('are in mV by the sensitivity of their channel', () => {
    const bytes = waveformFile([
      waveformGroup([
        [0, 400, -400],
        [100, 200, 300],
      ]),
    ])
    expect(channelsOf(bytes)).toEqual([closeTo([0, 1, -1]), closeTo([0.25, 0.5, 0.75])])
    expect(read(bytes).groups[0]).toMatchObject({
      ...{ frequency: 500, samples: 3, originality: 'ORIGINAL' },
      channels: [
        { label: 'Channel 1', unit: 'mV' },
        { label: 'Channel 2', unit: 'mV' },
      ],
    })
  })

  it('are corrected by the correction factor, and moved by the baseline in the unit', () => {
    const channel = { ChannelSensitivityCorrectionFactor: '2', ChannelBaseline: '500' }
    expect(channelsOf(waveformFile([waveformGroup([[0, 400]], channel)]))).toEqual([
      closeTo([0.5, 2.5]),
    ])
  })

  it('in another unit keep it, and without a sensitivity have none', () => {
    const pressure = {
      ChannelSensitivity: '0.5',
      ChannelSensitivityUnitsSequence: [
        { CodeValue: 'mm[Hg]', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'mmHg' },
      ],
    }
    const none = { ChannelSensitivity: undefined, ChannelSensitivityUnitsSequence: undefined }
    const { groups } = read(
      waveformFile([waveformGroup([[160, 240]], pressure), waveformGroup([[7]], none)]),
    )
    expect(groups.map(({ channels }) => channels.map((one) => [one.unit, valuesOf(one)]))).toEqual([
      [['mm[Hg]', [80, 120]]],
      [['', [7]]],
    ])
  })

  it('that are padding are gaps', () => {
    const padding = Buffer.alloc(2)
    padding.writeInt16LE(-32_768)
    const group = waveformGroup([[400, -32_768, 800]], {}, { WaveformPaddingValue: padding })
    expect(channelsOf(waveformFile([group]))).toEqual([[1, Number.NaN, 2]])
  })

  it.each([
    ['SB', 8, 'ff', -1],
    ['UB', 8, 'ff', 255],
    ['SS', 16, 'feff', -2],
    ['US', 16, 'feff', 65_534],
    ['SL', 32, 'feffffff', -2],
    ['UL', 32, 'feffffff', 4_294_967_294],
    ['SV', 64, 'feffffffffffffff', -2],
    ['UV', 64, '0200000000000000', 2],
    // ITU-T G.711: the extremes and the smallest values.
    ['MB', 8, '00', -32_124],
    ['MB', 8, '80', 32_124],
    ['MB', 8, 'ff', 0],
    ['AB', 8, 'd5', 8],
    ['AB', 8, '55', -8],
    ['AB', 8, 'aa', 32_256],
  ])('of %s with %i bits are read', (interpretation, bits, hex, value) => {
    expect(sampleReader(interpretation, bits)?.read(Buffer.from(hex, 'hex'), 0)).toBe(value)
  })

  it.each([
    ['SS', 8],
    ['XX', 16],
    ['', 0],
  ])('of %s with %i bits are not', (interpretation, bits) =>
    expect(sampleReader(interpretation, bits)).toBeUndefined(),
  )

  it.each([TRANSFER_SYNTAX.implicitLittleEndian, TRANSFER_SYNTAX.explicitBigEndian])(
    'are the same in %s',
    (transferSyntaxUid) => {
      const groups = [waveformGroup([[0, 400, -400]])]
      expect(read(waveformFile(groups, {}, transferSyntaxUid))).toEqual(read(waveformFile(groups)))
    },
  )
})

describe('a waveform that is wrong', () => {
  const group = waveformGroup([[1, 2, 3]])

  it.each([
    ['no waveform', [], /contains no waveform/],
    [
      'no samples',
      [{ ...group, WaveformData: undefined }],
      /Waveform 1 cannot be shown: its samples/,
    ],
    ['no frequency', [{ ...group, SamplingFrequency: undefined }], /sampling frequency/],
    ['an unknown encoding', [{ ...group, WaveformSampleInterpretation: 'XX' }], /unknown way/],
  ])('with %s says so', (_name, groups, sentence) =>
    expect(() => read(waveformFile(groups))).toThrow(sentence),
  )

  it('does not keep the others from being shown', () => {
    const { groups, faults } = read(waveformFile([{ ...group, WaveformData: undefined }, group]))
    expect(groups).toHaveLength(1)
    expect(faults.map(englishText)).toMatchObject([expect.stringContaining('Waveform 1 cannot')])
  })

  it('with fewer samples than it states is shown as far as it goes, and says so', () => {
    const { groups, faults } = read(waveformFile([{ ...group, NumberOfWaveformSamples: 5000 }]))
    expect(groups[0]?.samples).toBe(3)
    expect(faults.map(englishText)).toEqual(['Only the first 0 s of 10 s are shown.'])
  })
})

it('an interpretation and measurements are listed with their units', () => {
  const code = (value: string, meaning: string) => [
    { CodeValue: value, CodingSchemeDesignator: 'UCUM', CodeMeaning: meaning },
  ]
  const annotations = [
    { UnformattedTextValue: 'SINUS RHYTHM' },
    {
      ConceptNameCodeSequence: code('rr', 'RR Interval'),
      NumericValue: '982',
      MeasurementUnitsCodeSequence: code('ms', 'milliseconds'),
    },
    {},
  ]
  const file = waveformFile([waveformGroup([[1]])], { WaveformAnnotationSequence: annotations })
  expect(read(file).annotations).toMatchObject([
    { concept: null, value: 'SINUS RHYTHM', unit: '' },
    { concept: { meaning: 'RR Interval' }, value: '982', unit: 'ms' },
  ])
})

// pydicom reads the elements; its `multiplex_array` needs numpy, which Debian does not bring along:
// the same numbers are computed as it does.
const READER = `
import json, struct, sys, pydicom
ds = pydicom.dcmread(sys.argv[1])
groups = []
for group in ds.WaveformSequence:
    count, samples = group.NumberOfWaveformChannels, group.NumberOfWaveformSamples
    raw = struct.unpack('<%dh' % (count * samples), group.WaveformData[:count * samples * 2])
    groups.append([[(raw[at * count + channel] + float(definition.ChannelBaseline)) * float(definition.ChannelSensitivity)
        * float(definition.ChannelSensitivityCorrectionFactor) for at in range(0, samples, 97)]
        for channel, definition in enumerate(group.ChannelDefinitionSequence)])
print(json.dumps(groups))
`

it('a 12-lead ECG has the values that pydicom has', (context) => {
  needs(context, 'samples')
  const path = join(PYDICOM_SAMPLES, 'waveform_ecg.dcm')
  const microvolts: number[][][] = JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', READER, path], { encoding: 'utf8' }),
  )
  const { groups, annotations } = read(readFileSync(path))
  expect(groups.map(({ channels, samples }) => [channels.length, samples])).toEqual([
    [12, 10_000],
    [12, 1200],
  ])
  for (const [index, group] of groups.entries())
    for (const [channel, one] of group.channels.entries()) {
      const ours = valuesOf(one).filter((_, at) => at % 97 === 0)
      expect(ours).toEqual(
        microvolts[index]?.[channel]?.map((value) => expect.closeTo(value / 1000, 5)),
      )
    }
  expect(annotations).toContainEqual({
    concept: expect.objectContaining({ meaning: 'RR Interval' }),
    value: '982',
    unit: 'ms',
  })
})
